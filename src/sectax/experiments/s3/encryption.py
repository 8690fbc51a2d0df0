"""What is done with objects, the ways to encrypt them, and what each must show when the object is looked at."""

from __future__ import annotations

from dataclasses import dataclass

OPERATIONS = ("put", "get", "head", "delete")
# What only metadata moves for: the size of the object changes nothing in it.
METADATA = frozenset({"head", "delete"})

NONE = "none"
SSE_S3 = "sse-s3"
SSE_S3_HEADER = "sse-s3-header"
SSE_KMS = "sse-kms"
SSE_KMS_BUCKET_KEY = "sse-kms-bucket-key"
SSE_C = "sse-c"
CLIENT = "client-aes-gcm"


@dataclass(frozen=True)
class Encryption:
    """One level.

    Attributes:
        words: for a person.
        header: what HEAD of an object says (`none`, `AES256`, `aws:kms`, `customer`).
        bucket_rule: the algorithm of the bucket's default encryption; empty for a bucket without one.
        hides: whether what the server stores holds no plaintext.
        kms: whether an operation that moves a body asks the key service.
    """

    words: str
    header: str
    bucket_rule: str = ""
    bucket_key: bool = False
    hides: bool = True
    kms: bool = False

    @property
    def by_service(self) -> bool:
        """Whether it is the service that encrypts, so that its word is all there is where its files cannot be read."""
        return self.header != "none"


ENCRYPTIONS: dict[str, Encryption] = {
    NONE: Encryption("no encryption", "none", hides=False),
    SSE_S3: Encryption("SSE-S3 as the bucket's default", "AES256", "AES256"),
    SSE_S3_HEADER: Encryption("SSE-S3 by header", "AES256"),
    SSE_KMS: Encryption("SSE-KMS as the bucket's default", "aws:kms", "aws:kms", kms=True),
    SSE_KMS_BUCKET_KEY: Encryption("SSE-KMS with a bucket key", "aws:kms", "aws:kms", bucket_key=True, kms=True),
    SSE_C: Encryption("SSE-C", "customer"),
    CLIENT: Encryption("client-side AES-256-GCM", "none"),
}
