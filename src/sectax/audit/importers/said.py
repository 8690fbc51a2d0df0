"""What a tool says of itself in lines that repeat: each kind once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.evidence import Incident
from sectax.model.finding import Severity
from sectax.model.printable import printable

_MOST_INCIDENTS = 20  # of a severity


class Said:
    """What a client says of itself in lines that repeat: each kind once, with the place of the first."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Severity, int, str]] = {}

    def add(self, severity: Severity, place: int, text: str, meaning: str) -> None:
        """Note what *text* says in line *place*, 0 where it is of no line; what differs in numbers alone is one."""
        kind = printable(text.strip(), 80 if place else 200)
        # Warnings do not crowd out what is worse.
        if sum(each[0] is severity for each in self._found.values()) < _MOST_INCIDENTS:
            self._found.setdefault(re.sub(r"\d++", "0", kind), (severity, place, f"{kind}\0{meaning}"))

    def incidents(self) -> Iterator[Incident]:
        """Everything that was noted."""
        for severity, place, text in self._found.values():
            kind, _, meaning = text.partition("\0")
            yield Incident(severity, f"line {place}: {kind}" if place else kind, meaning)
