"""Columns that tell more of a value: its error, least, most and quantiles; and the processor time that it took."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from sectax.audit.evidence import Incident, Twice
from sectax.audit.importers.microbench import WIDE
from sectax.audit.importers.rows import Rows
from sectax.audit.words import number
from sectax.model.finding import Severity
from sectax.model.printable import printable

_KINDS = {
    "mean": "mean avg average score mittelwert moyenne moyen media promedio",
    "median": "median med mediane mediana",
    "error": "sem error err ci",
    "deviation": "sd std stdev stddev stdv deviation dev",
    "min": "min minimum fastest least best",
    "max": "max maximum slowest most worst",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
# They tell no more of what was measured.
_EMPTY = frozenset(
    [
        "standard",
        "value",
        "the",
        "of",
        "time",
        "times",
        "latency",
        "duration",
        "elapsed",
        "runtime",
        "response",
        "execution",
        "run",
    ]
)
_UNITS = frozenset(["ns", "us", "µs", "ms", "s", "sec", "secs", "seconds", "msec", "usec", "op"])
_QUANTILE = re.compile(
    r"(?:\bp|perc(?:entile)?)[ _]?(\d{2,3}(?:\.\d+)?)\b|\b(\d{2}(?:\.\d+)?) ?(?:%|th|pct|percentile)"
)
_WORD = re.compile(r"[^\W\d_]+|[0-9]+|±")
# What is wrong with a share of the rows is said of so many of them.
_MOST = 20
# Printed digits are no contradiction.
_ROUNDED = 0.005
# A mean of so many medians, or a slowest of so many: a few values make it.
_MEANS, _SLOWEST = 2.0, 20.0
# Processor time beside the time on the clock: so little of it, and so little of what the others have.
_LITTLE_CPU, _OF_OTHERS, _FEWEST_OTHERS = 0.1, 0.1, 2
_USER, _SYSTEM = (
    re.compile(rf"(?i)(?:{each})(?:[ _]?(?:cpu|time|s|sec|seconds))*$") for each in ("user|utime", "sys(?:tem)?|stime")
)


def _said(name: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """The statistic that a column's name tells ('p95' for a quantile), its unit, and what is left."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower().replace("_", " ")
    words = _WORD.findall(spaced)
    kinds = {_KIND_OF[word] for word in words if word in _KIND_OF} | ({"error"} if "±" in words else set())
    if not kinds and (quantile := _QUANTILE.search(spaced)) is not None:
        kinds = {f"p{float(quantile[1] or quantile[2]):g}"}
        words = _WORD.findall(spaced.replace(quantile[0], " "))
    elif "error" in kinds:
        kinds, words = {"error"}, [word for word in words if not word.isdigit()]
    units = frozenset(word for word in words if word in _UNITS)
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if kind != "p50" else "median", units, frozenset(words) - _KIND_OF.keys() - _EMPTY - units


def _share(kind: str) -> float | None:
    """The share of all values that are below a statistic; None of one that is no quantile."""
    ends = {"min": 0.0, "median": 50.0, "max": 100.0}
    return ends.get(kind, float(kind[1:]) if re.fullmatch(r"p\d+(?:\.\d+)?", kind) else None)


def family(rows: Rows) -> dict[str, int]:
    """Statistic -> the column that tells it of what the values are of; empty where the values are none."""
    own, units, rest = _said(rows.names[rows.value])
    found: dict[str, list[int]] = {}
    for at, name in enumerate(rows.names) if own else ():
        kind, its_units, its_rest = _said(name)
        if kind and its_rest == rest and its_units in (units, frozenset()):
            found.setdefault(kind, []).append(at)
    return {kind: rows.value if kind == own else at[0] for kind, at in found.items() if len(at) == 1 or kind == own}


def beside(rows: Rows) -> tuple[list[Incident], list[Twice]]:
    """What columns beside the values show in each row: W on wide ones, and summaries that no values have."""
    of = family(rows)
    incidents, twice = list(_processor_time(rows)), list[Twice]()
    wide, few = [], []
    for row in range(len(rows.rows)) if len(of) > 1 else ():
        told = {kind: value for kind, at in of.items() if (value := rows.number(row, at)) is not None}
        middle = told.get("mean", told.get("median", 0.0))
        error = max((kind for kind in ("error", "deviation") if kind in told), key=told.__getitem__, default="")
        if error and told[error] > WIDE * middle > 0:
            wide.append(f"{rows.rows[row][of[error]].strip()} beside {middle:g}")
        low = told.get("median", 0.0)
        if low > 0 and (told.get("mean", 0.0) > _MEANS * low or told.get("max", 0.0) > _SLOWEST * low):
            which = "mean" if told.get("mean", 0.0) > _MEANS * low else "max"
            few.append(f"{rows.of(row)}: {which} {number(told[which])} beside a median of {number(low)}")
        if len(twice) < _MOST:
            twice += _impossible(f"{printable(rows.names[rows.value], 40)} of {rows.of(row)}", told)
    for found, what, meaning in (
        (wide, "an error of over half of the value", "by the table's own word no difference below that can be seen"),
        (few, "values that are far from the median", "a few of them make the mean, and the median does not show them"),
    ):
        if found:
            have = "one row has" if len(found) == 1 else f"{len(found)} rows have"
            incidents.append(Incident(Severity.WARNING, f"{have} {what} ({found[0]})", meaning, "modes"))
    return incidents, twice


def _impossible(what: str, told: dict[str, float]) -> Iterator[Twice]:
    """Quantiles that fall, a mean outside of the least and the most, or farther from the median than values reach."""
    placed = sorted((share, kind) for kind in told if (share := _share(kind)) is not None)
    pairs = [(low, high) for (_, low), (_, high) in pairwise(placed)]
    if "mean" in told:
        pairs += [("min", "mean")] if "min" in told else []
        pairs += [("mean", "max")] if "max" in told else []
    for low, high in pairs:
        if told[low] > told[high]:
            yield Twice(f"the {low} of {what}", told[low], told[high], f"its {high} is", 0.0, tolerance=_ROUNDED)
    # The mean is nowhere farther from the median than a standard deviation (Hotelling and Solomons, 1932).
    apart = abs(told.get("mean", 0.0) - told.get("median", told.get("mean", 0.0)))
    if 0 < 2 * told.get("deviation", 0.0) < apart:
        from_ = f"its median is {number(told['median'])} and its deviation"
        yield Twice(f"the mean of {what}", told["mean"], told["deviation"], from_, 0.0, tolerance=0.0)
    # Nor is a deviation more than that of two values at the ends.
    reach = told.get("max", 0.0) - told.get("min", 0.0)
    if {"min", "max", "deviation"} <= told.keys() and reach > 0:
        slack = reach / 2**0.5 + _ROUNDED * told["max"]
        if told["deviation"] > slack:
            yield Twice(
                f"the deviation of {what}",
                told["deviation"],
                slack,
                "from its least to its most allows",
                0.0,
                tolerance=0.0,
            )


def _processor_time(rows: Rows) -> Iterator[Incident]:
    """W: one row has next to no processor time in its time, and the others have much."""
    places = [[at for at, name in enumerate(rows.names) if each.match(name.strip())] for each in (_USER, _SYSTEM)]
    if any(len(found) != 1 or rows.value in found for found in places):
        return
    shares = {
        row: (user + system) / value
        for row, value in enumerate(rows.values)
        if value > 0
        and (user := rows.number(row, places[0][0])) is not None
        and (system := rows.number(row, places[1][0])) is not None
    }
    usual = median(shares.values()) if len(shares) > _FEWEST_OTHERS else 0.0
    for row, share in shares.items():
        if share < min(_LITTLE_CPU, _OF_OTHERS * usual):
            yield Incident(
                Severity.WARNING,
                f"{rows.of(row)} took {number(rows.values[row])} and had {number(share * rows.values[row])} of "
                f"processor time; in the middle the rows had {number(usual)} times their time",
                "another process did its work, or nobody did: the time is not that of the same work",
                "unequal-work",
            )
            return
