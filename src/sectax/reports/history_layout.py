"""The report of a history: its lines, and the changes of their level."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.model.environment import SHORT
from sectax.model.history import FEWEST_RUNS, CostChange, CostPoint, History, HistoryLine
from sectax.reports.document import (
    Block,
    Column,
    Document,
    Footnotes,
    Row,
    Section,
    SectionKind,
    Table,
    Text,
    lines,
    sections,
)
from sectax.text import claims, units
from sectax.text.printable import printable


def history_report(history: History, *, show_all: bool) -> Document:
    """Lay out a history; secondary comparisons only with `show_all`."""
    shown = [line for line in history.lines if line.primary or show_all]
    hidden = len(history.lines) - len(shown)
    rows = tuple(map(_row, shown))
    columns = (
        Column("comparison"),
        Column("machine"),
        Column("runs", right=True),
        Column("first, × baseline"),
        Column("last, × baseline"),
    )
    table = Table("", columns, rows)
    notes = [f"{units.count(hidden, 'secondary comparison')}: --all"] if hidden else []
    if history.planted:
        notes.append(f"left out: {units.count(history.planted, 'run')} with an added cost (self-tests)")
    more = (Footnotes(tuple(notes)),) if notes else ()
    return Document(
        f"History of {printable(history.source)}",
        lines([f"{units.count(history.runs, 'run')}; costs relative to the baseline of the same run"]),
        sections(
            Section("Lines", (table, *more), SectionKind.RESULTS),
            Section("Changes", tuple(_changes(history, shown))),
            Section(
                "Not read", lines(f"{printable(name)}: {printable(why)}" for name, why in history.unreadable.items())
            ),
        ),
    )


def _row(line: HistoryLine) -> Row:
    name = f"{printable(line.experiment)}: {line.words}"
    ends = (_effect(line.seen[0]), _effect(line.seen[-1]))
    return Row((name, printable(line.machine), str(len(line.seen)), *ends))


def _effect(run: CostPoint) -> str:
    """'1.04 (1.02 to 1.06), 0123456789ab'."""
    if run.cost_ratio is None:
        text = run.verdict.value.replace("-", " ")
    elif run.low is None or run.high is None:
        text = f"{units.roughly(run.cost_ratio)} (no interval)"
    elif claims.is_too_wide(math.log(run.low), math.log(run.high)):
        text = "too noisy"
    else:
        text = units.with_interval(run.cost_ratio, run.low, run.high)
    return f"{text}, {_name(run)}"


def _name(run: CostPoint) -> str:
    """The commit, or else the day."""
    return printable(run.commit[:SHORT] + ("+" if run.changed else "") if run.commit else run.started[:10])


def _changes(history: History, shown: list[HistoryLine]) -> Iterator[Block]:
    changes = [
        f"{printable(line.experiment)}: {line.words}, on {printable(line.machine)}: {_change_words(change)}"
        for line in shown
        for change in line.changes
    ]
    yield from lines(changes, long=True)
    enough = sum(sum(run.cost_ratio is not None for run in line.seen) >= FEWEST_RUNS for line in shown)
    if not enough:
        yield Text(f"Too few runs to detect a change: a line needs {FEWEST_RUNS} with a figure.")
        return
    advice = "This is not a verdict: compare the runs on both sides." if changes else "No level changed."
    if enough < len(shown):
        advice += f" Only {enough} of {len(shown)} lines have the {FEWEST_RUNS} runs with a figure that a change needs."
    yield Text(f"{advice} Method: {history.changes_by}.")


def _change_words(change: CostChange) -> str:
    where = printable(change.commit[:SHORT] or change.run)
    also = f"; also changed: {', '.join(map(printable, change.also))}" if change.also else ""
    return (
        f"from {units.digits(change.before, 3)} to {units.digits(change.after, 3)} times the baseline at {where}{also}"
    )
