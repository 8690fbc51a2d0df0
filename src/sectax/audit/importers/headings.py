"""Headings above outputs beside what the outputs themselves say that was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sectax.audit.evidence import Incident
from sectax.model.finding import Severity
from sectax.model.printable import printable

# Of these words a heading and an output each name one. Servers that pass requests on are left out: what stands in
# front of them answers in its own name.
_FAMILIES = (("read", "write"), ("random", "sequential"), ("nginx", "apache", "caddy", "lighttpd"))
# A heading of Markdown, or a few words alone; a colon may end them.
_HEADING = re.compile(r"\s*+(?:#{1,6} (.{1,80})|\*{0,2}([A-Za-z][\w+/-]*+(?: [\w+/-]++){0,5}):?\*{0,2}:?\s*+)$")
# The tool, and no server.
_TOOL = re.compile(r"(?i)\bapache[ -]?(?:bench(?:mark)?|ab)\b|\bapache-coyote\b")


class Headings:
    """The last heading above an output that begins."""

    def __init__(self) -> None:
        self._last = ""

    def sees(self, line: str) -> None:
        """Note it where it is one."""
        if found := _HEADING.match(line):
            self._last = found[1] or found[2]

    def taken(self) -> str:
        """The heading of the output that begins now; no other output has it."""
        taken, self._last = self._last, ""
        return taken


def mislabelled(runs: Sequence[tuple[str, str, str]]) -> Iterator[Incident]:
    """F where a heading names one of a family and the output another, in a file whose headings tell them apart.

    Args:
        runs: of each output where it is, the heading above it, and what it says of itself; both may be empty.
    """
    for family in _FAMILIES:
        named = [(where, _one_of(family, heading), _one_of(family, witness)) for where, heading, witness in runs]
        for where, told, seen in named:
            # Where no other heading names what is seen, the word may be of something else than what was measured.
            if told and seen and told != seen and any(other == seen for _, other, _ in named):
                heading = next(each for place, each, _ in runs if place == where)
                yield Incident(
                    Severity.FATAL,
                    f"{where} stands under {printable(heading, 60)!r}, and says itself that it is of {seen}",
                    "something else was measured than the heading says",
                    "mislabelled-level",
                )


def _one_of(family: Sequence[str], text: str) -> str | None:
    """The only word of a family that a text names."""
    words = {re.sub(r"(?:s|ing|e?2)$", "", word) for word in re.findall(r"[a-z]+2?", _TOOL.sub("", text).lower())}
    found = [each for each in family if each in words or each.removesuffix("e") in words]
    return found[0] if len(found) == 1 else None
