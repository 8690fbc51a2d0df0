"""Reads the lines of an output by a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Fields, Record, Text

# Nothing that a tool prints as a result is longer.
_LONGEST_LINE = 20_000
_MOST_SHOWN = 100


def read_text(grammar: Text, lines: Sequence[str]) -> tuple[list[Record], list[Trouble]]:
    """The records of an output, and what it reports besides."""
    reader = _Reader(grammar)
    for place, line in enumerate(lines, 1):
        if line and len(line) <= _LONGEST_LINE and grammar.any_line.match(line):
            reader.take(place, line)
    return reader.result(len(lines))


class _Reader:
    def __init__(self, grammar: Text) -> None:
        self.grammar = grammar
        self.patterns = grammar.patterns
        self.last = re.compile(grammar.last.replace(" ", r"\s+")) if grammar.last else None
        self.ignored = [re.compile(source.replace(" ", r"\s+")) for source in grammar.ignore]
        self.context: Fields = {}
        self.records: list[Record] = []
        self.open: Record | None = None
        self.troubles: list[Trouble] = []

    def take(self, place: int, line: str) -> None:
        if any(ignored.match(line) for ignored in self.ignored):
            return
        for trouble, fatal in self.grammar.troubles:
            if trouble.match(line):
                kind = TroubleKind.FAILED if fatal else TroubleKind.WARNED
                self.troubles.append(Trouble(kind, place, line[:_MOST_SHOWN]))
                return
        for group in ("starts", "rows", "head", "lines"):
            for pattern in self.patterns[group]:
                fields = pattern.match(line)
                if fields is not None:
                    self._note_missing(place, line, fields)
                    getattr(self, f"_{group}")(place, [field for field in fields if field[1] is not None])
                    break
            else:
                continue
            break
        if self.last is not None and self.open is not None and self.last.match(line):
            self.open.ended = True

    def _note_missing(self, place: int, line: str, fields: Sequence[tuple[str, object]]) -> None:
        if any(value is None for _, value in fields):
            self.troubles.append(Trouble(TroubleKind.UNREAD, place, f"not a number: {line[:_MOST_SHOWN]}"))

    def _starts(self, place: int, fields: list) -> None:  # type: ignore[type-arg]
        self.open = self._new(place, fields)

    def _rows(self, place: int, fields: list) -> None:  # type: ignore[type-arg]
        record = self._new(place, fields)
        record.ended = True

    def _head(self, place: int, fields: list) -> None:  # type: ignore[type-arg]
        for name, value in fields:
            self.context[name] = [value]

    def _lines(self, place: int, fields: list) -> None:  # type: ignore[type-arg]
        repeated = self.open is not None and self.open.ended and any(name in self.open.fields for name, _ in fields)
        if self.open is None or repeated:
            # Its first lines were not copied.
            self.open = self._new(place, [])
            self.open.begun = not self.grammar.starts
        for name, value in fields:
            self.open.add(name, value)

    def _new(self, place: int, fields: list) -> Record:  # type: ignore[type-arg]
        record = Record(place, {name: list(values) for name, values in self.context.items()})
        for name, value in fields:
            record.fields.pop(name, None) if name in self.context else None
            record.add(name, value)
        self.records.append(record)
        return record

    def result(self, count: int) -> tuple[list[Record], list[Trouble]]:
        if self.last is not None:
            self.troubles += [
                Trouble(TroubleKind.CUT, record.line, f"the run has no line {self.grammar.last!r}")
                for record in self.records
                if not record.ended
            ]
        return self.records, self.troubles
