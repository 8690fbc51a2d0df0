"""What the experiment knows of its treatments, for `sectax advise`."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.experiments.secrets.levels import (
    ACCESS,
    DICTIONARY,
    DIRECT,
    DIRECT_NEW,
    HIT,
    LIBRARY,
    MISS,
    PARTS,
    REFRESH,
    SIDECAR,
    SIDECAR_NEW,
)
from sectax.model.advice_rules import AdviceRules, ByRate, OwnParts, Starved
from sectax.model.bill import Usage
from sectax.model.finding import TreatmentResult

_BILLING_MB = 1024  # the GB of a GB-second
_OPERATIONS = {HIT: "a hit", MISS: "a miss", REFRESH: "a refresh"}
_WAYS = {
    DICTIONARY: "of the function's own dictionary",
    LIBRARY: "of AWS's caching library",
    SIDECAR: "through the sidecar",
    SIDECAR_NEW: "through the sidecar over a new connection",
    DIRECT: "straight from the service with a client that is kept",
    DIRECT_NEW: "straight from the service with a new client",
}


def rules() -> AdviceRules:
    """Where the time of an access goes, what is starved, and which way pays at a rate of calls."""
    return AdviceRules(
        metric="access",
        parts=OwnParts(tuple(PARTS.items()), "the client's own work"),
        starved=Starved("memory", "MB", _operation, ("situation", "access")),
        by_rate=ByRate(
            factor="situation",
            again=HIT,
            anew=(REFRESH, MISS),
            first="first_access",
            memory="memory",
            asks=lambda levels: ACCESS[levels["access"]].calls[levels["situation"]],
            uses=_uses,
            assumes="the time of the accesses alone at the price of the function's memory, and the calls of Secrets "
            "Manager; the function's other work, its requests and the secrets themselves cost the same in every way",
        ),
    )


def _operation(levels: Mapping[str, str]) -> str:
    return f"{_OPERATIONS[levels['situation']]} {_WAYS[levels['access']]}"


def _uses(seconds: float, calls: float, result: TreatmentResult) -> tuple[Usage, ...]:
    processor = str(result.witnesses.get("architecture", "x86_64"))
    return (
        Usage(f"lambda.{processor}", seconds * int(result.levels["memory"]) / _BILLING_MB),
        Usage("secretsmanager.requests", calls),
    )
