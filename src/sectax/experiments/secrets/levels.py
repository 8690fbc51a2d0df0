"""What varies: the levels of every factor, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.experiments.on_lambda import BACK_TO_BACK, METRIC_WORDS, SPACED

HIT, MISS = "hit", "miss"
SITUATIONS = (HIT, MISS)

DICTIONARY, LIBRARY = "dictionary", "library"
SIDECAR, SIDECAR_NEW = "sidecar", "sidecar-new"
DIRECT, DIRECT_NEW = "direct", "direct-new"


@dataclass(frozen=True)
class Access:
    """One way to a secret.

    Attributes:
        module: of the function, in which its handler stands.
        sidecar: whether AWS's agent runs beside the function.
        calls: by situation, how often the service is asked for each reading; a figure of which this is not so is no
            figure of that situation.
        batched: whether one reading, where it is a hit, is too short to be timed by itself.
    """

    module: str
    calls: dict[str, int]
    sidecar: bool = False
    batched: bool = False


ACCESS = {
    DICTIONARY: Access("dictionary", {HIT: 0, MISS: 1}, batched=True),
    # It asks which version is the current one, then for that.
    LIBRARY: Access("library", {HIT: 0, MISS: 2}, batched=True),
    SIDECAR: Access("sidecar", {HIT: 0, MISS: 1}, sidecar=True),
    SIDECAR_NEW: Access("sidecar_new", {HIT: 0, MISS: 1}, sidecar=True),
    DIRECT: Access("direct", {HIT: 1, MISS: 1}),
    DIRECT_NEW: Access("direct_new", {HIT: 1, MISS: 1}),
}

_KIB = 1024
SIZES = {"32B": 32, "4KiB": 4 * _KIB, "64KiB": 64 * _KIB - 1}  # Secrets Manager takes at most 65,536 bytes
MEMORY_MB = ("128", "512", "1769")

_OF_THE_STUDY = (DICTIONARY, SIDECAR, DIRECT_NEW)
_ENDS = ("128", "1769")
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {"size": ("32B",), "memory": _ENDS, "pace": (BACK_TO_BACK,)},
    # A miss shows in it too: as the first access of every instance.
    "quick": {"situation": (HIT,), "size": ("32B",), "memory": _ENDS, "pace": (BACK_TO_BACK,), "access": _OF_THE_STUDY},
    "published": {"size": ("32B",), "memory": _ENDS, "pace": (BACK_TO_BACK,), "access": _OF_THE_STUDY},
}

FIRST_ACCESS = "first.access"

WORDS = {name: words for name, words in METRIC_WORDS.items() if "duration" not in name} | {
    DICTIONARY: "in-process dictionary",
    LIBRARY: "AWS's caching library",
    SIDECAR: "sidecar, connection kept",
    SIDECAR_NEW: "sidecar, new connection",
    DIRECT: "direct, client kept",
    DIRECT_NEW: "direct, new client",
    f"situation={HIT}": "the same secret again",
    f"situation={MISS}": "a secret that is not cached",
    f"pace={SPACED}": "with idle gaps",
    f"pace={BACK_TO_BACK}": "back to back",
    "metric=access": "mean access",
    "metric=median_access": "median access",
    "metric=p90_access": "p90 of access",
    "metric=p99_access": "p99 of access",
    "metric=worst_access": "worst access",
    "metric=first_access": "first access of an instance",
    "metric=first_init": "Init Duration",
}
