"""What the index of a folder of runs says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from sectax.model.analysed import Analysed
from sectax.model.printable import printable
from sectax.reports.document import Column, Document, Row, Section, Table, Text
from sectax.reports.words import summary

# The page has all sentences of its run.
_MOST_SENTENCES = 3


@dataclass(frozen=True)
class IndexedRun:
    """A run file by its name, and its page; or `trouble` says why it has none."""

    name: str
    page: str = ""
    analysed: Analysed | None = None
    trouble: str = ""

    @property
    def begun(self) -> str:
        return self.analysed.measured.started if self.analysed is not None else ""


def runs_index(folder: str, runs: Iterable[IndexedRun]) -> Document:
    """Lay out an index of runs, in the order given."""
    rows = tuple(map(_row, runs))
    columns = (Column("run"), Column("experiment"), Column("begun"), Column("state"), Column("what it found"))
    number = f"{len(rows)} run{'' if len(rows) == 1 else 's'}, the newest first; each name leads to a page."
    return Document(f"Runs in {printable(folder)}", (Text(number),), (Section("Runs", (Table("", columns, rows),)),))


def _row(run: IndexedRun) -> Row:
    if run.analysed is None:
        return Row((printable(run.name), "", "", "cannot be read", printable(run.trouble)))
    measured = run.analysed.measured
    said = summary(run.analysed)
    words = " ".join(said[:_MOST_SENTENCES])
    if len(said) > _MOST_SENTENCES:
        words += f" ({len(said) - _MOST_SENTENCES} more)"
    experiment = f"{printable(measured.plan.experiment)}, {printable(measured.plan.preset)}"
    blocks = f"{printable(measured.state)}, {len(measured.blocks)} blocks"
    begun = printable(measured.started)[:16].replace("T", " ")
    return Row((printable(run.name), experiment, begun, blocks, words), link=quote(run.page))
