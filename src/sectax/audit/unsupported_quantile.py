"""A quantile, a worst case or a ratio that so few observations cannot carry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import SPEEDS, gather, ids, named, subject, trials_of, untold
from sectax.model.finding import Severity, Warning

# With so many the maximum lies above the 95 % quantile with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_NEEDS = 59
# Statistics that have an interval as soon as there are two values. A minimum is taken for what it is.
_CENTRES = frozenset({"mean", "total", "rate", "one", "min"})
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.figures
        if figure.quantity in SPEEDS | {Quantity.MEMORY}
        and (figure.statistic is None or figure.statistic in _CENTRES or needed(figure.statistic) is not None)
    ]


def needed(statistic: str) -> int | None:
    """Independent observations that a finite 95 % interval of this statistic needs; None where it is no quantile."""
    from sectax.stats.quantiles import observations_needed

    if statistic in ("max", "worst", "p100"):
        return WORST_NEEDS
    if statistic == "median":
        return observations_needed(0.5)
    percentile = _PERCENTILE.fullmatch(statistic)
    return observations_needed(float(percentile[1]) / 100) if percentile and float(percentile[1]) > 0 else None


def _count(figure: Figure) -> int | None:
    """Independent observations. Calls of one instance share one high-water mark of its memory."""
    return figure.circumstances.replicates if figure.quantity is Quantity.MEMORY else trials_of(figure)


def _examine(evidence: Evidence) -> Iterator[Warning]:
    seen = _sees(evidence)
    uncounted = [figure for figure in seen if _count(figure) is None]
    for what, group in (
        ("how many trials are behind it is not told", [one for one in uncounted if one.quantity in SPEEDS]),
        (
            "how many fresh instances are behind it is not told",
            [one for one in uncounted if one.quantity not in SPEEDS],
        ),
    ):
        yield from untold(UNSUPPORTED_QUANTILE.id, group, what)
    for group in gather(
        (figure for figure in seen if _count(figure) is not None),
        lambda figure: (figure.statistic, _count(figure)),
    ):
        yield from _group(group, group[0].statistic, _count(group[0]) or 0)


def _group(group: list[Figure], statistic: str | None, count: int) -> Iterator[Warning]:
    """Figures of the same statistic of as many observations."""
    if count < 1:
        return  # that nothing was counted is another check's word
    if count == 1:
        yield _warning(
            Severity.FATAL,
            group,
            f"one value is behind each of {named(group)}",
            "one value has no interval, so no ratio",
        )
    elif statistic is None:
        beyond = [name for name in ("median", "p90", "p99", "max") if count < (needed(name) or 0)]
        if beyond:
            yield _warning(
                Severity.WARNING,
                group,
                f"which statistic of {count} values it is, and how far they lie apart, is not told of {named(group)}",
                f"{count} values carry no {_or(beyond)} ({', '.join(f'{name}: {needed(name)}' for name in beyond)} are "
                "needed), and without their spread no interval of any statistic",
            )
    elif (least := needed(statistic)) is not None and count < least:
        yield _warning(
            Severity.FATAL,
            group,
            f"the {statistic} of {count} values, in {named(group)}",
            f"at 95 % confidence it is known to exceed only {100 * 0.05 ** (1 / count):.0f} % of all calls"
            if least == WORST_NEEDS
            else f"it has no finite 95 % interval: that needs {least} values",
        )


def _warning(severity: Severity, group: list[Figure], saw: str, meaning: str) -> Warning:
    advice = "more trials, or take the figure as a single observation"
    return Warning(UNSUPPORTED_QUANTILE.id, severity, subject(group), saw, meaning, advice, ids(group))


def _or(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


UNSUPPORTED_QUANTILE = Check(
    id="unsupported-quantile",
    rule="F: fewer observations than a 95 % interval needs (median 6, p90 36, p95 72, p99 368; maximum 59; a ratio 2); "
    "W: too few for some, and which statistic it is is not told",
    applies=lambda evidence: bool(_sees(evidence)),
    examine=_examine,
    sees=_sees,
)
