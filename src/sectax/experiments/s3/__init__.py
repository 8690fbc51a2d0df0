"""The cost of bucket encryption for a client of S3."""
