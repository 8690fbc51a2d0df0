"""Building blocks of the documents: records in which every null is explained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import msgspec

from sectax.model.finding import Effect, Estimate, Finding, Warning
from sectax.reports import units
from sectax.reports.reasons import NO_INTERVAL, no_interval
from sectax.reports.words import verdict

Record = dict[str, Any]

NOT_ASKED = "not asked for"
NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Missing:
    """Stands for a value that is not there, with the reason."""

    reason: str


def record(**fields: Any) -> Record:
    """A JSON object. What is `Missing`, or a number that is not finite, becomes null and is explained in `missing`."""
    made: Record = {}
    missing: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, Missing):
            made[name] = None
            missing[name] = value.reason
        elif isinstance(value, float) and not math.isfinite(value):
            made[name] = None
            missing[name] = NO_INTERVAL if math.isinf(value) else "not a number"
        else:
            made[name] = value
    made["missing"] = missing
    return made


def known(value: Any, reason: str) -> Any:
    """The value, or why there is none."""
    return Missing(reason) if value is None else value


def encoded(document: Record) -> bytes:
    """UTF-8, two spaces deep, with a line break at the end. Lone surrogates of odd file names are escaped."""
    return msgspec.json.format(msgspec.json.encode(_encodable(document)), indent=2) + b"\n"


def estimate(given: Estimate) -> Record:
    why = no_interval(given)
    return record(
        point=given.point,
        low=known(given.low, why),
        high=known(given.high, why),
        unit=given.unit,
        level=given.level,
        method=given.method,
        count=given.count,
    )


def effect(given: Effect) -> Record:
    return record(
        log_ratio=given.log_ratio,
        log_ratio_low=given.low,
        log_ratio_high=given.high,
        cost_ratio=units.cost_ratio(given.log_ratio),
        cost_ratio_low=units.cost_ratio(given.low),
        cost_ratio_high=units.cost_ratio(given.high),
        absolute=estimate(given.absolute) if given.absolute else Missing("no absolute cost was estimated"),
        level=given.level,
        method=given.method,
        blocks=given.blocks,
        blocks_lost=given.blocks_lost,
        spread=given.spread,
        floor=given.floor,
        widened=given.widened,
    )


def warning(given: Warning) -> Record:
    return {
        "check": given.check,
        "severity": given.severity.value,
        "subject": given.subject,
        "saw": given.saw,
        "meaning": given.meaning,
        "advice": given.advice,
    }


def finding(given: Finding, why_no_effect: str, metric: Any = None) -> Record:
    compared, seen = given.comparison, given.effect
    blocks = seen.blocks_needed if seen else None
    seconds = given.seconds_needed
    settled = "the verdict needs no more blocks, or nobody can say how many"
    return record(
        id=compared.id,
        cell=compared.cell,
        treatment=compared.treatment,
        baseline=compared.baseline,
        metric=compared.metric,
        standing=compared.standing.value,
        alpha=compared.alpha,
        margin=given.margin,
        verdict={"id": given.verdict.value, "words": verdict(given, metric)},
        withheld=given.withheld.value if given.withheld else Missing("no verdict was taken away"),
        effect=effect(seen) if seen else Missing(why_no_effect),
        needed=record(
            blocks=[*blocks] if blocks else Missing(settled),
            seconds=[*seconds] if seconds else Missing(settled),
            margin=known(seen.margin_needed if seen else None, "there is no interval to derive it from"),
            margin_in_reach=known(seen.margin_in_reach if seen else None, "the budget is spent, or nobody can say it"),
        ),
        warnings=[warning(each) for each in given.warnings],
    )


def _encodable(value: Any) -> Any:
    """Plain Python values without lone surrogates, which JSON text cannot carry."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        return float(value)  # numpy's floats are floats too, but msgspec does not know them
    if isinstance(value, dict):
        return {_encodable(key): _encodable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(each) for each in value]
    return value
