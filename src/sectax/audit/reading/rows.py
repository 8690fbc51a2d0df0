"""Read the rows of a tool's CSV by a grammar."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Csv, Record
from sectax.audit.reading.printed import read
from sectax.audit.reading.text import shown
from sectax.formats.bad_input import BadInput

# A line of headings may have a command and other text above it.
_MOST_ABOVE = 50
# No tool writes more results.
_MOST_ROWS = 250_000


def headings_line(grammar: Csv, lines: Sequence[str]) -> int | None:
    """Return the index of the line with the grammar's headings; None without."""
    for at, line in enumerate(lines[:_MOST_ABOVE]):
        if grammar.keys[0] in line:
            cells = _cells(grammar, line)
            if all(any(re.fullmatch(key, cell) for cell in cells) for key in grammar.keys):
                return at
    return None


def read_rows(grammar: Csv, lines: Sequence[str]) -> tuple[list[Record], list[Trouble]]:
    """Return the records of a table and the rows or cells that were not read.

    Raises:
        BadInput: the headings are missing, or there are too many rows.
    """
    begin = headings_line(grammar, lines)
    if begin is None:
        raise BadInput(f"the headings of {grammar.title} are missing", f"its columns are {', '.join(grammar.keys)}")
    if len(lines) - begin > _MOST_ROWS:
        raise BadInput(f"more than {_MOST_ROWS:,} results", "split the file")
    if not any(lines[begin + 1 :]):
        raise BadInput(f"{grammar.title} has no rows below its headings", "give the whole file")
    headings = _cells(grammar, lines[begin])
    places = [grammar.place(heading) for heading in headings]
    records: list[Record] = []
    troubles: list[Trouble] = []
    for line_number, line in enumerate(lines[begin + 1 :], begin + 2):
        if not line:
            continue
        cells = _cells(grammar, line)
        if len(cells) != len(headings):
            text = f"{len(cells)} fields below {len(headings)} headings: {shown(line)}"
            troubles.append(Trouble(TroubleKind.UNREAD, line_number, text))
            continue
        record = Record(line_number, ended=True)
        for place, cell in zip(places, cells, strict=True):
            if place is None or not cell:
                continue
            value = read(place[1], cell)
            if value is None:
                troubles.append(Trouble(TroubleKind.UNREAD, line_number, f"not a number: {shown(cell)}"))
            else:
                record.add(place[0], value)
        records.append(record)
    return records, troubles


def _cells(grammar: Csv, line: str) -> list[str]:
    # Spreadsheets of some languages write semicolons.
    separator = grammar.separator if grammar.separator in line else ";"
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    except (csv.Error, StopIteration):
        return []
