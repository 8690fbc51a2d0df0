"""Tables whose rows are statistics or quantities, and whose columns are arms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.audit.reading.units import base_unit
from sectax.audit.tables.cells import MISSING, Cells, parse_cell
from sectax.audit.tables.columns import column_unit, is_beside, statistic_name, unit_word, words

_MOST_ROWS = 500
_PERCENTILES = re.compile(r"(?:.* )?(?:percentiles?|quantiles?|percentage|percent|pct)(?: .*)?|p")


def is_unit_row(row: Sequence[str]) -> bool:
    """Whether the first row gives the units of the columns."""
    cells = [cell.strip() for cell in row[:_MOST_ROWS] if cell.strip()]
    named = cells[1:] if cells and cells[0].lower() in ("unit", "units") else cells
    return bool(named) and all(base_unit(cell) is not None and not cell.isdigit() for cell in named)


def turned(
    names: Sequence[str], rows: Sequence[Sequence[str]], cells: Cells
) -> tuple[list[str], list[list[str]]] | None:
    """Return names and rows of the table that has a row for each arm; None where that is so already."""
    if not 2 <= len(rows) <= _MOST_ROWS or len(names) < 2:
        return None
    labels = _labels(names[0], [row[0].strip() for row in rows])
    arms = [at for at in range(1, len(names)) if names[at] and _numbers(cells, [row[at] for row in rows])]
    if len({*labels}) < len(labels) or not arms or len(arms) < len([*filter(None, names[1:])]):
        return None
    statistics = [statistic_name(label) is not None for label in labels]
    if sum(statistics) < 2 or not all(
        found or is_beside(label) for found, label in zip(statistics, labels, strict=True)
    ):
        if len(arms) < 2 or not _of_several_quantities(labels, rows, arms, cells):
            return None
    own = unit_word(names[0])
    headings = [label if column_unit(label) or not own else f"{label} ({own})" for label in labels]
    turned = []
    for at in arms:
        unit = unit_word(names[at])
        column = [row[at] for row in rows]
        if unit and not any(map(column_unit, labels)) and cells.unit(column) is None:
            column = [
                f"{cell.strip()} {unit}" if statistic and cells.number(cell) else cell
                for cell, statistic in zip(column, statistics, strict=True)
            ]
        turned.append([names[at], *column])
    return ["column", *headings], turned


def _labels(heading: str, labels: list[str]) -> list[str]:
    """Write percentiles as names: 50, 99.9 below 'Percentile'."""
    if not _PERCENTILES.fullmatch(words(heading) or heading.lower()):
        return labels
    shares = [
        cell.number if (cell := parse_cell(label)) is not None and cell.unit in ("", "%") else "" for label in labels
    ]
    if not all(re.fullmatch(r"\d{1,3}(?:\.\d{1,6})?", share) for share in shares):
        return labels
    scale = 100 if all(float(share) <= 1 for share in shares) else 1
    return [f"p{float(share) * scale:.6g}" for share in shares]


def _numbers(cells: Cells, column: Sequence[str]) -> bool:
    """Whether every cell with a value is a number of some unit."""
    return all(parse_cell(cell.strip()) is not None for cell in column if not MISSING.fullmatch(cell.strip()))


def _of_several_quantities(
    labels: Sequence[str], rows: Sequence[Sequence[str]], arms: Sequence[int], cells: Cells
) -> bool:
    """Whether each row has a quantity of its own, by the units of its name or cells."""
    units = [
        column_unit(label) or cells.unit([row[at] for at in arms]) for label, row in zip(labels, rows, strict=True)
    ]
    return len({unit[0] for unit in units if unit}) > 1
