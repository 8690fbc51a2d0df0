"""Tables of a run's page beside its findings: the run's controls, and where the time goes."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Breakdown
from sectax.model.analysed import Analysed
from sectax.model.finding import Finding
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports.advice_layout import is_known, milliseconds, percent
from sectax.reports.document import Block, Column, Row, Table, Text, grid
from sectax.reports.result_tables import drawn, tone
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

# More treatments than these in one table are for `sectax advise`.
_MOST_TREATMENTS = 10


def controls(analysed: Analysed) -> Iterator[Table]:
    """What the run's controls of itself showed, on one axis."""
    rows = []
    for family in analysed.controls:
        for what, control in (("negative control", family.negative), ("positive control", family.positive)):
            if control is not None:
                label = f"{printable(family.family)}: {what}"
                rows.append(Row((label, _expected(family.known_cost, control)), tone(control), drawn(control)))
        if family.noise_floor is not None:
            rows.append(Row((f"{printable(family.family)}: noise floor", f"± {units.share(family.noise_floor)}")))
    if any(row.interval for row in rows):
        columns = (Column("of the run itself"), Column("what is known of it"))
        yield Table("", columns, tuple(rows), analysed.measured.plan.stopping.margin)


def _expected(known_cost: float | None, control: Finding) -> str:
    if control.comparison.standing is Standing.NEGATIVE:
        return "two equal treatments: no cost"
    return "a cost put there" if known_cost is None else f"a cost of {units.share(known_cost)} put there"


def where_it_goes(plan: Plan, breakdown: Breakdown | None) -> Iterator[Block]:
    """The parts of treatments, by difference to one that does less, or as the subject timed them."""
    if breakdown is None or not breakdown.anatomies:
        return
    shown = breakdown.anatomies[:_MOST_TREATMENTS]
    rows = []
    for anatomy in shown:
        name = names.in_cell(plan, anatomy.cell, anatomy.treatment)
        for part in anatomy.parts:
            is_there = is_known(part.share) and part.seconds.point > 0
            figures = (milliseconds(part.seconds), percent(part.share)) if is_there else ("", "too noisy: run longer")
            rows.append((name, printable(part.words), *figures))
    title = f"Where the time goes: {names.metric(plan, breakdown.metric)}"
    yield grid(title, ("treatment", "step", "time", "share"), rows, words=2)
    if len(shown) < len(breakdown.anatomies):
        yield Text(
            f"Only the first {len(shown)} of {len(breakdown.anatomies)} treatments are shown; "
            "sectax advise has them all."
        )
