"""Read the lines of an output by a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Fields, Record, Text
from sectax.audit.reading.printed import Number
from sectax.formats.bad_input import BadInput

# No tool prints a longer result.
_LONGEST_LINE = 20_000
_MOST_SHOWN = 160
# A log of three days with one request per second; more values fit into a table.
_MOST_RECORDS = 250_000


def read_text(grammar: Text, lines: Sequence[str]) -> tuple[list[Record], list[Trouble]]:
    """Return the records and reported problems; raise `BadInput` above the limit."""
    reader = _Reader(grammar)
    for place, line in enumerate(lines, 1):
        if line and len(line) <= _LONGEST_LINE and grammar.any_line.match(line):
            reader.take(place, line)
    return reader.result()


def shown(line: str) -> str:
    """Shorten a line for quoting, at a blank if possible."""
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN].rpartition(' ')[0] or line[:_MOST_SHOWN]} …"


class _Reader:
    def __init__(self, grammar: Text) -> None:
        self.grammar = grammar
        self.patterns = [(group, pattern) for group, patterns in grammar.patterns.items() for pattern in patterns]
        self.last = re.compile(grammar.last.replace(" ", r"\s+")) if grammar.last else None
        self.context: Fields = {}
        self.records: list[Record] = []
        self.open: Record | None = None
        self.troubles: list[Trouble] = []

    def take(self, place: int, line: str) -> None:
        for trouble, fatal in self.grammar.troubles:
            if trouble.match(line):
                kind = TroubleKind.FAILED if fatal else TroubleKind.WARNED
                self.troubles.append(Trouble(kind, place, shown(line)))
                return
        for group, pattern in self.patterns:
            if (fields := pattern.match(line)) is not None:
                if any(value is None for _, value in fields):
                    self.troubles.append(Trouble(TroubleKind.UNREAD, place, f"not a number: {shown(line)}"))
                self._put(group, place, [(name, value) for name, value in fields if value is not None])
                break
        if self.last is not None and self.open is not None and self.last.match(line):
            self.open.ended = True

    def _put(self, group: str, place: int, fields: list[tuple[str, Number | str]]) -> None:
        if group == "starts":
            self.open = self._new(place, fields)
        elif group == "rows":
            self._new(place, fields).ended = True
        elif group == "head":
            self.context |= {name: [value] for name, value in fields}
        else:
            self._lines(place, fields)

    def _lines(self, place: int, fields: list[tuple[str, Number | str]]) -> None:
        repeated = self.open is not None and self.open.ended and any(name in self.open.fields for name, _ in fields)
        if self.open is None or repeated:
            # Its first lines were not copied.
            self.open = self._new(place, [])
            self.open.begun = not self.grammar.starts
        for name, value in fields:
            self.open.add(name, value)

    def _new(self, place: int, fields: list[tuple[str, Number | str]]) -> Record:
        record = Record(place, {name: list(values) for name, values in self.context.items()})
        for name, value in fields:
            record.fields.pop(name, None) if name in self.context else None
            record.add(name, value)
        self.records.append(record)
        if len(self.records) > _MOST_RECORDS:
            raise BadInput(f"more than {_MOST_RECORDS:,} results", "split the file, or write the values as CSV")
        return record

    def result(self) -> tuple[list[Record], list[Trouble]]:
        if self.last is not None:
            cut = [record.line for record in self.records if not record.ended]
            self.troubles += [Trouble(TroubleKind.CUT, line, "the last lines of this run are missing") for line in cut]
        return self.records, self.troubles
