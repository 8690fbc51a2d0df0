"""Quantiles, maxima and ratios of too few observations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import by_table, gather, ids, sides, unknown
from sectax.audit.checks.interface import Remark, check, remark
from sectax.audit.checks.words import counted, named, tables_subject
from sectax.audit.form import SPEEDS, VALUES, Claim, Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity

# With this many the maximum is above the 95 % quantile with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_NEEDS = 59
WORST_EXCEEDS = 0.95
MEDIAN_NEEDS = 6
# In a sectax run the worst of so many in a block is above the 95 % quantile every second time: 0.95^14 < 0.5.
WORST_OF_A_BLOCK_NEEDS = 14
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


def _exceeded(count: float) -> str:
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
    "W: too few for some statistics, where the statistic is not reported; a single value; in a sectax run, too few for "
    "a tail (20 blocks too), or for a block's worst (14)",
    sees=lambda evidence: _tails(evidence) if evidence.is_run else [series for series, _ in _relevant(evidence)],
    runs=True,
)
def unsupported_quantile(evidence: Evidence) -> Iterator[Remark]:
    if evidence.is_run:
        for table in by_table(_tails(evidence)):
            yield from _of_blocks(table)
        return
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
        meaning = _exceeded(count) if least == WORST_NEEDS else f"a {statistic} needs at least {least:,} values"
        yield _about(Severity.FATAL, group, f"the {statistic} of {count:,} values: {_names(group)}", meaning)


def _names(pairs: list[Pair]) -> str:
    return named(claim.id for _, claim in pairs)


def _about(severity: Severity, pairs: list[Pair], saw: str, meaning: str) -> Remark:
    figures = tuple(dict.fromkeys(claim.id for _, claim in pairs))
    return remark(severity, tables_subject(series.table for series, _ in pairs), saw, meaning, MORE, figures)


def _tails(evidence: Evidence) -> list[Series]:
    """Return the tails of times in a sectax run; centers have an interval over the blocks."""
    times = [series for series in evidence.series if series.quantity in SPEEDS and series.statistic != "least"]
    return [series for series in times if series.samples or (series.statistic == "maximum" and series.values)]


def _of_blocks(table: list[Series]) -> Iterator[Remark]:
    """Yield one remark per metric of a sectax run, about the treatment with the least data."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    statistic = table[0].statistic
    least = needed(statistic) or WORST_OF_A_BLOCK_NEEDS
    known = {series: _effective_count(series) for series in table}
    few = sorted((series for series in table if known[series] < least), key=known.__getitem__)
    # Slow calls may be limited to some blocks that were not drawn yet.
    blocks = {series: len(series.samples) for series in table if statistic not in ("maximum", "worst")}
    short = sorted((series for series in blocks if blocks[series] < BLOCKS_OF_A_TAIL), key=blocks.__getitem__)
    if few:
        saw, meaning = _few_in_words(few[0], known[few[0]])
        saw = f"{saw}: needs {least}"
    elif short:
        saw = f"{statistic} of {blocks[short[0]]} blocks: needs {BLOCKS_OF_A_TAIL}"
        meaning = "it has no interval: slow calls that occur in few blocks may be missing"
    if figures := tuple(series.id for series in few or short):
        # An absolute figure shows its limits itself, so a note is enough.
        severity = Severity.WARNING if table[0].compared else Severity.NOTE
        saw = f"{saw} ({named(figures, 1)})"
        yield remark(
            severity, table[0].table, saw, meaning, "use more blocks (--blocks, or a longer --budget)", figures
        )


def _few_in_words(series: Series, known: float) -> tuple[str, str]:
    """Return the finding and its meaning."""
    if series.statistic == "maximum":
        slower = 100 * (1 - 0.5 ** (1 / max(known, 1)))
        saw = f"the worst of {known:.0f} in a block, median over the blocks"
        return saw, f"about {slower:.0f} % of all calls are slower than the figure"
    count = sum(map(len, series.samples))
    worth = f", equivalent to {math.floor(known)} independent ones" if known < count else ""
    meaning = "it has no finite 95 % interval: too few observations"
    return f"{series.statistic} of {count}{worth}", _exceeded(max(known, 1)) if series.statistic == "worst" else meaning


def _effective_count(series: Series) -> float:
    """Effective independent observations of a tail, or of a block's maximum."""
    from sectax.stats.quantiles import pooled_quantile

    if series.statistic == "maximum":
        return float((series.count or 0) // len(series.blocks))
    return pooled_quantile(series.samples, quantile_share(series.statistic) or WORST_EXCEEDS).effective
