"""An S3 client as a subject: it moves objects under one kind of encryption, and times every operation."""
