"""Tables on a terminal. Those of treatments have the same columns, equally wide, for every cell of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sectax.reports.document import Column, Part, Row, Table, Tone
from sectax.reports.terminal.page import INDENT, styled, tied

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_GAP = 2
# Narrower than this, the verdict's words stand one below the other.
_VERDICT_AT_LEAST = 26
_LONGEST_HEAD = 26

_STYLES = {
    Tone.WORSE: "red",
    Tone.BETTER: "green",
    Tone.EVEN: "cyan",
    Tone.OPEN: "yellow",
    Tone.VOID: "magenta",
    Tone.NONE: "dim",
}

# Of the columns of results; one that is left out is not in it.
Widths = dict[Part, int]


def common_widths(width: int, tables: Sequence[Table]) -> Widths:
    """The most columns that leave the verdict room enough; without the effect's column its words say it all."""
    limits = {Part.LABEL: max(12, width // 4), Part.VALUE: max(14, width // 3), Part.EFFECT: max(24, width // 4)}
    wanted = {part: min(_widest(tables, part), limits.get(part, width)) for part in Part}
    for left_out in ((), (Part.DIFFERENCE,), (Part.DIFFERENCE, Part.EFFECT)):
        kept = {
            part: wanted[part]
            for part in (Part.LABEL, Part.VALUE, Part.EFFECT, Part.DIFFERENCE)
            if wanted[part] and part not in left_out
        }
        verdict = width - INDENT - sum(kept.values()) - _GAP * len(kept)
        if verdict >= _VERDICT_AT_LEAST or Part.EFFECT not in kept:
            return kept | {Part.VERDICT: max(verdict, 10)}
    raise AssertionError  # the last layout is always taken


def _widest(tables: Sequence[Table], part: Part) -> int:
    widest = 0
    for table in tables:
        for place, column in enumerate(table.columns):
            cells = [row.cells[place] for row in table.rows]
            if column.part is part and not (column.optional and not any(cells)):
                widest = max(widest, *(_cells(text) for text in (_head(column), *cells)))
    return widest


def results_table(table: Table, widths: Widths) -> RichTable:
    """One table of treatments."""
    made = _empty()
    for column in table.columns:
        if column.part in widths:
            _add(made, column, _head(column), widths[column.part])
    for row in table.rows:
        by_part = {column.part: cell for column, cell in zip(table.columns, row.cells, strict=True)}
        if Part.EFFECT not in widths:
            by_part[Part.VERDICT] = _whole_verdict(by_part, row)
        made.add_row(
            *(
                styled(cell, _STYLES[row.tone] if part is Part.VERDICT else "")
                for part, cell in by_part.items()
                if part in widths
            )
        )
    return made


def plain_table(table: Table) -> RichTable:
    """Any other table, its columns as wide as what they hold."""
    made = _empty()
    for column in table.columns:
        _add(made, column, column.head)
    for row in table.rows:
        made.add_row(*(styled(cell) for cell in row.cells))
    return made


def _empty() -> RichTable:
    from rich.table import Table as RichTable

    return RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_edge=False)


def _add(made: RichTable, column: Column, head: str, width: int | None = None) -> None:
    made.add_column(styled(head), width=width, justify="right" if column.right else "left", overflow="fold")


def _head(column: Column) -> str:
    return column.short if column.short and _cells(column.head) > _LONGEST_HEAD else column.head


def _whole_verdict(cells: dict[Part, str], row: Row) -> str:
    """The verdict where there is no room for the effect's own column."""
    effect, verdict = cells[Part.EFFECT], cells[Part.VERDICT]
    if row.tone is Tone.NONE:
        return effect or verdict
    # Only an effect with its interval adds to what the verdict says in words.
    return f"{verdict}; {effect}" if "(" in effect else verdict


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(tied(text))
