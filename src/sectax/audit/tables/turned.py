"""Tables whose rows are statistics or quantities, and whose columns are arms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.audit.reading.units import base_unit
from sectax.audit.tables.cells import MISSING, Cells, parse_cell
from sectax.audit.tables.columns import column_unit, is_beside, statistic_name, unit_word, words

_MOST_ROWS = 500
_PERCENTILES = re.compile(r"(?:.* )?(?:percentiles?|quantiles?)(?: .*)?|percentage served|p")


def is_unit_row(row: Sequence[str]) -> bool:
    """Whether the first row gives the units of the columns."""
    cells = [cell.strip() for cell in row[:_MOST_ROWS] if cell.strip()]
    named = cells[1:] if cells and cells[0].lower() in ("unit", "units") else cells
    return bool(named) and all(base_unit(cell) is not None and not cell.isdigit() for cell in named)


def turned(
    names: Sequence[str], rows: Sequence[Sequence[str]], cells: Cells
) -> tuple[list[str], list[Sequence[str]], list[Sequence[str]]] | None:
    """Return names and rows of the table that has a row for each arm, and rows without numbers.

    None where each row is an arm already.
    """
    if not 2 <= len(rows) <= _MOST_ROWS or len(names) < 2:
        return None
    read = [row for row in rows if all(map(_is_number, row[1:]))]
    first, *columns = zip(*(read or rows), strict=True)
    labels = _labels(names[0], [*map(str.strip, first)])
    arms = [(name, column) for name, column in zip(names[1:], columns, strict=True) if not cells.are_ratios(column)]
    if len({*labels}) < len(labels) or not arms or 2 * len(read) <= len(rows):
        return None
    of_statistics = [label for label in labels if statistic_name(label)]
    summary = len(of_statistics) > 1 and all(label in of_statistics or is_beside(label) for label in labels)
    units = [
        column_unit(label) or cells.unit(row)
        for label, *row in zip(labels, *(column for _, column in arms), strict=True)
    ]
    # Rows of several quantities are no arms either.
    if not (summary or (len(arms) > 1 and len({unit[0] for unit in units if unit}) > 1)):
        return None
    own = unit_word(names[0])
    headings = [label if column_unit(label) or not own else f"{label} ({own})" for label in labels]
    # Where the units are those of the arms, they are written into the cells.
    every = [unit_word(name) if not any(units) else "" for name, _ in arms]
    turned: list[Sequence[str]] = [
        [
            name,
            *(f"{cell} {unit}" if label in of_statistics else cell for label, cell in zip(labels, column, strict=True)),
        ]
        for unit, (name, column) in zip(every, arms, strict=True)
    ]
    return ["arm" if len(arms) > 1 else "", *headings], turned, [row for row in rows if row not in read]


def _labels(heading: str, labels: list[str]) -> list[str]:
    """Write percentiles as names: 50, 99.9 below 'Percentile'."""
    if not _PERCENTILES.fullmatch(words(heading) or heading.lower()):
        return labels
    shares = [label.removesuffix("%").strip() for label in labels]
    if not all(re.fullmatch(r"\d{1,3}(?:\.\d{1,6})?", share) for share in shares):
        return labels
    scale = 100 if all(float(share) <= 1 for share in shares) else 1
    return [f"p{float(share) * scale:.6g}" for share in shares]


def _is_number(cell: str) -> bool:
    """Whether a cell is a number of some unit, or has no value."""
    return parse_cell(cell.strip()) is not None or MISSING.fullmatch(cell.strip()) is not None
