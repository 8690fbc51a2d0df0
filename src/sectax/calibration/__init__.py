"""The pilot before the first block, and the batch sizes, warm-up and rounds that it fixes."""
