"""Tables on a terminal. Those of treatments have the same columns, equally wide, for every cell of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.reports.document import Column, Part, Row, Table, Tone
from sectax.reports.terminal import intervals
from sectax.reports.terminal.page import INDENT, styled, tied

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

_GAP = 2
# Narrower than this, the words of a long verdict stand one below the other.
_VERDICT_AT_LEAST = 26
_NARROWEST_VERDICT = 10
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


@dataclass(frozen=True)
class Widths:
    """Of the columns of results; one that is left out is not in it. `picture` is 0 where no interval is drawn."""

    columns: dict[Part, int]
    picture: int = 0


def common_widths(width: int, tables: Sequence[Table]) -> Widths:
    """The most columns that leave the verdict room enough; without the effect's column it says the effect too.

    Intervals are drawn where that leaves them room, though the difference stands nowhere then: `left_out` names it.
    """
    limits = {Part.LABEL: max(12, width // 4), Part.VALUE: max(14, width // 3), Part.EFFECT: _EFFECT_AT_MOST}
    wanted = {part: min(_widest(tables, part), limits.get(part, width)) for part in Part}
    narrow = wanted | {Part.DIFFERENCE: _widest(tables, Part.DIFFERENCE, short=True)}
    layouts = ((wanted, ()), (narrow, ()), (wanted, (Part.DIFFERENCE,)), (wanted, (Part.DIFFERENCE, Part.EFFECT)))
    for least in (*([intervals.NARROWEST + _GAP] if _have_intervals(tables) else []), 0):
        for columns, without in layouts:
            kept = {
                part: columns[part]
                for part in (Part.LABEL, Part.VALUE, Part.EFFECT, Part.DIFFERENCE)
                if columns[part] and part not in without
            }
            room = width - INDENT - sum(kept.values()) - _GAP * len(kept) - least
            words = wanted[Part.VERDICT] if Part.EFFECT in kept else _widest_verdict(tables)
            words = max(_NARROWEST_VERDICT, words)
            enough = min(_VERDICT_AT_LEAST, words)
            if room >= enough or (not least and Part.EFFECT not in kept):
                # The verdict first has what it wants; the picture grows with what is left.
                more = max(0, min(intervals.WIDEST - intervals.NARROWEST, room - words)) if least else 0
                picture = intervals.NARROWEST + more if least else 0
                return Widths(kept | {Part.VERDICT: max(room - more, _NARROWEST_VERDICT)}, picture)
    raise AssertionError  # the last layout is always taken


def _widest_verdict(tables: Sequence[Table]) -> int:
    """Where it says the effect too."""
    rows = ((_by_part(table, row), row) for table in tables for row in table.rows)
    return max((_cells(_whole_verdict(cells, row)) for cells, row in rows), default=0)


def _by_part(table: Table, row: Row) -> dict[Part, str]:
    return {column.part: cell for column, cell in zip(table.columns, row.cells, strict=True)}


def _have_intervals(tables: Sequence[Table]) -> bool:
    return any(row.interval is not None for table in tables if table.margin is not None for row in table.rows)


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
        if column.part is Part.VERDICT and widths.picture:
            made.add_column(intervals.HEAD, width=widths.picture, no_wrap=True)
        if column.part in widths.columns:
            head = _head(column)
            fits = _cells(head) <= widths.columns[column.part] or not column.short
            _add(made, column, head if fits else column.short, widths.columns[column.part])
    for row, picture in zip(table.rows, intervals.drawn(table, widths.picture), strict=True):
        made.add_row(*_set(table, row, picture, widths))
    return made


def _set(table: Table, row: Row, picture: str, widths: Widths) -> Iterator[Text]:
    """The cells of a row, with its interval beside the verdict."""
    by_part = _by_part(table, row)
    if Part.EFFECT not in widths.columns:
        by_part[Part.VERDICT] = _whole_verdict(by_part, row)
    for part, cell in by_part.items():
        if part is Part.VERDICT and widths.picture:
            yield styled(picture, _STYLES[row.tone])
        if part in widths.columns:
            yield styled(cell, _STYLES[row.tone] if part is Part.VERDICT else "")


def plain_table(table: Table, width: int) -> RichTable:
    """Any other table, its columns as wide as what they hold; intervals are drawn where that leaves room for them."""
    made = _empty()
    *columns, last = table.columns
    texts = zip((column.head for column in table.columns), *(row.cells for row in table.rows), strict=True)
    taken = sum(max(map(_cells, cells)) + _GAP for cells in texts)
    picture = min(intervals.WIDEST, width - taken) if _have_intervals([table]) else 0
    picture = picture if picture >= intervals.NARROWEST else 0
    for column in columns:
        _add(made, column, column.head)
    if picture:
        made.add_column(intervals.head(table, picture), width=picture, no_wrap=True)
    _add(made, last, last.head)
    for row, drawn in zip(table.rows, intervals.drawn(table, picture), strict=True):
        style = _STYLES[row.tone] if table.margin is not None else ""
        *cells, verdict = row.cells
        made.add_row(*map(styled, cells), *([styled(drawn, style)] if picture else []), styled(verdict, style))
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
    if verdict.startswith(effect):
        return verdict
    word = verdict.partition(" ")[0].rstrip(",:")
    if word in effect.split():
        return effect + verdict[len(word) :]
    return f"{verdict}; {effect}" if len(effect) > 1 else verdict


def left_out(widths: Widths, tables: Sequence[Table]) -> tuple[str, ...]:
    """The columns that some table fills, and for which there was no room."""
    # A table without effects has a column of differences too, and no head for it.
    columns = {column.part: column for table in tables for column in table.columns if column.head}
    gone = [each for part, each in columns.items() if part not in widths.columns and _widest([*tables], part)]
    pictures = [intervals.HEAD] if _have_intervals(tables) and not widths.picture else []
    return (*(column.head.partition(",")[0] for column in gone if column.part is Part.DIFFERENCE), *pictures)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(tied(text))
