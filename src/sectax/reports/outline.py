"""What every readable report says, in which order, as text in small pieces; each format only sets it.

All text in an outline is plain: control characters are escaped, nothing is marked up yet.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.finding import FASTER, SLOWER, Finding, Severity, TreatmentResult, VerdictId, fired_for_sure
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.printable import printable
from sectax.model.treatment import Cell, Role, Standing
from sectax.reports import telemetry, units
from sectax.reports.doubts import Lack, Warned, failed, gather_warnings, skipped
from sectax.reports.reasons import no_interval
from sectax.reports.secondary import footnotes, hidden, visible
from sectax.reports.words import claims, names, summary

# The cost of the empty loop and call is told where it passes this share of an operation.
_EMPTY_TOLD_FROM = 0.01


class Tone(StrEnum):
    """What kind of answer a row holds; a format may colour it, but never says anything by colour alone."""

    WORSE = "worse"
    BETTER = "better"
    EVEN = "even"
    OPEN = "open"
    VOID = "void"
    NONE = "none"


@dataclass(frozen=True)
class Row:
    """One treatment in a table. `effect` and `difference` are empty where there is nothing to say."""

    label: str
    value: str
    effect: str
    difference: str
    verdict: str
    tone: Tone
    secondary: bool = False


@dataclass(frozen=True)
class Group:
    """One table: the treatments of one cell in one metric, the baseline first.

    `against` is empty where nothing is compared.
    """

    title: str
    unit: str
    difference_unit: str
    against: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Outline:
    """The whole report.

    `options` are the experiment's own as they were given; `factor` is the control's, the head of every first column;
    `notes` are lines that belong to no other part; `path` is the run file's. `resume` and `see_all` are commands, empty
    where there is nothing to go on with or to see.
    """

    title: str
    headline: tuple[str, ...]
    resume: str
    options: tuple[str, ...]
    factor: str
    groups: tuple[Group, ...]
    footnotes: tuple[str, ...]
    see_all: str
    controls: tuple[str, ...]
    warnings: tuple[Warned, ...]
    skipped: tuple[Lack, ...]
    failed: tuple[Lack, ...]
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    scope: tuple[str, ...]
    summary: tuple[str, ...]
    path: str


def outline(analysed: Analysed, *, show_all: bool, path: str) -> Outline:
    """Lay out a report.

    Args:
        analysed: the run, judged.
        show_all: secondary comparisons too.
        path: of the run file.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    shown = visible(analysed, show_all=show_all)
    return Outline(
        title=f"{printable(plan.experiment)}, {printable(plan.preset)} preset: {printable(plan.question)}",
        headline=_headline(analysed),
        resume=printable(f"sectax resume {shlex.quote(path)}") if measured.state != "finished" else "",
        options=tuple(printable(f"{name}: {text}") for name, texts in plan.options.items() for text in texts),
        factor=printable(plan.control),
        groups=_groups(analysed, shown),
        footnotes=footnotes(analysed, shown),
        see_all=printable(f"sectax show {shlex.quote(path)} --all") if hidden(analysed, shown) else "",
        controls=tuple(control_line(plan, each) for each in analysed.controls),
        warnings=gather_warnings(analysed),
        skipped=skipped(analysed),
        failed=failed(analysed),
        choices=tuple(printable(choice) for choice in plan.choices),
        notes=(*telemetry.lines(measured), *_empty_loops(analysed), *(printable(note) for note in measured.notes)),
        scope=tuple(printable(text) for text in (analysed.scope, plan.transfers) if text),
        summary=tuple(summary(analysed)),
        path=path,
    )


def control_line(plan: Plan, controls: FamilyControls) -> str:
    """How the run's controls of itself came out, in one line."""
    parts: list[str] = []
    negative, positive = controls.negative, controls.positive
    if negative is None:
        parts.append("no negative control")
    else:
        verdict = negative.withheld or negative.verdict
        if negative.effect is None:
            parts.append("negative control: not measured")
        elif not math.isfinite(negative.effect.high - negative.effect.low):
            parts.append("negative control: no interval yet")
        elif verdict in SLOWER | FASTER or verdict is VerdictId.INVALID:
            seen = claims.interval(negative.effect)
            then = "so no verdict stands" if fired_for_sure(negative.effect) else "so intervals are widened by as much"
            parts.append(f"negative control: fired ({seen} between two equal treatments), {then}")
        else:
            parts.append("negative control: no cost seen")
        if controls.noise_floor is not None:
            parts.append(f"noise floor {units.share(controls.noise_floor)}")
    if positive is None:
        parts.append("no positive control")
    else:
        extra = controls.known_cost
        if extra is None:
            extra = plan.treatment(positive.comparison.treatment).extra or 2 * plan.stopping.margin
        known = f"positive control of +{units.margin(round(extra, 4))}"
        verdict = positive.withheld or positive.verdict
        if positive.effect is None:
            parts.append(f"{known}: not measured")
        elif not math.isfinite(positive.effect.high - positive.effect.low):
            parts.append(f"{known}: no interval yet")
        elif verdict in SLOWER:
            parts.append(f"{known}: found ({claims.interval(positive.effect)})")
        else:
            missed = f"{known}: missed ({claims.interval(positive.effect)})"
            if controls.smallest_seen is not None:
                missed += f"; the smallest cost that this run could see is {units.share(controls.smallest_seen)}"
            parts.append(missed)
    return f"{printable(controls.family)}: {'; '.join(parts)}"


def _headline(analysed: Analysed) -> tuple[str, ...]:
    measured, plan = analysed.measured, analysed.measured.plan
    identity = measured.sessions[-1].identity if measured.sessions else {}
    number = len(measured.blocks)
    blocks = f"{number} block{'' if number == 1 else 's'}"
    if measured.blocks_s is not None and number:
        blocks += f" in {units.seconds(measured.blocks_s)}"
    if len(measured.sessions) > 1:
        blocks += f", {len(measured.sessions)} sessions"
    processors = identity.get("host.cpus", "")
    host = printable(identity.get("host.cpu_model", "processor unknown"))
    if processors:
        host += f", {printable(processors)} processor{'' if processors == '1' else 's'}"
    lines = [f"{printable(measured.state)}: {blocks}, margin ± {units.margin(plan.stopping.margin)}", host]
    lines.append(f"run {printable(measured.run_id)}, begun {printable(measured.started)}")
    fixed = names.constants(plan)
    if fixed:
        lines.append(f"everywhere: {fixed}")
    if plan.answered_by:
        lines.append(printable(plan.answered_by))
    return tuple(lines)


def _groups(analysed: Analysed, visible_ids: frozenset[str]) -> tuple[Group, ...]:
    plan = analysed.measured.plan
    by_pair = {(each.comparison.treatment, each.comparison.metric): each for each in analysed.findings}
    results = {each.treatment: each for each in analysed.treatments}
    all_shown = not hidden(analysed, visible_ids)
    groups = []
    for metric in plan.metrics:
        for cell in plan.cells:
            members = [each.id for each in plan.treatments if each.cell == cell.id and each.role is Role.TREATMENT]
            findings = {each: by_pair[each, metric.name] for each in members if (each, metric.name) in by_pair}
            shown = {each: finding for each, finding in findings.items() if finding.comparison.id in visible_ids}
            if shown:
                groups.append(_group(plan, cell, metric, shown, results))
            if not metric.compared and (all_shown or metric.name in plan.beside):
                groups += _told(plan, cell, metric, [results[each] for each in (cell.baseline, *members)])
    return tuple(groups)


def _told(plan: Plan, cell: Cell, metric: Metric, members: list[TreatmentResult]) -> Iterator[Group]:
    """The treatments of a cell in a metric in which nothing is compared; no table where none has it."""
    estimates = {each.treatment: each.estimates[metric.name] for each in members if metric.name in each.estimates}
    if not estimates:
        return
    column = units.scale(metric.unit, (each.point for each in estimates.values()))
    rows = [
        Row(names.treatment(plan, each), units.estimate(told, column), "", "", no_interval(told), Tone.NONE)
        for each, told in estimates.items()
    ]
    yield Group(_title(plan, cell, metric), printable(column.unit), "", "", tuple(rows))


def _group(
    plan: Plan, cell: Cell, metric: Metric, findings: dict[str, Finding], results: dict[str, TreatmentResult]
) -> Group:
    estimates = {
        each: results[each].estimates[metric.name]
        for each in (cell.baseline, *findings)
        if each in results and metric.name in results[each].estimates
    }
    column = units.scale(metric.unit, (each.point for each in estimates.values()))
    absolutes = {
        each: finding.effect.absolute
        for each, finding in findings.items()
        if finding.effect is not None and finding.effect.absolute is not None
    }
    base = next(iter(absolutes.values())).unit if absolutes else ""
    differences = units.scale(base, (each.point for each in absolutes.values()))
    values = {each: units.estimate(estimate, column) for each, estimate in estimates.items()}
    rows = [Row(names.treatment(plan, cell.baseline), values.get(cell.baseline, "–"), "baseline", "", "", Tone.NONE)]
    for member, finding in findings.items():
        void = finding.verdict in {VerdictId.WITHDRAWN, VerdictId.INVALID, VerdictId.NOT_MEASURED}
        words = claims.verdict(finding, metric)
        if finding.verdict is VerdictId.NOT_MEASURED:
            words += _why(finding, results)
        # What is said of the whole run or family stands below, not on every row.
        own = {finding.comparison.id, finding.comparison.treatment}
        noted = [each.check for each in finding.warnings if each.severity is Severity.WARNING and each.subject in own]
        if noted:
            words += f" (see {printable(', '.join(dict.fromkeys(noted)))})"
        rows.append(
            Row(
                label=names.treatment(plan, member),
                value=values.get(member, "–"),
                effect="–" if void or finding.effect is None else _effect(finding, metric),
                difference=_difference(finding, differences) if not void else "",
                verdict=words,
                tone=tone(finding),
                secondary=finding.comparison.standing is Standing.SECONDARY,
            )
        )
    return Group(
        title=_title(plan, cell, metric),
        unit=printable(column.unit),
        difference_unit=printable(differences.unit),
        against=names.treatment(plan, cell.baseline),
        rows=tuple(rows),
    )


def _title(plan: Plan, cell: Cell, metric: Metric) -> str:
    parts = [names.cell(plan, cell.id)]
    if len(plan.metrics) > 1:
        parts.append(names.metric(plan, metric.name))
    return ": ".join(part for part in parts if part)


def _why(finding: Finding, results: dict[str, TreatmentResult]) -> str:
    compared = finding.comparison
    for each, whose in ((compared.treatment, ""), (compared.baseline, "the baseline: ")):
        if each in results and results[each].reason:
            return f": {whose}{printable(results[each].reason)}"
    return ""


def tone(finding: Finding) -> Tone:
    """What kind of answer a finding is."""
    match finding.verdict:
        case VerdictId.SLOWER_MATERIAL:
            return Tone.WORSE
        case VerdictId.FASTER_MATERIAL:
            return Tone.BETTER
        case VerdictId.EQUIVALENT | VerdictId.SLOWER_WITHIN_MARGIN | VerdictId.FASTER_WITHIN_MARGIN:
            return Tone.EVEN
        case VerdictId.INVALID | VerdictId.WITHDRAWN | VerdictId.NOT_MEASURED:
            return Tone.VOID
    return Tone.OPEN


def _effect(finding: Finding, metric: Metric) -> str:
    seen = finding.effect
    if seen is None:
        return "–"
    point = claims.effect(seen, metric)
    return point if finding.verdict in SLOWER | FASTER else f"{point} ({claims.interval(seen)})"


def _difference(finding: Finding, column: units.Scale) -> str:
    seen = finding.effect.absolute if finding.effect is not None else None
    if seen is None:
        return ""
    point = seen.point / column.size
    if seen.low is None or seen.high is None:
        return units.signed(units.roughly(point))
    return units.signed(units.number(point, (seen.high - seen.low) / column.size))


def _empty_loops(analysed: Analysed) -> tuple[str, ...]:
    plan = analysed.measured.plan
    own_words = plan.words.get("empty loop")
    told_from = _EMPTY_TOLD_FROM if own_words is None else 0.0
    told = [
        f"{names.subject(plan, each.treatment)} {units.share(each.empty_share)}"
        for each in analysed.treatments
        if each.empty_share is not None
        and each.empty_share > told_from
        and each.role in {Role.BASELINE, Role.TREATMENT}
    ]
    if not told:
        return ()
    what = "the empty loop and call take" if own_words is None else printable(own_words)
    return (f"of each operation, {what} (not subtracted): {', '.join(told)}",)
