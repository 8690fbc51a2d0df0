"""An S3 client as a subject: it moves objects under one kind of encryption, and times every operation."""

from sectax.subjects.s3.spec import S3Spec

__all__ = ["S3Spec"]
