"""Factors, levels and presets of the experiment, and their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sectax.experiments.client_server import metrics
from sectax.experiments.client_server.load import CLOSED
from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor

OPERATIONS = ("put", "get", "head", "delete")
# Operations without a body.
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
        words: its label.
        header: encryption in the answer to HEAD (`none`, `AES256`, `aws:kms`, `customer`).
        bucket_rule: algorithm of the bucket's default encryption; empty for none.
        hides: whether the server's files must not contain the plaintext.
        kms: whether operations with a body use the key service.
    """

    words: str
    header: str
    bucket_rule: str = ""
    bucket_key: bool = False
    hides: bool = True
    kms: bool = False

    @property
    def by_service(self) -> bool:
        """Whether the service encrypts, which cannot be verified without its files."""
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
SEAWEEDFS, MINIO = "seaweedfs", "minio"
SINGLE, MULTIPART = "single", "multipart"
# The default of AWS's tools; S3's minimum is 5 MiB.
PART_BYTES = 8 * 1024 * 1024

# The local server; a service at an address has none.
SERVER = Factor("server", (SEAWEEDFS, MINIO))
FACTORS = (
    Factor("client", (PYTHON, GO)),
    SERVER,
    Factor("operation", OPERATIONS),
    Factor("size", (*SIZES, "…")),
    Factor("transfer", (PLAIN, TLS)),
    Factor("concurrency", ("1", "…")),
    Factor("load", (CLOSED, "…")),
    Factor("upload", (SINGLE, MULTIPART)),
    Factor("encryption", tuple(ENCRYPTIONS)),
)

# Over TLS as usual, and as SSE-C requires.
_COMMON = {"server": (SEAWEEDFS,), "transfer": (TLS,), "concurrency": ("1",), "load": (CLOSED,), "upload": (SINGLE,)}
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": _COMMON
    | {"size": ("10KB", "1MB", "100MB"), "encryption": (NONE, SSE_S3, SSE_S3_HEADER, SSE_KMS, SSE_C, CLIENT)},
    "quick": _COMMON
    # Without 100 MB, which makes blocks take seconds: too few of them for a verdict.
    | {"operation": ("put", "get"), "size": ("10KB", "10MB"), "encryption": (NONE, SSE_S3, SSE_KMS, SSE_C)},
    "published": _COMMON | {"size": SIZES, "transfer": (PLAIN,), "encryption": (NONE, SSE_S3)},
}
# Limit of staged bytes of a batch.
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
    """Bytes of a level such as `10KB` (of 1000 bytes) or `1MiB`. Raises `WrongUse`."""
    match = _SIZE.fullmatch(level)
    size = int(match[1]) * _UNITS[match[2] or ""] if match else -1
    if not 0 <= size <= _LARGEST:
        raise WrongUse(f"the factor size has no level {level!r}", "give a size such as 10KB or 1MiB, at most 1GiB")
    return size


def size_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """Requested sizes, the smallest first; `all` are the study's. Raises `WrongUse`."""
    if requested == ("all",):
        return SIZES
    return tuple(sorted(dict.fromkeys(requested), key=size_bytes))
