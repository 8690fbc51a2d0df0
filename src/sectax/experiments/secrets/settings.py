"""The experiment's own options on the command line, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sectax.experiments.interface import Option
from sectax.experiments.on_lambda import where
from sectax.experiments.secrets.levels import REFRESH
from sectax.model.errors import WrongUse
from sectax.model.spans import seconds
from sectax.subjects.function import AWS, LOCAL

DELAY, TTL, LAYER = "backend-delay", "ttl", "layer"
OPTIONS = (
    Option("endpoint", "local (default: a server of sectax's own, and a stand-in for Secrets Manager) or aws", "WHERE"),
    Option("role", "the execution role, which AWS wants; it must allow secretsmanager:GetSecretValue", "ARN"),
    Option(LAYER, "the layer of AWS's Parameters and Secrets extension, for the sidecar on AWS", "ARN"),
    Option(DELAY, "how much longer every round trip to the stand-in takes, as in 40ms", "TIME"),
    Option(TTL, "how long caches keep a secret, as in 60s (default: their own; for a refresh 1s)", "TIME"),
)
_MOST_DELAY_MS = 2000
_MOST_TTL_S = 3600  # of AWS's agent; its Lambda extension takes 300
_REFRESH_TTL_S = 1
_LAYER = re.compile(r"arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[A-Za-z0-9_-]+:\d+")


@dataclass(frozen=True)
class Settings:
    """What the options say.

    Attributes:
        endpoint: `LOCAL` or `AWS`. role: the execution role.
        layer: ARN of the extension's layer version; empty where none was given.
        delay_s: how much longer every round trip to the stand-in takes.
        ttl_s: for which caches use what they have; None for their own default.
    """

    endpoint: str | None
    role: str
    layer: str
    delay_s: float
    ttl_s: int | None

    def ttl_of(self, situation: str) -> int | None:
        """The TTL of a situation's functions: one that is waited for is short."""
        return _REFRESH_TTL_S if self.ttl_s is None and situation == REFRESH else self.ttl_s


def read(options: Mapping[str, tuple[str, ...]]) -> Settings:
    """Raises `WrongUse` for what contradicts itself or is no endpoint, role, layer, delay or TTL."""
    endpoint, role = where(options)
    if endpoint not in (LOCAL, AWS):
        raise WrongUse(
            "--endpoint of secrets is local or aws: functions elsewhere do not reach the stand-in on this machine",
            "leave it out, or say --endpoint aws",
        )
    layer = next(iter(options.get(LAYER, ())), "")
    if layer and not _LAYER.fullmatch(layer):
        raise WrongUse(
            f"--layer {layer!r} is no ARN of a layer version",
            "as in arn:aws:lambda:us-east-1:123456789012:layer:NAME:11; AWS's documentation lists them by region",
        )
    delay_s = _delay_s(options)
    if endpoint is AWS and delay_s:
        raise WrongUse("--backend-delay is of the stand-in, and with --endpoint aws there is none", "leave it out")
    if endpoint == LOCAL and layer:
        raise WrongUse("--layer is of AWS; here the sidecar is AWS's agent as sectax built it", "leave it out")
    return Settings(endpoint, role, layer, delay_s, _ttl_s(options))


def _delay_s(options: Mapping[str, tuple[str, ...]]) -> float:
    given = next(iter(options.get(DELAY, ())), None)
    if given is None:
        return 0.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*ms", given.strip())
    if found is None or not 0 < float(found[1]) <= _MOST_DELAY_MS:
        raise WrongUse(
            f"--backend-delay {given!r} is not between 0 and {_MOST_DELAY_MS} ms", "say it as in --backend-delay 40ms"
        )
    return float(found[1]) / 1e3


def _ttl_s(options: Mapping[str, tuple[str, ...]]) -> int | None:
    given = next(iter(options.get(TTL, ())), None)
    if given is None:
        return None
    ttl_s = seconds(given, "--ttl")
    if not (ttl_s.is_integer() and 1 <= ttl_s <= _MOST_TTL_S):
        raise WrongUse(f"--ttl {given!r} is not a whole number of seconds up to {_MOST_TTL_S}", "as in --ttl 60s")
    return int(ttl_s)
