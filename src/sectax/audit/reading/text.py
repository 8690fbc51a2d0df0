"""Read the lines of an output by a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Fields, Record, Text
from sectax.audit.reading.printed import Number
from sectax.formats.bad_input import BadInput

# Longer lines match no pattern, so that none takes long: no tool prints a longer result.
LONGEST_LINE = 4000
_MOST_SHOWN = 160
# A log of three days with one request per second; more values fit into a table.
_MOST_RECORDS = 250_000
# Below the headings of a Markdown table.
_RULE = re.compile(r"\|?(?:\s*+:?-{3,}:?\s*+\|){1,200}(?:\s*+:?-{3,}:?)?")
_NUMBER_FIELD = re.compile(r"[+-]?\d[\d.,]*+[A-Za-zµ%/]{0,12}")
_NUMBERS = re.compile(r"\d[\d.,]*+")
_DIGIT = re.compile(r"[^\d\n]*+\d")


def read_text(grammar: Text, lines: Sequence[str]) -> tuple[list[Record], list[Trouble]]:
    """Return the records and reported problems; raise `BadInput` above the limit."""
    reader = _Reader(grammar)
    for place, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            if grammar.any_line.match(line[:LONGEST_LINE]):
                reader.unread.append((place, f"{len(line):,} characters: {shown(line)}"))
        elif line:
            group = reader.take(place, line) if grammar.any_line.match(line) else ""
            reader.block.append((place, line, group))
            reader.results += group in ("starts", "rows", "lines")
            if not group and _RULE.fullmatch(line):
                reader.troubles.append(
                    Trouble(TroubleKind.UNREAD, place, "this table is not read: audit it separately")
                )
        else:
            reader.end_block()
    reader.end_block()
    return reader.result()


def shown(line: str) -> str:
    """Shorten a line for quoting, at a blank if possible."""
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN].rpartition(' ')[0] or line[:_MOST_SHOWN]} …"


def _shape(line: str, group: str) -> str:
    """What similar lines share: how many numbers rows have, or a first field with digits."""
    fields = line.split()
    if group == "rows":
        numbers = sum(_NUMBER_FIELD.fullmatch(field) is not None for field in fields)
        return f"{numbers} numbers" if numbers > 1 else ""
    shape = _NUMBERS.sub("0", fields[0])
    # Neither a bare number nor a date.
    return shape if shape != "0" and shape.startswith("0") and shape.count("0") <= 2 else ""


class _Reader:
    def __init__(self, grammar: Text) -> None:
        self.grammar = grammar
        self.patterns = [(group, pattern) for group, patterns in grammar.patterns.items() for pattern in patterns]
        self.context: Fields = {}
        self.records: list[Record] = []
        self.open: Record | None = None
        self.troubles: list[Trouble] = []
        self.results = 0  # lines with results
        self.unread: list[tuple[int, str]] = []  # lines that look like results, and match no pattern
        self.block: list[tuple[int, str, str]] = []  # lines up to an empty one, with the group of their pattern

    def end_block(self) -> None:
        """Find lines that match no pattern, and look like those of their block that do."""
        shapes = {_shape(line, group) for _, line, group in self.block if group}
        rows = any(group == "rows" for _, _, group in self.block)
        for place, line, group in self.block:
            if not group and _DIGIT.match(line) and not self.grammar.not_results.match(line):
                shape = _shape(line, "rows" if rows else "lines")
                if (shape and shape in shapes) or self.grammar.beginning.match(line):
                    self.unread.append((place, line))
        self.block = []

    def take(self, place: int, line: str) -> str:
        """Read a line; return the group of its pattern, or an empty text."""
        for trouble, fatal in self.grammar.troubles:
            if trouble.match(line):
                kind = TroubleKind.FAILED if fatal else TroubleKind.WARNED
                self.troubles.append(Trouble(kind, place, shown(line)))
                return "troubles"
        matched = ""
        for group, pattern in self.patterns:
            if (fields := pattern.match(line)) is not None:
                if any(value is None for _, value in fields):
                    self.troubles.append(Trouble(TroubleKind.UNREAD, place, f"not a number: {shown(line)}"))
                self._put(group, place, [(name, value) for name, value in fields if value is not None])
                matched = group
                break
        if self.grammar.last and self.open is not None and self.grammar.last_line.match(line):
            self.open.ended = True
        return matched

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
        numbers = {name for name, value in fields if isinstance(value, Number)}
        repeated = self.open is not None and self.open.ended and not numbers.isdisjoint(self.open.fields)
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
        if self.unread:
            place, line = min(self.unread)
            count, every = len(self.unread), self.results + len(self.unread)
            text = f"{count} of {every} lines with results were not read: {shown(line)}"
            self.troubles.append(Trouble(TroubleKind.UNREAD, place, text))
        if self.grammar.last:
            cut = [record.line for record in self.records if not record.ended]
            self.troubles += [Trouble(TroubleKind.CUT, line, "the last lines of this run are missing") for line in cut]
        return self.records, self.troubles
