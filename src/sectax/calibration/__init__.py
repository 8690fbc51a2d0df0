"""What is found out before the first block: the pilot, and the batch sizes and rounds that it freezes."""
