"""Where a block runs."""
