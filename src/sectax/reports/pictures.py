"""What of a run can be drawn: only what was measured or found, nothing between the points."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Breakdown
from sectax.model.analysed import Analysed
from sectax.model.finding import Finding
from sectax.model.printable import printable
from sectax.model.treatment import Standing
from sectax.reports import units
from sectax.reports.block_pictures import block_by_block, time_lost
from sectax.reports.document import Block, Column, Row, Table
from sectax.reports.growth_pictures import against_numbers, costs_against_numbers
from sectax.reports.result_tables import drawn, tone


def pictures(analysed: Analysed, breakdown: Breakdown | None = None) -> tuple[Block, ...]:
    """The run's costs against what grows, and its blocks one by one.

    Args:
        breakdown: has the lines that were fitted to its sizes.
    """
    return (
        *against_numbers(analysed, breakdown),
        *costs_against_numbers(analysed),
        *block_by_block(analysed),
        *time_lost(analysed.measured),
    )


def controls(analysed: Analysed) -> Iterator[Table]:
    """What the run's controls of itself showed, on one axis."""
    rows = []
    for family in analysed.controls:
        for what, seen in (("negative control", family.negative), ("positive control", family.positive)):
            if seen is not None:
                label = f"{printable(family.family)}: {what}"
                rows.append(Row((label, _expected(family.known_cost, seen)), tone(seen), drawn(seen)))
        if family.noise_floor is not None:
            rows.append(Row((f"{printable(family.family)}: noise floor", f"± {units.share(family.noise_floor)}")))
    if any(row.interval for row in rows):
        columns = (Column("of the run itself"), Column("what is known of it"))
        yield Table("", columns, tuple(rows), analysed.measured.plan.stopping.margin)


def _expected(known_cost: float | None, seen: Finding) -> str:
    if seen.comparison.standing is Standing.NEGATIVE:
        return "two equal treatments: no cost"
    return "a cost put there" if known_cost is None else f"a cost of {units.share(known_cost)} put there"
