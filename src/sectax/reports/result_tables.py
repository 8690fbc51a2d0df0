"""The result tables of a run, one for each cell and metric."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from sectax.model.analysed import Analysed
from sectax.model.finding import FASTER, NO_CLAIM, SLOWER, WITHIN_MARGIN, Finding, Severity, TreatmentResult, VerdictId
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.treatment import Cell, Comparison, Role, Standing
from sectax.reports.document import Column, EffectInterval, Row, Table, Tone, grid, result_table
from sectax.reports.reasons import NO_PAIR, no_interval
from sectax.reports.words import names
from sectax.text import claims, units
from sectax.text.printable import printable

SECONDARY_MARK = "†"
# Extra metrics of `plan.beside` are shown by default up to this many comparisons.
_BESIDE_UP_TO = 4
# A decided treatment leaves the later blocks, but its baseline stays.
SHARED_BLOCKS = "Figures use all blocks of their treatment; comparisons use the blocks that both have."
# Marks a row with a warning that is given below the table.
WARNED_MARK = "!"


def visible(analysed: Analysed, *, show_all: bool) -> frozenset[str]:
    """The ids of the comparisons shown: by default the primary ones, if any."""
    comparisons = [finding.comparison for finding in analysed.findings]
    primary = {comparison.treatment for comparison in comparisons if comparison.standing is Standing.PRIMARY}
    if show_all or not primary:
        return frozenset(comparison.id for comparison in comparisons)
    wanted = analysed.measured.plan.beside
    beside = wanted if len(primary) * (1 + len(wanted)) <= _BESIDE_UP_TO else ()
    return frozenset(
        comparison.id
        for comparison in comparisons
        if comparison.standing is Standing.PRIMARY or (comparison.metric in beside and comparison.treatment in primary)
    )


def footnotes(analysed: Analysed, shown: frozenset[str]) -> tuple[str, ...]:
    """Footnotes on secondary comparisons and on differing numbers of blocks."""
    findings = [finding for finding in analysed.findings if finding.comparison.id in shown]
    secondary = [finding.comparison for finding in findings if finding.comparison.standing is Standing.SECONDARY]
    chance = units.margin(float(f"{max((comparison.alpha for comparison in secondary), default=0.0):.2g}"))
    suffix = " each" if len(secondary) > 1 else ""
    marks = (f"{SECONDARY_MARK} secondary: {chance} chance of error{suffix}",) if secondary else ()
    blocks = {result.treatment: result.blocks for result in analysed.treatments}
    blocks_differ = any(
        finding.effect is not None
        and finding.effect.blocks + finding.effect.blocks_lost < blocks[finding.comparison.baseline]
        for finding in findings
    )
    return (*marks, *((SHARED_BLOCKS,) if blocks_differ else ()))


def result_tables(analysed: Analysed, visible: frozenset[str]) -> Iterator[Table]:
    """A table for each metric and cell of the `visible` comparisons."""
    plan = analysed.measured.plan
    by_pair = {(finding.comparison.treatment, finding.comparison.metric): finding for finding in analysed.findings}
    results = {result.treatment: result for result in analysed.treatments}
    all_shown = all(finding.comparison.id in visible for finding in analysed.findings)
    for metric in plan.metrics:
        constant = _constant(plan, metric, results) if all_shown and not metric.compared else None
        if constant is not None:
            yield constant
            continue
        for cell in plan.cells:
            members = [
                treatment.id
                for treatment in plan.treatments
                if treatment.cell == cell.id and treatment.role is Role.TREATMENT
            ]
            findings = {member: by_pair[member, metric.name] for member in members if (member, metric.name) in by_pair}
            shown = {name: finding for name, finding in findings.items() if finding.comparison.id in visible}
            if shown:
                yield _compared(plan, cell, metric, shown, results)
            if not metric.compared and all_shown:
                yield from _uncompared(plan, cell, metric, [results[name] for name in (cell.baseline, *members)])


def answers(analysed: Analysed, shown: frozenset[str]) -> Table:
    """One table with a line for each comparison shown."""
    plan = analysed.measured.plan
    metrics = [metric.name for metric in plan.metrics]
    cells = [cell.id for cell in plan.cells]

    def place(finding: Finding) -> tuple[int, int]:
        return metrics.index(finding.comparison.metric), cells.index(finding.comparison.cell)

    findings = sorted((finding for finding in analysed.findings if finding.comparison.id in shown), key=place)
    own = {names.metric(plan, finding.comparison.metric) for finding in findings}
    baselines = {names.treatment(plan, finding.comparison.baseline) for finding in findings}
    rows = []
    for _, group in groupby(findings, place):
        for number, finding in enumerate(group):
            compared = finding.comparison
            metric = plan.metric(compared.metric)
            where = [names.cell(plan, compared.cell), names.metric(plan, metric.name) if len(own) > 1 else ""]
            marks = [SECONDARY_MARK] if compared.standing is Standing.SECONDARY else []
            marks += [WARNED_MARK] if _warning_checks(finding) else []
            texts = (
                "" if number else ": ".join(filter(None, where)),
                "" if number else _value(analysed, compared, compared.baseline, metric),
                " ".join([names.treatment(plan, compared.treatment), *marks]),
                _value(analysed, compared, compared.treatment, metric),
                _in_short(finding, metric, analysed),
            )
            rows.append(Row(texts, tone(finding), drawn_interval(finding)))
    columns = (
        Column(own.pop() if len(own) == 1 else ""),
        Column(baselines.pop() if len(baselines) == 1 else "baseline", right=True),
        Column(printable(plan.control)),
        Column("", right=True),
        Column(""),
    )
    return Table("", columns, tuple(rows), plan.stopping.margin)


def _in_short(finding: Finding, metric: Metric, analysed: Analysed) -> str:
    """A finding in its row: its interval, or why there is none."""
    words, effect = claims.in_short(finding, metric), finding.effect
    if finding.verdict is VerdictId.NOT_MEASURED:
        results = {result.treatment: result for result in analysed.treatments}
        return f"{words}: {_why_not_measured(finding.comparison, results)}"
    if effect is None or finding.verdict not in SLOWER or not claims.is_meaningless_ratio(effect):
        return words
    added = effect.absolute
    return f"{words}: {units.more(added)}" if added is not None and added.unit == "s" else words


def _why_not_measured(compared: Comparison, results: dict[str, TreatmentResult]) -> str:
    for arm, whose in ((compared.treatment, ""), (compared.baseline, "the baseline: ")):
        if arm in results and results[arm].reason:
            return f"{whose}{printable(results[arm].reason)}"
    return NO_PAIR


def _value(analysed: Analysed, compared: Comparison, treatment: str, metric: Metric) -> str:
    """The figure of a treatment, in the unit of its baseline if that is suitable."""
    estimates = {result.treatment: result.estimates.get(metric.name) for result in analysed.treatments}
    match, baseline = estimates.get(treatment), estimates.get(compared.baseline)
    if match is None:
        return "–"
    column = units.scale(metric.unit, (baseline.point if baseline else match.point,))
    if not 0.1 <= match.point / column.size < 10_000:
        column = units.scale(metric.unit, (match.point,))
    width = None if match.low is None or match.high is None else (match.high - match.low) / column.size
    return f"{units.number(match.point / column.size, width)} {printable(column.unit)}".replace(" operations/", "/")


def tone(finding: Finding) -> Tone:
    if finding.verdict in WITHIN_MARGIN:
        return Tone.EVEN
    if finding.verdict in NO_CLAIM:
        return Tone.VOID
    directed = {VerdictId.SLOWER_MATERIAL: Tone.WORSE, VerdictId.FASTER_MATERIAL: Tone.BETTER}
    return directed.get(finding.verdict, Tone.OPEN)


def _constant(plan: Plan, metric: Metric, results: dict[str, TreatmentResult]) -> Table | None:
    """One line for a metric that is the same in all treatments; None if it is not."""
    estimates = [result.estimates[metric.name] for result in results.values() if metric.name in result.estimates]
    if len({(it.low, it.point, it.high) for it in estimates}) != 1 or estimates[0].low != estimates[0].high:
        return None
    column = units.scale(metric.unit, (estimates[0].point,))
    value = f"{units.estimate(estimates[0], column)} {printable(column.unit)}"
    return grid("", (names.metric(plan, metric.name), ""), [("in all treatments", value)])


def _uncompared(plan: Plan, cell: Cell, metric: Metric, members: list[TreatmentResult]) -> Iterator[Table]:
    """The treatments of a cell in a metric that is not compared; empty if none has it."""
    estimates = {
        member.treatment: member.estimates[metric.name] for member in members if metric.name in member.estimates
    }
    if not estimates:
        return
    column = units.scale(metric.unit, (estimate.point for estimate in estimates.values()))
    rows = [
        Row((names.treatment(plan, treatment), units.estimate(estimate, column), "", "", no_interval(estimate)))
        for treatment, estimate in estimates.items()
    ]
    yield result_table(_title(plan, cell, metric), (printable(plan.control), printable(column.unit), "", ""), rows)


def _compared(
    plan: Plan, cell: Cell, metric: Metric, findings: dict[str, Finding], results: dict[str, TreatmentResult]
) -> Table:
    estimates = {
        treatment: results[treatment].estimates[metric.name]
        for treatment in (cell.baseline, *findings)
        if treatment in results and metric.name in results[treatment].estimates
    }
    column = units.scale(metric.unit, (estimate.point for estimate in estimates.values()))
    values = {treatment: units.estimate(estimate, column) for treatment, estimate in estimates.items()}
    absolutes = [finding.effect.absolute for finding in findings.values() if finding.effect and finding.effect.absolute]
    differences = units.scale(absolutes[0].unit if absolutes else "", (absolute.point for absolute in absolutes))
    baseline = names.treatment(plan, cell.baseline)
    rows = [Row((baseline, values.get(cell.baseline, "–"), "baseline", "", ""))]
    for member, finding in findings.items():
        void = finding.verdict in NO_CLAIM
        mark = f" {SECONDARY_MARK}" if finding.comparison.standing is Standing.SECONDARY else ""
        cells = (
            names.treatment(plan, member) + mark,
            values.get(member, "–"),
            "–" if void or finding.effect is None else claims.effect(finding.effect, metric),
            "" if void else _difference(finding, differences),
            _verdict(finding, metric, results),
        )
        rows.append(Row(cells, tone(finding), drawn_interval(finding)))
    heads = (
        printable(plan.control),
        printable(column.unit),
        f"against {baseline}",
        f"difference, {printable(differences.unit)}",
    )
    return result_table(_title(plan, cell, metric), heads, rows, plan.stopping.margin)


def drawn_interval(finding: Finding) -> EffectInterval | None:
    """The interval of an effect to draw; None without a claim or a finite interval."""
    effect = finding.effect
    if (
        effect is None
        or finding.verdict in NO_CLAIM
        or max(abs(effect.low), abs(effect.high)) >= units.LARGEST_LOG_RATIO
    ):
        return None
    return EffectInterval(
        math.exp(effect.low), math.exp(effect.log_ratio), math.exp(effect.high), claims.interval(effect)
    )


def _verdict(finding: Finding, metric: Metric, results: dict[str, TreatmentResult]) -> str:
    words = claims.answer(finding, metric)
    if finding.verdict is VerdictId.NOT_MEASURED:
        words += f": {_why_not_measured(finding.comparison, results)}"
    noted = ", ".join(_warning_checks(finding))
    return f"{words} (see {printable(noted)})" if noted else words


def _warning_checks(finding: Finding) -> dict[str, None]:
    """The checks that warn of this finding itself, not of its run or family."""
    own = {finding.comparison.id, finding.comparison.treatment, finding.comparison.baseline}
    noted = (
        warning.check for warning in finding.warnings if warning.severity is Severity.WARNING and warning.subject in own
    )
    return dict.fromkeys(noted)


def _title(plan: Plan, cell: Cell, metric: Metric) -> str:
    parts = [names.cell(plan, cell.id)]
    if len(plan.metrics) > 1:
        parts.append(names.metric(plan, metric.name))
    return ": ".join(part for part in parts if part)


def _difference(finding: Finding, column: units.UnitScale) -> str:
    effect = finding.effect
    absolute = effect.absolute if effect is not None else None
    if effect is None or absolute is None or finding.verdict not in SLOWER | FASTER:
        return ""
    point = absolute.point / column.size
    if absolute.low is None or absolute.high is None:
        return units.signed(units.roughly(point))
    return units.signed(units.number(point, (absolute.high - absolute.low) / column.size))
