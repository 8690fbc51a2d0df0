"""A quantile, a worst case or a ratio that so few observations cannot carry."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sectax.audit.check import Check, Remark
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import SPEEDS, about, by_table, gather, sides, trials_of, unknown
from sectax.audit.words import first_of, ids, named, plural
from sectax.model.finding import Severity
from sectax.model.metric import Metric

# With so many the maximum lies above the 95 % quantile with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_NEEDS, WORST_EXCEEDS = 59, 0.95
# Statistics that have an interval as soon as there are two values. A minimum is taken for what it is.
_CENTRES = frozenset({"mean", "total", "rate", "one", "min"})
# Of so many the worst lies above the 95 % quantile every second time: 0.95^14 < 0.5.
WORST_OF_A_BLOCK_NEEDS = 14
MORE_TRIALS = "more trials, or take the figure as a single observation"
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.printed
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


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _sees(evidence)
    uncounted = [figure for figure in seen if _count(figure) is None]
    for what, group in (
        ("how many trials are behind it is not reported", [one for one in uncounted if one.quantity in SPEEDS]),
        (
            "how many fresh instances are behind it is not reported",
            [one for one in uncounted if one.quantity not in SPEEDS],
        ),
    ):
        yield from unknown(group, what)
    counted = [figure for figure in seen if _count(figure) is not None]
    yield from _single([figure for figure in counted if _count(figure) == 1], frozenset(ids(_compared(evidence))))
    # That nothing was counted is another check's word.
    several = [figure for figure in counted if (_count(figure) or 0) > 1]
    for group in gather(several, lambda figure: (figure.statistic, _count(figure), _has_values(figure))):
        yield from _group(group, group[0].statistic, _count(group[0]) or 0)
    for table in by_table(_tails(evidence)):
        yield from _in_runs(table, evidence.metrics[table[0].metric])


def _tails(evidence: Evidence) -> list[Figure]:
    """Of a run of ours: what tells of its slow operations. A centre has an interval over the values of blocks."""
    return [
        figure
        for figure in evidence.figures
        if figure.treatment
        and figure.quantity in SPEEDS
        and (figure.samples or (figure.statistic == "max" and figure.values))
    ]


def _in_runs(table: list[Figure], metric: Metric) -> Iterator[Remark]:
    """One warning for a metric, about the treatment of which the least is known."""
    # A figure that stands by itself says beside it what it lacks.
    severity, tail = Severity.WARNING if metric.compared else Severity.NOTE, metric.summary.tail
    if tail == 0:
        return  # the lowest that was seen claims nothing of what was not
    least = WORST_OF_A_BLOCK_NEEDS if tail is None else needed(table[0].statistic or "") or 0
    known = {figure.id: _known(figure, tail) for figure in table}
    few = sorted((figure for figure in table if known[figure.id] < least), key=lambda figure: known[figure.id])
    if few:
        saw, meaning = _words(few[0], tail, known[few[0].id])
        saw = f"{saw}: needs {least} ({first_of(few)})"
        yield Remark(severity, metric.name, saw, meaning, "more blocks, or more rounds in each")
    elif tail not in (None, 1):
        yield from _too_few_blocks(table, severity)


def _too_few_blocks(table: list[Figure], severity: Severity) -> Iterator[Remark]:
    """Slow calls that sit in some blocks are not seen before such a block has come up."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    short = [figure for figure in table if len(figure.samples) < BLOCKS_OF_A_TAIL]
    if short:
        short.sort(key=lambda figure: len(figure.samples))
        yield Remark(
            severity,
            short[0].metric,
            f"{short[0].statistic} of {len(short[0].samples)} blocks: needs {BLOCKS_OF_A_TAIL} ({first_of(short)})",
            "it has no interval: slow calls that sit in some blocks may not have come up yet",
            "more blocks",
        )


def _words(figure: Figure, tail: float | None, known: float) -> tuple[str, str]:
    """What was seen, and what it means."""
    if tail is None:
        return (
            f"the worst of {known:.0f} in a block, in the middle over the blocks",
            f"about {100 * (1 - 0.5 ** (1 / max(known, 1))):.0f} % of all calls are slower than the figure",
        )
    count = sum(map(len, figure.samples))
    worth = f", which count as {math.floor(known)} independent ones" if known < count else ""
    if tail == 1:
        meaning = (
            f"at 95 % confidence it is known to exceed only {100 * 0.05 ** (1 / max(known, 1)):.0f} % of all calls"
        )
    else:
        meaning = "it has no finite 95 % interval: the figure is what these few happened to show"
    return f"{figure.statistic} of {count}{worth}", meaning


def _known(figure: Figure, tail: float | None) -> float:
    """Of how many observations a block's worst is, or as how many independent ones those of all blocks count."""
    from sectax.stats.quantiles import pooled_quantile

    if tail is None:
        return float((figure.trials or 0) // len(figure.blocks))
    return pooled_quantile(figure.samples, WORST_EXCEEDS if tail == 1 else tail).effective


def _compared(evidence: Evidence) -> Iterator[Figure]:
    """Figures from which a ratio is drawn: of a source that says what its baseline is."""
    if evidence.contrast is not None and evidence.contrast.told:
        for group in sides(evidence):
            yield from group


def _has_values(figure: Figure) -> bool:
    """Whether the single values are told and no summary of them, so that any statistic may be had."""
    return figure.value is None and len(figure.values) > 0


def _group(group: list[Figure], statistic: str | None, count: int) -> Iterator[Remark]:
    """Figures of the same statistic of as many observations, of which there are two or more."""
    if statistic is not None:
        yield from _stated_too(group, statistic, count)
        least = needed(statistic)
        if least is not None and count < least:
            yield about(
                Severity.FATAL,
                group,
                f"the {statistic} of {count} values{_origin(group, count)}, in {named(group)}",
                f"at 95 % confidence it is known to exceed only {100 * 0.05 ** (1 / count):.0f} % of all calls"
                if least == WORST_NEEDS
                else f"it has no finite 95 % interval: that needs {least} values",
                MORE_TRIALS,
            )
        return
    beyond = [name for name in ("median", "p90", "p99", "max") if count < (needed(name) or 0)]
    if _has_values(group[0]):
        if "median" in beyond:
            yield about(
                Severity.WARNING,
                group,
                f"{count} values{_origin(group, count)} are behind each of {named(group)}",
                f"so few carry no median ({needed('median')} are needed), nor any other quantile",
                MORE_TRIALS,
            )
    elif beyond:
        yield about(
            Severity.WARNING,
            group,
            f"which statistic of {count} values it is, and how far they lie apart, is not reported for {named(group)}",
            f"{count} values carry no {_or(beyond)} ({', '.join(f'{name}: {needed(name)}' for name in beyond)} are "
            "needed), and without their spread no interval of any statistic",
            MORE_TRIALS,
        )


def _stated_too(group: list[Figure], statistic: str, count: int) -> Iterator[Remark]:
    """Quantiles that stand beside the figure's own statistic."""
    beyond = [each for each in ("median", "max") if each != statistic and count < (needed(each) or 0)]
    stating = [figure for figure in group if any(each in figure.stated for each in beyond)]
    if stating and "median" in beyond:
        yield about(
            Severity.WARNING,
            stating,
            f"{count} values{_origin(stating, count)} are behind each of {named(stating)}, whose median is given too",
            f"so few carry no median ({needed('median')} are needed)",
            MORE_TRIALS,
        )


def _single(figures: list[Figure], compared: frozenset[str]) -> Iterator[Remark]:
    """Figures with one value behind each: F where a ratio or a quantile is drawn from it."""
    drawn: list[Figure] = []
    alone: list[Figure] = []
    for one in figures:
        is_drawn_from = one.id in compared or needed(one.statistic or "") is not None
        (drawn if is_drawn_from else alone).append(one)
    if drawn:
        yield about(
            Severity.FATAL,
            drawn,
            f"one value is behind each of {named(drawn)}",
            "one value has no interval, so no ratio and no quantile",
            MORE_TRIALS,
        )
    if alone:
        yield about(
            Severity.WARNING,
            alone,
            f"one run is behind each of {named(alone)}",
            "it stands for that run, and carries no verdict by itself",
            MORE_TRIALS,
        )


def _origin(group: list[Figure], count: int) -> str:
    """From how many processes or hosts the values come, where that is told and they are fewer than the values."""
    told = {(one.circumstances.replicates, one.circumstances.replicate) for one in group}
    replicates, replicate = told.pop()
    if told or replicates is None or replicates >= count:
        return ""
    unit = replicate or "process or host"
    return f" from {'one ' + unit if replicates == 1 else f'{replicates} {plural(unit)}'}"


def _or(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


UNSUPPORTED_QUANTILE = Check(
    id="unsupported-quantile",
    rule="F: fewer observations than a 95 % interval needs (median 6, p90 36, p95 72, p99 368; maximum 59; a ratio 2); "
    "W: too few for some, and which statistic it is is not reported; one run by itself; "
    "in a run of ours, too few for a tail (20 blocks too), or for a block's worst (14)",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(_tails(evidence)),
)
