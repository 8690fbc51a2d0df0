"""The clients of s3 beside each other, and beside warp, all on one real server of their own."""
