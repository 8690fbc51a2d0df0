"""What varies: the levels of every factor, and what each of them means."""

from __future__ import annotations

from sectax.experiments.hmac.events import EXPIRY, VARIANTS
from sectax.experiments.on_lambda import BACK_TO_BACK, SPACED

# The baseline does all but the check; `immediate` answers at once, so that what comes before the handler shows.
NONE, IMMEDIATE, PUBLISHED = "none", "immediate", "published"
AUTHENTICATION = (NONE, *VARIANTS, IMMEDIATE)

_KIB = 1024
# Bytes of the binary field, before MessagePack and Base64: the study's own six.
PAYLOADS = {
    "10KiB": 10 * _KIB,
    "50KiB": 50 * _KIB,
    "100KiB": 100 * _KIB,
    "500KiB": 500 * _KIB,
    "1MiB": 1024 * _KIB,
    "3MiB": 3072 * _KIB,
}

# What the function does with the data besides: the study's never looked into them.
UNPACKED, OPAQUE = "unpacked", "opaque"
DATA = {UNPACKED: "unpack", OPAQUE: "opaque"}  # level -> the function's PAYLOAD

LANGUAGES = ("python", "go")

# The study's, and one whole processor.
MEMORY_MB = ("128", "512", "1024", "1769")

_PUBLISHED_MEMORY = ("128", "512", "1024")
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {
        "language": ("python",),
        "payload": ("10KiB", "100KiB", "1MiB"),
        "memory": ("128", "1024"),
        "pace": (SPACED,),
        "data": (UNPACKED,),
    },
    "quick": {
        "language": ("python",),
        "payload": ("10KiB", "1MiB"),
        "memory": ("1024",),
        "pace": (SPACED,),
        "data": (UNPACKED,),
        "authentication": (NONE, PUBLISHED),
    },
    "published": {
        "language": ("python",),
        "memory": _PUBLISHED_MEMORY,
        "pace": (SPACED,),
        "data": (OPAQUE,),
        "authentication": (NONE, PUBLISHED),
    },
}

WORDS = {
    NONE: "no check",
    PUBLISHED: "HMAC-SHA-512, hexadecimal key",
    "raw-digests": "HMAC-SHA-512, raw key",
    "hmac-sha256": "HMAC-SHA-256",
    "blake2b": "keyed BLAKE2b",
    EXPIRY: "HMAC-SHA-512 with an expiry",
    IMMEDIATE: "an answer at once",
    "python": "Python",
    "go": "Go",
    f"pace={SPACED}": "with idle gaps",
    f"pace={BACK_TO_BACK}": "back to back",
    f"data={UNPACKED}": "and the data unpacked",
    f"data={OPAQUE}": "and the data not looked into",
    "metric=duration": "Duration",
    "metric=mean_duration": "mean Duration",
    "metric=worst_duration": "worst Duration",
    "metric=max_memory_used": "Max Memory Used",
}
