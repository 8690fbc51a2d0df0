"""Where the time of an operation goes, and where a cost sits: differences, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sectax.model.advice import Anatomy, AnatomyPart, Placed
from sectax.model.advice_rules import OwnParts, Places, Stages, Steps
from sectax.model.analysed import Analysed
from sectax.model.finding import MEAN, Estimate, VerdictId, alike, is_decided
from sectax.model.measured import Measured
from sectax.model.treatment import MEASURED, Role, Treatment
from sectax.stats.student import mean_interval


def over_blocks(values: Sequence[float], level: float, unit: str) -> Estimate:
    """The mean of one value per block, with Student's t interval over them."""
    interval = mean_interval(values, level)
    return Estimate(interval.point, interval.low, interval.high, level, MEAN, interval.count, unit)


def anatomies(measured: Measured, metric: str, stages: Stages) -> Iterator[Anatomy]:
    """The parts of every treatment that is no stage, wherever a stage was measured that differs in nothing else.

    Args:
        metric: in seconds.
    """
    for members in alike(measured.plan.treatments, stages.factor).values():
        for level, member in members.items():
            if level in dict(stages.levels):
                continue
            if stages.steps is not None and level == stages.steps.level:
                parts = tuple(_steps(measured, metric, stages, stages.steps, member))
            else:
                parts = tuple(_differences(measured, metric, stages, members, member))
            if parts:
                yield Anatomy(member.cell, member.id, parts)


def own_anatomies(measured: Measured, metric: str, own: OwnParts) -> Iterator[Anatomy]:
    """The parts of every treatment that times some of them itself, and what is in none.

    Args:
        metric: of the whole, in seconds.
    """
    for treatment in measured.plan.treatments:
        if treatment.role not in MEASURED:
            continue
        whole = _column(measured, metric, treatment)
        columns = _known_columns(measured, own.parts, treatment)
        blocks = [block for block in _common(measured, [whole]) if all(block in column for column in columns.values())]
        if columns and blocks:
            parts = _timed(measured, columns, own.rest, {block: whole[block] for block in blocks}, whole)
            yield Anatomy(treatment.cell, treatment.id, tuple(parts))


def _chain(stages: Stages, members: dict[str, Treatment], whole: Treatment) -> Iterator[tuple[Treatment, str]]:
    """The stages that this run has, and the whole; what an absent one would have shown apart is said of the next."""
    steps: list[str] = []
    for level, words in stages.levels:
        steps.append(words)
        if level in members:
            yield members[level], ", ".join(steps)
            steps = []
    yield whole, ", ".join([*steps, stages.rest])


_Column = Mapping[int, float]  # by block


def _differences(
    measured: Measured, metric: str, stages: Stages, members: dict[str, Treatment], whole: Treatment
) -> Iterator[AnatomyPart]:
    """What every stage takes beyond the one before; nothing where there is no stage to compare with."""
    chain = list(_chain(stages, members, whole))
    columns = [_column(measured, metric, treatment) for treatment, _ in chain]
    blocks = _common(measured, columns)
    if len(chain) == 1 or not blocks:
        return
    before = [dict.fromkeys(blocks, 0.0), *columns]
    for (_, words), column, less in zip(chain, columns, before, strict=False):
        yield _part(measured, words, {block: column[block] - less[block] for block in blocks}, columns[-1])


def placed(analysed: Analysed, places: Places) -> Iterator[Placed]:
    """Every treatment with the metrics that it and its baseline have in common blocks.

    Of a metric that is compared the figure is that of its finding, and decided where that is. Elsewhere it is decided
    where the interval says which of the two has more, or that both have the same. Where all its findings are withdrawn,
    it has no figures.
    """
    measured = analysed.measured
    findings = {(finding.comparison.treatment, finding.comparison.metric): finding for finding in analysed.findings}
    plan, level = measured.plan, 1 - measured.plan.stopping.alpha
    units = {metric.name: metric.unit for metric in plan.metrics}
    for treatment in plan.treatments:
        if treatment.role is not Role.TREATMENT:
            continue
        verdicts = {finding.verdict for finding in analysed.findings if finding.comparison.treatment == treatment.id}
        if verdicts - {VerdictId.NOT_MEASURED} == {VerdictId.WITHDRAWN}:
            yield Placed(treatment.cell, treatment.id, ())
            continue
        parts: list[tuple[str, Estimate | None]] = []
        for metric, words in places.metrics:
            finding = findings.get((treatment.id, metric))
            if finding is not None:
                if finding.effect is not None:
                    parts.append((words, finding.effect.absolute if is_decided(finding) else None))
                continue
            columns = measured.values.get(metric, {})
            own, base = columns.get(treatment.id, {}), columns.get(plan.cell(treatment.cell).baseline, {})
            more = [own[block] - base[block] for block in measured.blocks if block in own and block in base]
            if more:
                estimate = over_blocks(more, level, units[metric])
                parts.append(
                    (words, estimate if _excludes_zero(estimate) or estimate.low == estimate.high == 0 else None)
                )
        if parts:
            yield Placed(treatment.cell, treatment.id, tuple(parts))


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and (estimate.low > 0 or estimate.high < 0)


def _steps(
    measured: Measured, metric: str, stages: Stages, steps: Steps, treatment: Treatment
) -> Iterator[AnatomyPart]:
    """A treatment's own steps, before them what is in none of it, and after them what no step holds."""
    column, whole = (_column(measured, name, treatment) for name in (metric, steps.whole))
    columns = _known_columns(measured, steps.parts, treatment)
    blocks = _common(measured, [column, whole, *columns.values()])
    if not columns or not blocks:
        return
    _, before = stages.levels[0]
    yield _part(measured, before, {block: column[block] - whole[block] for block in blocks}, column)
    yield from _timed(measured, columns, steps.rest, {block: whole[block] for block in blocks}, column)


def _timed(
    measured: Measured, columns: Mapping[str, _Column], rest: str, whole: _Column, operation: _Column
) -> Iterator[AnatomyPart]:
    """What is known of parts of a whole, and the rest of it, as shares of what it is a part of."""
    for words, column in columns.items():
        yield _part(measured, words, {block: column[block] for block in whole}, operation)
    left = {block: seconds - sum(column[block] for column in columns.values()) for block, seconds in whole.items()}
    yield _part(measured, rest, left, operation)


def _known_columns(measured: Measured, parts: tuple[tuple[str, str], ...], treatment: Treatment) -> dict[str, _Column]:
    columns = {words: _column(measured, metric, treatment) for metric, words in parts}
    return {words: column for words, column in columns.items() if column}


def _column(measured: Measured, metric: str, treatment: Treatment) -> _Column:
    return measured.values.get(metric, {}).get(treatment.id, {})


def _common(measured: Measured, columns: Sequence[_Column]) -> list[int]:
    """The blocks in which all of them were measured."""
    return [block for block in measured.blocks if all(column.get(block, 0.0) > 0 for column in columns)]


def _part(measured: Measured, words: str, seconds: _Column, whole: _Column) -> AnatomyPart:
    level = 1 - measured.plan.stopping.alpha
    shares = [value / whole[block] for block, value in seconds.items()]
    return AnatomyPart(words, over_blocks(list(seconds.values()), level, "s"), over_blocks(shares, level, "share"))
