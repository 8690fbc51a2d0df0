"""Tables on a terminal. Those of treatments have the same columns, equally wide, for every cell of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sectax.reports.document import Column, Part, Row, Table, Tone
from sectax.reports.terminal.page import INDENT, styled, tied

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_GAP = 2
# Narrower than this, the words of a long verdict stand one below the other.
_VERDICT_AT_LEAST = 26
_EFFECT_AT_MOST = 36
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
    """The most columns that leave the verdict room enough; without the effect's column it says the effect too."""
    limits = {Part.LABEL: max(12, width // 4), Part.VALUE: max(14, width // 3), Part.EFFECT: _EFFECT_AT_MOST}
    wanted = {part: min(_widest(tables, part), limits.get(part, width)) for part in Part}
    narrow = wanted | {Part.DIFFERENCE: _widest(tables, Part.DIFFERENCE, short=True)}
    layouts = ((wanted, ()), (narrow, ()), (wanted, (Part.DIFFERENCE,)), (wanted, (Part.DIFFERENCE, Part.EFFECT)))
    for columns, without in layouts:
        kept = {
            part: columns[part]
            for part in (Part.LABEL, Part.VALUE, Part.EFFECT, Part.DIFFERENCE)
            if columns[part] and part not in without
        }
        verdict = width - INDENT - sum(kept.values()) - _GAP * len(kept)
        if verdict >= min(_VERDICT_AT_LEAST, wanted[Part.VERDICT]) or Part.EFFECT not in kept:
            return kept | {Part.VERDICT: max(verdict, 10)}
    raise AssertionError  # the last layout is always taken


def _widest(tables: Sequence[Table], part: Part, *, short: bool = False) -> int:
    widest = 0
    for table in tables:
        for place, column in enumerate(table.columns):
            cells = [row.cells[place] for row in table.rows]
            if column.part is part and not (column.optional and not any(cells)):
                head = column.short if short else _head(column)
                widest = max(widest, *(_cells(text) for text in (head, *cells)))
    return widest


def results_table(table: Table, widths: Widths, *, headed: bool = True) -> RichTable:
    """One table of treatments; without its heads where those of the table above it are the same."""
    made = _empty()
    made.show_header = headed
    for column in table.columns:
        if column.part in widths:
            head = _head(column)
            fits = _cells(head) <= widths[column.part] or not column.short
            _add(made, column, head if fits else column.short, widths[column.part])
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
    word = verdict.partition(" ")[0].rstrip(",:")
    if word in effect.split():
        return effect + verdict[len(word) :]
    return f"{verdict}; {effect}" if len(effect) > 1 else verdict


def left_out(widths: Widths, tables: Sequence[Table]) -> tuple[str, ...]:
    """The columns that some table fills, and for which there was no room."""
    columns = {column.part: column for table in tables for column in table.columns}
    gone = [each for part, each in columns.items() if part not in widths and _widest([*tables], part)]
    return tuple(each.head.partition(",")[0] for each in gone if each.part is Part.DIFFERENCE)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(tied(text))
