"""Quantiles, maxima and ratios of too few observations."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import gather, ids, sides, unknown
from sectax.audit.checks.interface import Remark, check, remark
from sectax.audit.checks.words import counted, named, tables_subject
from sectax.audit.form import SPEEDS, VALUES, Claim, Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity

# With this many the maximum is above the 95 % quantile with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_NEEDS = 59
MEDIAN_NEEDS = 6
# Statistics that have an interval from two values on. A minimum claims nothing beyond itself.
_CENTRES = frozenset({"mean", "total", "rate", "one", "min"})
MORE = "run more trials, or report it as a single observation"
Pair = tuple[Series, Claim]


def needed(statistic: str | None) -> int | None:
    """Observations that a 95 % interval needs; None if not a quantile."""
    from sectax.stats.quantiles import observations_needed

    if statistic in ("max", "worst"):
        return WORST_NEEDS
    share = quantile_share(statistic)
    return observations_needed(share) if share and share < 1 else None


def exceeded(count: float) -> str:
    """What a maximum of so many observations claims."""
    return f"at 95 % confidence their largest exceeds only {100 * 0.05 ** (1 / count):.0f} % of all calls"


def _relevant(evidence: Evidence) -> list[Pair]:
    return [
        (series, claim)
        for series in evidence.series
        if series.quantity in SPEEDS | {Quantity.MEMORY}
        for claim in series.figures
        if claim.statistic in (None, VALUES) or claim.statistic in _CENTRES or needed(claim.statistic) is not None
    ]


def _count(series: Series) -> int | None:
    """Independent observations; calls of one instance share its peak memory."""
    return series.work.replicates if series.quantity is Quantity.MEMORY else series.trials


@check(
    "F: fewer observations than a 95 % interval needs (median 6, p90 36, p95 72, p99 368; maximum 59; a ratio 2); "
    "W: too few for some statistics, where the statistic is not reported; a single value",
    sees=lambda evidence: [series for series, _ in _relevant(evidence)],
)
def unsupported_quantile(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    uncounted = [series for series in dict.fromkeys(series for series, _ in relevant) if _count(series) is None]
    speeds = [series for series in uncounted if series.quantity in SPEEDS]
    yield from unknown(speeds, "the number of trials is not reported")
    memory = [series for series in uncounted if series.quantity not in SPEEDS]
    yield from unknown(memory, "the number of new instances is not reported")
    with_count = [(series, claim) for series, claim in relevant if _count(series) is not None]
    compares = evidence.contrast is not None and evidence.contrast.reported
    compared = set(ids(series for group in sides(evidence) for series in group)) if compares else set()
    yield from _single([(series, claim) for series, claim in with_count if _count(series) == 1], compared)
    several = [(series, claim) for series, claim in with_count if (_count(series) or 0) > 1]
    for group in gather(several, lambda pair: (pair[1].statistic, _count(pair[0]))):
        yield from _group(group, group[0][1].statistic, _count(group[0][0]) or 0)


def _single(pairs: list[Pair], compared: set[str]) -> Iterator[Remark]:
    """Report claims of one value: F where it supports a ratio or a quantile."""
    supporting = [pair for pair in pairs if pair[1].id in compared or needed(pair[1].statistic) is not None]
    alone = [pair for pair in pairs if pair not in supporting]
    if supporting:
        saw = f"only one value of {_names(supporting)}"
        yield _about(Severity.FATAL, supporting, saw, "one value has no interval, so it supports no ratio or quantile")
    if alone:
        saw = f"only one value of {_names(alone)}"
        yield _about(Severity.WARNING, alone, saw, "one value by itself supports no conclusion")


def _group(group: list[Pair], statistic: str | None, count: int) -> Iterator[Remark]:
    """Report claims of one statistic with the same number of observations."""
    if statistic == VALUES:
        if count < MEDIAN_NEEDS:
            run_step = "each of " if len(group) > 1 else ""
            saw = f"only {counted(count, 'value')} of {run_step}{_names(group)}"
            yield _about(Severity.WARNING, group, saw, f"a median needs at least {MEDIAN_NEEDS} values")
        return
    if statistic is None:
        beyond = [name for name in ("median", "p90", "p99", "max") if count < (needed(name) or 0)]
        if beyond:
            saw = f"the statistic of {count:,} values is not reported ({_names(group)})"
            needs = ", ".join(f"{name}: {needed(name)}" for name in beyond)
            yield _about(
                Severity.WARNING, group, saw, f"{count:,} values support no {' or '.join(beyond)} (needed: {needs})"
            )
        return
    least = needed(statistic)
    if least is not None and count < least:
        meaning = exceeded(count) if least == WORST_NEEDS else f"a {statistic} needs at least {least:,} values"
        yield _about(Severity.FATAL, group, f"the {statistic} of {count:,} values: {_names(group)}", meaning)


def _names(pairs: list[Pair]) -> str:
    return named(claim.id for _, claim in pairs)


def _about(severity: Severity, pairs: list[Pair], saw: str, meaning: str) -> Remark:
    figures = tuple(dict.fromkeys(claim.id for _, claim in pairs))
    return remark(severity, tables_subject(series.table for series, _ in pairs), saw, meaning, MORE, figures)
