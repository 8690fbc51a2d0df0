"""The table of a run's own controls for its HTML page."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.analysed import Analysed
from sectax.model.finding import Finding
from sectax.model.treatment import Standing
from sectax.reports.document import Column, Row, Table
from sectax.reports.result_tables import drawn, tone
from sectax.text import units
from sectax.text.printable import printable


def controls(analysed: Analysed) -> Iterator[Table]:
    """The results of the run's own controls on one axis."""
    rows = []
    for family in analysed.controls:
        for what, control in (("negative control", family.negative), ("positive control", family.positive)):
            if control is not None:
                label = f"{printable(family.family)}: {what}"
                rows.append(Row((label, _expected(family.known_cost, control)), tone(control), drawn(control)))
        if family.noise_floor is not None:
            rows.append(Row((f"{printable(family.family)}: noise floor", f"± {units.share(family.noise_floor)}")))
    if any(row.interval for row in rows):
        columns = (Column("control"), Column("expected"))
        yield Table("", columns, tuple(rows), analysed.measured.plan.stopping.margin)


def _expected(known_cost: float | None, control: Finding) -> str:
    if control.comparison.standing is Standing.NEGATIVE:
        return "two equal treatments: no difference"
    return "an added cost" if known_cost is None else f"an added cost of {units.share(known_cost)}"
