"""What a tool says of itself in lines that repeat: each kind once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sectax.audit.evidence import Incident
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

_MOST_INCIDENTS = 20  # of a severity


class Said:
    """What a client says of itself in lines that repeat: each kind once, with the place of the first."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Severity, int, str, str]] = {}

    def add(self, severity: Severity, place: int, text: str, meaning: str, check: str = "said-by-the-tool") -> None:
        """Note what *text* says in line *place*, 0 where it is of no line; what differs in numbers alone is one."""
        kind = printable(text.strip(), 80 if place else 200)
        # Warnings do not crowd out what is worse.
        if sum(each[0] is severity for each in self._found.values()) < _MOST_INCIDENTS:
            self._found.setdefault(re.sub(r"\d++", "0", kind), (severity, place, f"{kind}\0{meaning}", check))

    @contextmanager
    def unread(self, place: int, line: str) -> Iterator[None]:
        """Within, a line that cannot be read is named and left out, and the rest of the file is read."""
        try:
            yield
        except BadInput:
            meaning = "this line is not understood: what it tells is in none of the figures"
            self.add(Severity.WARNING, place, f"{printable(line.strip(), 60)!r} cannot be read", meaning)

    def incidents(self) -> Iterator[Incident]:
        """Everything that was noted."""
        for severity, place, text, check in self._found.values():
            kind, _, meaning = text.partition("\0")
            yield Incident(severity, f"line {place}: {kind}" if place else kind, meaning, check)
