"""What varies: the levels of every factor, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.experiments.on_lambda import BACK_TO_BACK, METRIC_WORDS, SPACED

PYTHON, GO = "python", "go"
LANGUAGES = (PYTHON, GO)

HIT, MISS, REFRESH = "hit", "miss", "refresh"
SITUATIONS = (HIT, MISS, REFRESH)

DICTIONARY, LIBRARY = "dictionary", "library"
SIDECAR, SIDECAR_NEW = "sidecar", "sidecar-new"
DIRECT, DIRECT_NEW = "direct", "direct-new"


@dataclass(frozen=True)
class Access:
    """One way to a secret.

    Attributes:
        module: of the function in Python, in which its handler stands; in Go the handler itself.
        calls: by situation, how often the service is asked for each reading; a figure of which this is not so is no
            figure of that situation.
        languages: in which there is such a way.
        sidecar: whether AWS's agent runs beside the function.
        batched: whether one reading, where it is a hit, is too short to be timed by itself.
    """

    module: str
    calls: dict[str, int]
    languages: tuple[str, ...] = LANGUAGES
    sidecar: bool = False
    batched: bool = False

    @property
    def caches(self) -> bool:
        """Whether anything is kept that a TTL can be over for."""
        return self.calls[HIT] == 0


_CACHED = {HIT: 0, MISS: 1, REFRESH: 1}
ACCESS = {
    DICTIONARY: Access("dictionary", _CACHED, batched=True),
    # On a miss it asks which version is the current one, then for that; on a refresh it has that one.
    LIBRARY: Access("library", _CACHED | {MISS: 2}, (PYTHON,), batched=True),
    SIDECAR: Access("sidecar", _CACHED, sidecar=True),
    SIDECAR_NEW: Access("sidecar_new", _CACHED, sidecar=True),
    DIRECT: Access("direct", _CACHED | {HIT: 1}),
    DIRECT_NEW: Access("direct_new", _CACHED | {HIT: 1}),
}

_KIB = 1024
SIZES = {"32B": 32, "4KiB": 4 * _KIB, "64KiB": 64 * _KIB - 1}  # Secrets Manager takes at most 65,536 bytes
MEMORY_MB = ("128", "512", "1769")

_OF_THE_STUDY = (DICTIONARY, SIDECAR, DIRECT_NEW)
_USUAL = {"language": (PYTHON,), "size": ("32B",), "memory": ("128", "1769"), "pace": (BACK_TO_BACK,)}
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": _USUAL | {"situation": (HIT, MISS)},
    # A miss shows in it too: as the first access of every instance.
    "quick": _USUAL | {"situation": (HIT,), "access": _OF_THE_STUDY},
    "published": _USUAL | {"situation": (HIT, MISS), "access": _OF_THE_STUDY},
}
# The study has no hits of direct access, which keeps nothing.
NOT_OF_THE_STUDY = frozenset({(HIT, DIRECT_NEW), (HIT, DIRECT)})

FIRST_ACCESS = "first.access"
FIRST_SIDECAR = "first.sidecar_init"

# The study's own statistics, each of 100 hits in one invocation.
STUDY_HITS = 100
STUDY = ("min", "max", "mean", "median", "p90")

# Where the time of an access goes, by the function's own clock, in the order of a call.
PARTS = {
    "dns": "name look-up",
    "connect": "TCP connect",
    "handshake": "TLS handshake",
    "request": "sending the request",
    "backend": "waiting for the answer",
}

WORDS = {name: words for name, words in METRIC_WORDS.items() if "duration" not in name} | {
    DICTIONARY: "in-process dictionary",
    LIBRARY: "AWS's caching library",
    SIDECAR: "sidecar, connection kept",
    SIDECAR_NEW: "sidecar, new connection",
    DIRECT: "direct, client kept",
    DIRECT_NEW: "direct, new client",
    PYTHON: "Python",
    GO: "Go",
    f"situation={HIT}": "the same secret again",
    f"situation={MISS}": "a secret that is not cached",
    f"situation={REFRESH}": "a secret whose TTL is over",
    f"pace={SPACED}": "with idle gaps",
    f"pace={BACK_TO_BACK}": "back to back",
    "metric=access": "mean access",
    "metric=median_access": "median access",
    "metric=fastest_access": "fastest access",
    "metric=p90_access": "p90 of access",
    "metric=p99_access": "p99 of access",
    "metric=worst_access": "worst access",
    "metric=held_back": "periods in which the quota ran out",
    "metric=first_access": "first access of an instance",
    "metric=first_init": "Init Duration",
    "metric=sidecar_init": "the sidecar's part of Init",
    **{f"metric={part}": words for part, words in PARTS.items()},
    **{f"metric=study_{name}": f"{name} of {STUDY_HITS} hits, as in the study" for name in STUDY},
}
