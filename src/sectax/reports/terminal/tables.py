"""Tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from sectax.reports.document import Column, Table, Tone
from sectax.reports.terminal import intervals
from sectax.reports.terminal.page import styled, tied

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_GAP = 2
_LONGEST_WORD = 20
_STYLES = {
    Tone.WORSE: "red",
    Tone.BETTER: "green",
    Tone.EVEN: "cyan",
    Tone.OPEN: "yellow",
    Tone.VOID: "magenta",
    Tone.NONE: "dim",
}


def terminal_table(table: Table, width: int) -> RichTable:
    """A table with drawn intervals, without optional columns, or row by row, as space allows."""
    rich_table = _empty()
    shown = table.shown
    for places in (shown, tuple(place for place in shown if not table.columns[place].optional)):
        columns = [table.columns[place] for place in places]
        rows = [[row.cells[place] for place in places] for row in table.rows]
        texts = list(zip((column.head for column in columns), *rows, strict=True))
        room = width - sum(max(map(_cells, text)) + _GAP for text in texts)
        if room >= 0:
            break
    if sum(_least(text) + _GAP for text in texts) - _GAP > width:
        return _stacked(columns, rows, [row.tone for row in table.rows] if table.margin is not None else [])
    picture = min(intervals.WIDEST, room)
    picture = picture if picture >= intervals.NARROWEST and intervals.has_intervals(table) else 0
    for place, column in enumerate(columns):
        if picture and place == len(columns) - 1:
            rich_table.add_column(styled(intervals.head(table, picture)), width=picture, no_wrap=True)
        _add(rich_table, column, texts[place])
    for row, (*cells, verdict), drawn in zip(table.rows, rows, intervals.draw(table, picture), strict=True):
        style = _STYLES[row.tone] if table.margin is not None else ""
        rich_table.add_row(*map(styled, cells), *([styled(drawn, style)] if picture else []), styled(verdict, style))
    if note := intervals.broken(table, picture):
        rich_table.caption, rich_table.caption_justify = note, "left"
    return rich_table


def _stacked(columns: Sequence[Column], rows: Sequence[Sequence[str]], tones: Sequence[Tone]) -> RichTable:
    """A paragraph for each row, where the columns do not fit side by side."""
    paragraphs = _empty()
    paragraphs.show_header = False
    paragraphs.add_column("", width=1)
    paragraphs.add_column("", overflow="fold")
    for place, row in enumerate(rows):
        cells = [
            f"{column.head} {cell}".strip() for column, cell in zip(columns, row, strict=True) if cell not in ("", "–")
        ]
        if not place and not row[0]:  # a single cell, whose metric is the head
            cells.insert(0, columns[0].head)
        text = "; ".join(filter(None, cells))
        paragraphs.add_row(styled("-"), styled(text, _STYLES[tones[place]] if tones else ""))
    return paragraphs


def _least(texts: Iterable[str]) -> int:
    """The least width of a column, that of its longest word."""
    return min(_LONGEST_WORD, max(_cells(word) for text in texts for word in tied(text).split(" ")))


def _empty() -> RichTable:
    from rich.table import Table as RichTable

    return RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_edge=False)


def _add(rich_table: RichTable, column: Column, texts: Iterable[str]) -> None:
    """A column that breaks only words longer than any level."""
    justify: Literal["left", "right"] = "right" if column.right else "left"
    rich_table.add_column(styled(column.head), justify=justify, overflow="fold", min_width=_least(texts))


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(tied(text))
