"""The report of one run: one screen, or all of it."""

from __future__ import annotations

import shlex
from dataclasses import replace

from sectax.model.advice import Decision
from sectax.model.analysed import Analysed
from sectax.model.finding import is_decided
from sectax.model.plan import Plan
from sectax.reports import host_tables, side_by_side
from sectax.reports.diagnostics import failed, gather_warnings, skipped
from sectax.reports.distrust import control_line, distrust, self_check, self_checked
from sectax.reports.document import (
    Block,
    Command,
    Document,
    Footnotes,
    Lines,
    Section,
    SectionKind,
    Text,
    lines,
    sections,
)
from sectax.reports.notes import measurement_facts, notes
from sectax.reports.result_tables import answers, footnotes, result_tables, visible
from sectax.reports.words import decisions, hosts, names, plans, summaries
from sectax.text import units
from sectax.text.printable import printable

# Statements about hosts on the one-screen report.
_MOST_OF_HOSTS = 3


def run_report(analysed: Analysed, path: str, decision: Decision | None, *, show_all: bool) -> Document:
    """Lay out a run.

    Args:
        decision: None if there is nothing to decide.
        show_all: the full report instead of one screen with results, caveats and the answer.
    """
    plan = analysed.measured.plan
    title = f"{printable(plan.experiment)}, {printable(plan.preset)} preset: {printable(plan.question)}"
    todo = decided(analysed, decision)
    return _full_report(analysed, path, title, todo) if show_all else _page(analysed, path, decision, todo)


def decided(analysed: Analysed, decision: Decision | None) -> Section:
    """What to do, or a summary if there is nothing to decide."""
    if decision is None:
        return Section("Summary", lines(summaries.summary(analysed)), SectionKind.ANSWER)
    return Section("What to do", lines(decisions.decision(analysed, decision), long=True), SectionKind.ANSWER)


def _page(analysed: Analysed, path: str, decision: Decision | None, todo: Section) -> Document:
    """One screen: a table, caveats, the decision."""
    plan, measured = analysed.measured.plan, analysed.measured
    shown_ids = visible(analysed, show_all=False)
    state = "" if measured.state == "finished" else f"{printable(measured.state)}, "
    title = f"{printable(plan.experiment)}, {printable(plan.preset)} preset: {state}{_blocks(analysed)}"
    title += f"; margin {units.margin(plan.stopping.margin)}"
    if not any(self_check(plan, analysed.controls)):
        title += f"; {self_checked(analysed, shown_ids)}"
    table = answers(analysed, shown_ids)
    results = [table] if table.rows else []
    host_sentences = hosts.short_claims(analysed, shown_ids, _MOST_OF_HOSTS)
    doubts, others = distrust(analysed, shown_ids)
    below = (*doubts, *footnotes(analysed, shown_ids))
    sentences = (text for block in todo.blocks if isinstance(block, Lines) for text in block.texts)
    more = f" and other caveats ({', '.join(others)})" if others else ""
    file = shlex.quote(path)
    foot = f"details{more}: sectax show {file} --all"
    if measured.state != "finished":
        foot += f"; continue: sectax resume {file}"
    elif decision is not None and (decision.outlays or any(map(is_decided, decision.findings))):
        foot += f"; {'your rate' if decision.choice.uses else 'more'}: sectax advise {file}"
    return Document(
        title,
        lines(_compared(plan)),
        sections(
            Section("Findings", (*results, *([Footnotes(below)] if below else [])), SectionKind.RESULTS),
            Section("Hosts", (Text(" ".join(host_sentences)),) if host_sentences else ()),
            replace(todo, blocks=(Text(" ".join(sentences)),)),
        ),
        foot=printable(foot),
        is_brief=True,
    )


def _full_report(analysed: Analysed, path: str, title: str, todo: Section) -> Document:
    plan = analysed.measured.plan
    options = (printable(f"{name}: {text}") for name, texts in plan.options.items() for text in texts)
    scope = (printable(text) for text in (analysed.scope, plan.transfers) if text)
    controls = (control_line(plan, control) for control in analysed.controls)
    doubts, others = distrust(analysed, visible(analysed, show_all=True))
    doubts += [f"more below: {', '.join(others)}"] if others else []
    return Document(
        title,
        _lead(analysed, path),
        sections(
            Section("Caveats", lines(doubts, long=True)),
            Section("Findings", findings(analysed), SectionKind.RESULTS),
            host_tables.section(analysed, visible(analysed, show_all=False)),
            Section("Side by side", side_by_side.table(analysed)),
            Section("Self-check", lines(controls), SectionKind.DIAGNOSTICS),
            Section("Warnings", gather_warnings(analysed, show_all=True), SectionKind.DIAGNOSTICS),
            Section("Skipped", skipped(analysed, show_all=True), SectionKind.DIAGNOSTICS),
            Section("Failed", failed(analysed, show_all=True), SectionKind.DIAGNOSTICS),
            Section(
                "Choices where the published study is silent", lines(map(printable, plan.choices)), SectionKind.DETAIL
            ),
            Section("Notes", lines(notes(analysed)), SectionKind.DETAIL),
            Section("Scope", lines(scope), SectionKind.DIAGNOSTICS),
            Section("Options", lines(options), SectionKind.DETAIL),
            Section("How it was measured", lines(measurement_facts(analysed)), SectionKind.DETAIL),
            todo,
        ),
        foot=f"run file: {printable(path)}",
    )


def _lead(analysed: Analysed, path: str) -> tuple[Block, ...]:
    measured, plan = analysed.measured, analysed.measured.plan
    fixed = names.constants(plan)
    processors = printable(measured.identity.get("host.cpus", "")) if len(measured.machines) < 2 else ""
    many = f", {processors} processor{'' if processors == '1' else 's'}" if processors else ""
    texts = (
        f"{printable(measured.state)}: {_blocks(analysed)}{many}",
        *_compared(plan),
        f"margin {units.margin(plan.stopping.margin)}{f'; everywhere: {fixed}' if fixed else ''}",
        f"run {printable(measured.run_id)}, started {printable(measured.started)}",
        *plans.deciding_metric(plan),
    )
    if measured.state == "finished":
        return (Lines(texts),)
    return Lines(texts), Command(printable(f"sectax resume {shlex.quote(path)}"), "continue with:")


def _blocks(analysed: Analysed) -> str:
    measured = analysed.measured
    blocks = units.count(len(measured.blocks), "block")
    if measured.blocks_s is not None and measured.blocks:
        blocks += f" in {units.seconds(measured.blocks_s)}"
    if len(measured.sessions) > 1:
        blocks += f", {len(measured.sessions)} sessions"
    service = names.service(measured.plan)
    return f"{blocks} on {hosts.hosts_label(measured)}{f', service: {service}' if service else ''}"


def _compared(plan: Plan) -> tuple[str, ...]:
    """The compared commands or addresses, each with its name."""
    pairs = [text.partition("=")[::2] for text in plans.sides(plan)]
    # Levels are the names of named and scanned commands, unless --level left some out.
    levels = next(factor.levels for factor in plan.factors if factor.name == plan.control)
    labels = levels if len(levels) == len(pairs) else [name for name, _ in pairs]
    return tuple(printable(f"{name}: {text}") for name, (_, text) in zip(labels, pairs, strict=True))


def findings(analysed: Analysed) -> tuple[Block, ...]:
    """The tables of all comparisons with footnotes."""
    comparisons = visible(analysed, show_all=True)
    below = footnotes(analysed, comparisons)
    return (*result_tables(analysed, comparisons), *((Footnotes(below),) if below else ()))
