"""The pilot, and the batch sizes, warm-up and rounds that it fixes."""
