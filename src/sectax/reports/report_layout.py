"""What the report of one run says, in which order."""

from __future__ import annotations

import math
import shlex

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.finding import FASTER, SLOWER, VerdictId, fired_for_sure
from sectax.model.plan import Plan
from sectax.model.printable import printable
from sectax.reports import units
from sectax.reports.diagnostics import failed, gather_warnings, skipped
from sectax.reports.document import Block, Command, Document, Footnotes, Kind, Lines, Section, lines, sections
from sectax.reports.notes import notes
from sectax.reports.result_tables import result_tables
from sectax.reports.secondary import footnotes, hidden, visible
from sectax.reports.words import claims, names, summary


def run_report(analysed: Analysed, path: str, *, show_all: bool) -> Document:
    """Lay out a run.

    Args:
        path: of the run file.
        show_all: secondary comparisons too, and every subject of a warning.
    """
    plan = analysed.measured.plan
    options = (printable(f"{name}: {text}") for name, texts in plan.options.items() for text in texts)
    scope = (printable(text) for text in (analysed.scope, plan.transfers) if text)
    return Document(
        f"{printable(plan.experiment)}, {printable(plan.preset)} preset: {printable(plan.question)}",
        _lead(analysed, path),
        sections(
            Section("Options", lines(options)),
            Section("Findings", _findings(analysed, path, show_all), Kind.RESULTS),
            Section("The run's own controls", lines(control_line(plan, each) for each in analysed.controls)),
            Section("Warnings", gather_warnings(analysed, show_all)),
            Section("Skipped", skipped(analysed, show_all)),
            Section("Failed", failed(analysed, show_all)),
            Section("Choices where the published study is silent", lines(map(printable, plan.choices))),
            Section("Notes", lines(notes(analysed))),
            Section("Scope", lines(scope)),
            Section("Summary", lines(summary(analysed)), Kind.ANSWER),
        ),
        foot=f"run file: {printable(path)}",
    )


def control_line(plan: Plan, controls: FamilyControls) -> str:
    """How the run's controls of itself came out, in one line."""
    parts = [*_negative(controls), _positive(plan, controls)]
    return f"{printable(controls.family)}: {'; '.join(parts)}"


def _negative(controls: FamilyControls) -> list[str]:
    negative = controls.negative
    if negative is None:
        return ["no negative control"]
    verdict = negative.withheld or negative.verdict
    if negative.effect is None:
        seen = "not measured"
    elif not math.isfinite(negative.effect.high - negative.effect.low):
        seen = "no interval yet"
    elif verdict in SLOWER | FASTER or verdict is VerdictId.INVALID:
        between = f"fired ({claims.interval(negative.effect)} between two equal treatments)"
        sure = fired_for_sure(negative.effect)
        seen = f"{between}, so {'no verdict stands' if sure else 'intervals are widened by as much'}"
    else:
        seen = "no cost seen"
    floor = [] if controls.noise_floor is None else [f"noise floor {units.share(controls.noise_floor)}"]
    return [f"negative control: {seen}", *floor]


def _positive(plan: Plan, controls: FamilyControls) -> str:
    positive = controls.positive
    if positive is None:
        return "no positive control"
    extra = controls.known_cost
    if extra is None:
        extra = plan.treatment(positive.comparison.treatment).extra or 2 * plan.stopping.margin
    if positive.effect is None:
        seen = "not measured"
    elif not math.isfinite(positive.effect.high - positive.effect.low):
        seen = "no interval yet"
    elif (positive.withheld or positive.verdict) in SLOWER:
        seen = f"found ({claims.interval(positive.effect)})"
    else:
        seen = f"missed ({claims.interval(positive.effect)})"
        if controls.smallest_seen is not None:
            seen += f"; the smallest cost that this run could see is {units.share(controls.smallest_seen)}"
    return f"positive control of +{units.margin(round(extra, 4))}: {seen}"


def _lead(analysed: Analysed, path: str) -> tuple[Block, ...]:
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
    fixed = names.constants(plan)
    texts = (
        f"{printable(measured.state)}: {blocks}, margin ± {units.margin(plan.stopping.margin)}",
        host,
        f"run {printable(measured.run_id)}, begun {printable(measured.started)}",
        *([f"everywhere: {fixed}"] if fixed else []),
        *([printable(plan.answered_by)] if plan.answered_by else []),
    )
    if measured.state == "finished":
        return (Lines(texts),)
    return Lines(texts), Command(printable(f"sectax resume {shlex.quote(path)}"), "to go on with it:")


def _findings(analysed: Analysed, path: str, show_all: bool) -> tuple[Block, ...]:
    shown = visible(analysed, show_all=show_all)
    blocks: list[Block] = [*result_tables(analysed, shown)]
    below = footnotes(analysed, shown)
    if below:
        blocks.append(Footnotes(below))
        if hidden(analysed, shown):
            blocks.append(Command(printable(f"sectax show {shlex.quote(path)} --all")))
    return tuple(blocks)
