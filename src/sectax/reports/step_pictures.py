"""Where the time goes: the parts of treatments one after the other, and the same in figures."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Breakdown
from sectax.model.plan import Plan
from sectax.model.printable import printable
from sectax.reports import units
from sectax.reports.advice_layout import is_known, milliseconds, percent, where
from sectax.reports.document import Block, Column, Row, Share, Stack, Stacks, Table, Text
from sectax.reports.words import names

# More wholes in one picture cannot be told from each other.
_MOST_STACKS = 10


def where_it_goes(plan: Plan, breakdown: Breakdown | None) -> Iterator[Block]:
    """The parts of treatments one after the other, and the same in figures."""
    if breakdown is None or not breakdown.anatomies:
        return
    shown = breakdown.anatomies[:_MOST_STACKS]
    longest = max(part.seconds.point for each in shown for part in each.parts)
    column = units.scale("s", [longest])
    rows, stacks = [], []
    for each in shown:
        name = where(plan, each.cell, each.treatment)
        shares = []
        for part in each.parts:
            is_there = is_known(part.share) and part.seconds.point > 0
            told = (milliseconds(part.seconds), percent(part.share)) if is_there else ("", "too noisy: run longer")
            words = printable(part.words)
            value = part.seconds.point / column.size if is_there else None
            shares.append(Share(words, value, f"{words}: {', '.join(filter(None, told))}"))
            rows.append(Row((name, words, *told)))
        stacks.append(Stack(name, tuple(shares)))
    metric = names.metric(plan, breakdown.metric)
    yield Stacks(
        f"Where the time goes: {metric}",
        "Each step is the difference to a treatment that does less, or was timed by the subject. What is too noisy is "
        "left out, and named in the table.",
        printable(column.unit),
        tuple(stacks),
    )
    if len(shown) < len(breakdown.anatomies):
        yield Text(
            f"Only the first {len(shown)} of {len(breakdown.anatomies)} treatments are shown; "
            "sectax advise has them all."
        )
    columns = (Column("treatment"), Column("step"), Column("time", right=True), Column("share", right=True))
    yield Table("", columns, tuple(rows))
