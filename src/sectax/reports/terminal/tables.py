"""The tables of treatments: the same columns, equally wide, for every cell of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.reports.outline import Group, Outline, Row, Tone
from sectax.reports.secondary import SECONDARY_MARK
from sectax.reports.terminal.page import INDENT, Page, styled, tied

if TYPE_CHECKING:
    from rich.table import Table

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


@dataclass(frozen=True)
class _Columns:
    """Widths of the columns of all tables; a column of width 0 is left out."""

    label: int
    value: int
    effect: int
    difference: int
    verdict: int


def write_groups(page: Page, outline: Outline) -> None:
    """All tables, each under its title."""
    columns = _columns(page.width, outline)
    for group in outline.groups:
        page.blank()
        if group.title:
            page.paragraph(group.title, style="bold", indent=0)
        page.add(_table(group, outline.factor, columns), INDENT)


def _columns(width: int, outline: Outline) -> _Columns:
    """The most columns that leave the verdict room enough; without the effect's column its words say it all."""
    room = width - INDENT
    rows = [(group, row) for group in outline.groups for row in group.rows]
    label = max([_cells(outline.factor), *(_cells(_label(row)) for _, row in rows)], default=0)
    label = min(label, max(12, width // 4))
    value = max((max(_cells(group.unit), _cells(row.value)) for group, row in rows), default=0)
    value = min(value, max(14, width // 3))
    effect = max((max(_cells(_against(group)), _cells(row.effect)) for group, row in rows), default=0)
    effect = min(effect, max(24, width // 4))
    differ = [(group, row) for group, row in rows if any(each.difference for each in group.rows)]
    difference = max((max(_cells(_difference(group)), _cells(row.difference)) for group, row in differ), default=0)
    for with_effect, with_difference in ((effect, difference), (effect, 0), (0, 0)):
        used = [each for each in (label, value, with_effect, with_difference) if each]
        verdict = room - sum(used) - _GAP * len(used)
        if verdict >= _VERDICT_AT_LEAST or not with_effect:
            return _Columns(label, value, with_effect, with_difference, max(verdict, 10))
    raise AssertionError  # the last layout is always taken


def _table(group: Group, factor: str, columns: _Columns) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_edge=False)
    table.add_column(styled(factor), width=columns.label, overflow="fold")
    table.add_column(styled(group.unit), width=columns.value, justify="right", overflow="fold")
    if columns.effect:
        table.add_column(styled(_against(group)), width=columns.effect, overflow="fold")
    if columns.difference:
        table.add_column(styled(_difference(group)), width=columns.difference, justify="right", overflow="fold")
    table.add_column("verdict" if group.against else "", width=columns.verdict, overflow="fold")
    for row in group.rows:
        style = _STYLES[row.tone]
        cells = [styled(_label(row)), styled(row.value)]
        if columns.effect:
            cells.append(styled(row.effect))
        if columns.difference:
            cells.append(styled(row.difference))
        cells.append(styled(row.verdict if columns.effect else _whole_verdict(row), style))
        table.add_row(*cells)
    return table


def _label(row: Row) -> str:
    return f"{row.label} {SECONDARY_MARK}" if row.secondary else row.label


def _against(group: Group) -> str:
    if not group.against:
        return ""
    head = f"against {group.against}"
    return head if _cells(head) <= _LONGEST_HEAD else "against baseline"


def _difference(group: Group) -> str:
    return f"difference, {group.difference_unit}" if group.against else ""


def _whole_verdict(row: Row) -> str:
    """The verdict where there is no room for the effect's own column."""
    if row.tone is Tone.NONE:
        return row.effect or row.verdict
    # Only an effect with its interval adds to what the verdict says in words.
    return f"{row.verdict}; {row.effect}" if "(" in row.effect else row.verdict


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(tied(text))
