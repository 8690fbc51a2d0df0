"""Factors and levels of the experiment, its presets, and what a person calls them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sectax.experiments.client_server import metrics
from sectax.experiments.client_server.load import CLOSED
from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor

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


SIZES = ("10KB", "20KB", "50KB", "1MB", "10MB", "100MB")  # the study's
PLAIN, TLS = "plain", "tls"
PYTHON, GO = "python", "go"
SINGLE, MULTIPART = "single", "multipart"
# S3's least size of a part is 5 MiB; 8 MiB is what AWS's own tools take.
PART_BYTES = 8 * 1024 * 1024

FACTORS = (
    Factor("client", (PYTHON, GO)),
    Factor("operation", OPERATIONS),
    Factor("size", (*SIZES, "…")),
    Factor("transfer", (PLAIN, TLS)),
    Factor("concurrency", ("1", "…")),
    Factor("load", (CLOSED, "…")),
    Factor("upload", (SINGLE, MULTIPART)),
    Factor("encryption", tuple(ENCRYPTIONS)),
)

# Over TLS, as everybody's S3 is: so that one baseline serves SSE-C too.
_COMMON = {"transfer": (TLS,), "concurrency": ("1",), "load": (CLOSED,), "upload": (SINGLE,)}
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": _COMMON
    | {"size": ("10KB", "1MB", "100MB"), "encryption": (NONE, SSE_S3, SSE_S3_HEADER, SSE_KMS, SSE_C, CLIENT)},
    "quick": _COMMON
    # A block with 100 MB in it takes seconds, and a quick look has too few of them for any answer.
    | {"operation": ("put", "get"), "size": ("10KB", "10MB"), "encryption": (NONE, SSE_S3, SSE_KMS, SSE_C)},
    "published": _COMMON | {"size": SIZES, "transfer": (PLAIN,), "encryption": (NONE, SSE_S3)},
}
# What a batch may have ready in memory, or on the disk.
MOST_READY = 2**30

WORDS = {
    **metrics.WORDS,
    "metric=throughput": "throughput",
    "metric=check": "hashing of the body",
    "metric=client_memory": "memory of the client",
    "metric=disk_bytes": "bytes on disk",
    "metric=client_cpu_per_gb": "CPU time of the client per GB",
    "metric=server_cpu_per_gb": "CPU time of the server per GB",
}

_SIZE = re.compile(r"(\d{1,10})(B|KB|MB|GB|KiB|MiB|GiB)?", re.ASCII)
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_LARGEST = 2**30


def size_bytes(level: str) -> int:
    """Of a level as in `10KB` (1000 bytes each) or `1MiB`. Raises `WrongUse`."""
    match = _SIZE.fullmatch(level)
    size = int(match[1]) * _UNITS[match[2] or ""] if match else -1
    if not 0 <= size <= _LARGEST:
        raise WrongUse(
            f"the factor size has no level {level!r}", "a size is one as in 0B, 10KB, 1MiB or 1GiB, at most 1GiB"
        )
    return size


def size_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """The sizes asked for, the smallest first; `all` are the study's. Raises `WrongUse`."""
    if requested == ("all",):
        return SIZES
    return tuple(sorted(dict.fromkeys(requested), key=size_bytes))
