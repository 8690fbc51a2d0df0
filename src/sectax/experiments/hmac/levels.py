"""Levels of the factors and their meaning."""

from __future__ import annotations

from sectax.experiments.hmac.events import EXPIRY, VARIANTS
from sectax.experiments.on_lambda.experiment import BACK_TO_BACK, METRIC_WORDS, SPACED
from sectax.model.plan import Contents

# The baseline omits only the check; `immediate` answers at once, to show the time before the handler.
NONE, IMMEDIATE, SHA512 = "none", "immediate", "hmac-sha512"
# The study's scheme with a clock between its steps; its difference from hmac-sha512 is the cost of the clock.
TIMED = "hmac-sha512-timed"
AUTHENTICATION = (NONE, *VARIANTS, TIMED, IMMEDIATE)
# The scheme of events for levels without one: an unchecked event still has a valid token.
SIGNED_AS = {NONE: SHA512, IMMEDIATE: SHA512}
# The steps that the function reports, in their order.
STEPS = {
    "fields": "checking the event's form",
    "utf8": "UTF-8",
    "derive": "deriving the key",
    "mac": "the MAC",
    "compare": "comparing",
    "base64": "Base64",
    "messagepack": "MessagePack",
}
# The authentication alone, and all steps together: by the clock, and in CPU time.
CHECK, CHECK_CPU = "check", "check_cpu"
WHOLE, WHOLE_CPU = "whole", "whole_cpu"

_KIB = 1024
# Bytes of the binary field before MessagePack and Base64: the study's six.
PAYLOADS = {
    "10KiB": 10 * _KIB,
    "50KiB": 50 * _KIB,
    "100KiB": 100 * _KIB,
    "500KiB": 500 * _KIB,
    "1MiB": 1024 * _KIB,
    "3MiB": 3072 * _KIB,
}

# SHA-2 and BLAKE2b process blocks sequentially. The fastest in one thread, SHA-256 with its own instructions at 4 to
# 5 GHz, reaches 3e9 bytes per second.
SERIAL_HASH_BYTES_S = 1e10
CONTENTS = Contents(
    size_factor="payload",
    sizes=PAYLOADS,
    parts={NONE: (IMMEDIATE,)} | dict.fromkeys((*VARIANTS, TIMED), (NONE, IMMEDIATE)),
    bytes_s=dict.fromkeys((*VARIANTS, TIMED), SERIAL_HASH_BYTES_S),
)

# Whether the function unpacks the data after the check; the study's did not.
UNPACKED, OPAQUE = "unpacked", "opaque"
DATA = {UNPACKED: "unpack", OPAQUE: "opaque"}  # level -> the function's PAYLOAD

LANGUAGES = ("python", "go")

# The study's three, and one whole processor.
MEMORY_MB = ("128", "512", "1024", "1769")

_STUDYS_MEMORY = ("128", "512", "1024")
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
        "authentication": (NONE, SHA512),
    },
    "published": {
        "language": ("python",),
        "memory": _STUDYS_MEMORY,
        "pace": (SPACED,),
        "data": (OPAQUE,),
        "authentication": (NONE, SHA512),
    },
}

WORDS = METRIC_WORDS | {
    NONE: "no check",
    SHA512: "HMAC-SHA-512, hexadecimal key",
    "raw-digests": "HMAC-SHA-512, raw key",
    "hmac-sha256": "HMAC-SHA-256",
    "blake2b": "keyed BLAKE2b",
    EXPIRY: "HMAC-SHA-512 with an expiry",
    TIMED: "HMAC-SHA-512, its steps timed",
    IMMEDIATE: "an answer at once",
    "python": "Python",
    "go": "Go",
    f"metric={CHECK}": "the check itself, by the function's own clock",
    f"metric={CHECK_CPU}": "the check itself, in CPU time",
    f"metric={WHOLE}": "all its steps, by the function's own clock",
    f"metric={WHOLE_CPU}": "the function's own steps, in CPU time",
    f"pace={SPACED}": "with idle gaps",
    f"pace={BACK_TO_BACK}": "back to back",
    f"data={UNPACKED}": "and the data unpacked",
    f"data={OPAQUE}": "and the data not unpacked",
    "metric=worst_invocation": "worst Duration, including the first",
    "metric=median_invocation": "Duration, including the first",
}
