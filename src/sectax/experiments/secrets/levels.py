"""Levels of the factors, their meaning, and the options of the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sectax.experiments.interface import Option
from sectax.experiments.levels import option_seconds
from sectax.experiments.on_lambda import AWS, LOCAL
from sectax.experiments.on_lambda import experiment as on_lambda
from sectax.model.errors import WrongUse

PYTHON, GO = "python", "go"
LANGUAGES = (PYTHON, GO)

HIT, MISS, REFRESH = "hit", "miss", "refresh"
SITUATIONS = (HIT, MISS, REFRESH)

DICTIONARY, LIBRARY = "dictionary", "library"
SIDECAR, SIDECAR_NEW = "sidecar", "sidecar-new"
DIRECT, DIRECT_NEW = "direct", "direct-new"


@dataclass(frozen=True)
class SecretAccess:
    """One way to read a secret.

    Attributes:
        module: the Python module of the handler; in Go the handler itself.
        calls: situation -> calls to the service per reading; other counts invalidate the figure.
        languages: the languages that it is available in.
        sidecar: whether AWS's agent runs with the function.
        batched: whether a hit is too short to be timed by itself.
    """

    module: str
    calls: dict[str, int]
    languages: tuple[str, ...] = LANGUAGES
    sidecar: bool = False
    batched: bool = False

    @property
    def caches(self) -> bool:
        """Whether it caches, so that a TTL can expire."""
        return self.calls[HIT] == 0


_CACHED = {HIT: 0, MISS: 1, REFRESH: 1}
ACCESS = {
    DICTIONARY: SecretAccess("dictionary", _CACHED, batched=True),
    # On a miss it asks for the current version, then for its value; on a refresh it knows the version.
    LIBRARY: SecretAccess("library", _CACHED | {MISS: 2}, (PYTHON,), batched=True),
    SIDECAR: SecretAccess("sidecar", _CACHED, sidecar=True),
    SIDECAR_NEW: SecretAccess("sidecar_new", _CACHED, sidecar=True),
    DIRECT: SecretAccess("direct", _CACHED | {HIT: 1}),
    DIRECT_NEW: SecretAccess("direct_new", _CACHED | {HIT: 1}),
}

_KIB = 1024
SIZES = {"32B": 32, "4KiB": 4 * _KIB, "64KiB": 64 * _KIB - 1}  # Secrets Manager takes at most 65,536 bytes
MEMORY_MB = ("128", "512", "1769")

_OF_THE_STUDY = (DICTIONARY, SIDECAR, DIRECT_NEW)
_USUAL = {"language": (PYTHON,), "size": ("32B",), "memory": ("128", "1769"), "pace": (on_lambda.BACK_TO_BACK,)}
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": _USUAL | {"situation": (HIT, MISS)},
    # The first access of an instance shows a miss too. Direct access never hits, and takes so much longer that the
    # others would get few, long batches.
    "quick": _USUAL | {"situation": (HIT,), "access": (DICTIONARY, SIDECAR)},
    "published": _USUAL | {"situation": (HIT, MISS), "access": _OF_THE_STUDY},
}
# The study has no hits of direct access, which does not cache.
NOT_OF_THE_STUDY = frozenset({(HIT, DIRECT_NEW), (HIT, DIRECT)})

FIRST_ACCESS = "first.access"
FIRST_SIDECAR = "first.sidecar_init"

# The study's statistics of 100 hits in one invocation.
STUDY_HITS = 100
STUDY = ("min", "max", "mean", "median", "p90")

# Parts of an access by the function's own clock, in the order of a call.
PARTS = {
    "dns": "name look-up",
    "connect": "TCP connect",
    "handshake": "TLS handshake",
    "request": "sending the request",
    "backend": "waiting for the answer",
}

WORDS = {name: words for name, words in on_lambda.METRIC_WORDS.items() if "duration" not in name} | {
    DICTIONARY: "in-process dictionary",
    LIBRARY: "AWS's caching library",
    SIDECAR: "sidecar, reused connection",
    SIDECAR_NEW: "sidecar, new connection",
    DIRECT: "direct, reused client",
    DIRECT_NEW: "direct, new client",
    PYTHON: "Python",
    GO: "Go",
    f"situation={HIT}": "the same secret again",
    f"situation={MISS}": "a secret that is not cached",
    f"situation={REFRESH}": "a secret whose TTL has expired",
    f"pace={on_lambda.SPACED}": "with idle gaps",
    f"pace={on_lambda.BACK_TO_BACK}": "back to back",
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


DELAY, TTL, LAYER = "backend-delay", "ttl", "layer"
OPTIONS = (
    Option("endpoint", "where it runs: local (the default, with a stand-in for Secrets Manager) or aws", "WHERE"),
    Option("role", "the execution role (required on AWS); it must allow secretsmanager:GetSecretValue", "ARN"),
    Option(LAYER, "the layer of AWS's Parameters and Secrets extension, for the sidecar on AWS", "ARN"),
    Option(DELAY, "added time of each round trip to the stand-in, as in 40ms", "TIME"),
    Option(TTL, "TTL of caches, as in 60s (default: their own; 1s for refresh)", "TIME"),
)
_MAX_DELAY_S = 2.0
_MAX_TTL_S = 3600  # of AWS's agent; its Lambda extension allows 300
_REFRESH_TTL_S = 1
_LAYER = re.compile(r"arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[A-Za-z0-9_-]+:\d+")


@dataclass(frozen=True)
class Settings:
    """The parsed options.

    Attributes:
        endpoint: `LOCAL` or `AWS`. role: the execution role.
        layer: ARN of the extension's layer version, or empty.
        delay_s: seconds added to each round trip to the stand-in.
        ttl_s: TTL of caches in seconds; None for their default.
    """

    endpoint: str | None
    role: str
    layer: str
    delay_s: float
    ttl_s: int | None

    def situation_ttl(self, situation: str) -> int | None:
        """Return the TTL for a situation; short for refreshes, which wait for it."""
        return _REFRESH_TTL_S if self.ttl_s is None and situation == REFRESH else self.ttl_s


def read_settings(options: Mapping[str, tuple[str, ...]]) -> Settings:
    """Parse the options. Raises `WrongUse` for invalid or contradictory values."""
    endpoint, role = on_lambda.read_endpoint_options(options)
    if endpoint not in (LOCAL, AWS):
        raise WrongUse(
            "--endpoint of secrets is local or aws: functions elsewhere cannot reach the stand-in on this machine",
            "leave it out, or use --endpoint aws",
        )
    layer = next(iter(options.get(LAYER, ())), "")
    if layer and not _LAYER.fullmatch(layer):
        raise WrongUse(
            f"--layer {layer!r} is not the ARN of a layer version",
            "as in arn:aws:lambda:us-east-1:123456789012:layer:NAME:11; AWS's documentation lists them by region",
        )
    delay_s = option_seconds(options, DELAY, 0.0, (1e-4, _MAX_DELAY_S), "--backend-delay 40ms")
    ttl_s = int(option_seconds(options, TTL, 0.0, (1, _MAX_TTL_S), "--ttl 60s", whole=True)) or None
    if endpoint is AWS and delay_s:
        raise WrongUse("--backend-delay needs the local stand-in; --endpoint aws has none", "leave it out")
    if endpoint == LOCAL and layer:
        raise WrongUse("--layer needs --endpoint aws; the local sidecar is built by sectax", "leave it out")
    return Settings(endpoint, role, layer, delay_s, ttl_s)
