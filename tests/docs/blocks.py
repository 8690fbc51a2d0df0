"""The code blocks of a page, with what a comment before them says of their test.

    <!-- test: simulated -->                          runs of commands take virtual time
    <!-- test: "--quick" becomes "--quick --blocks 6" -->   these words are replaced, in this block
    <!-- test: make -n -->                            it is only asked what it would do

Readers of the page do not see the comment.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_MARK = re.compile(r"<!-- test: (.*) -->")
_BECOMES = re.compile(r'"([^"]*)" becomes "([^"]*)"')


@dataclass(frozen=True)
class Block:
    """A code block: the line of the page where it begins, its commands, and its mark."""

    line: int
    commands: tuple[str, ...]
    mark: str = ""

    @property
    def lines(self) -> list[str]:
        """Whole command lines: those that go on, with a backslash or within quotes, are one."""
        found, before = [], ""
        for line in self.commands:
            before += line.removesuffix("\\") if line.endswith("\\") else line
            if not line.endswith("\\") and _is_whole(before):
                found.append(before.removeprefix("$ "))
                before = ""
            elif not line.endswith("\\"):
                before += "\n"
        return found

    @property
    def simulated(self) -> int | None:
        return 1 if self.mark == "simulated" else None

    def shortened(self) -> list[str]:
        """The commands that the test runs. Every replacement of the mark must find its words."""
        text = "\n".join(self.commands)
        for old, new in _BECOMES.findall(self.mark):
            assert old in text, f"line {self.line}: the mark names {old!r}, which the block does not have"
            text = text.replace(old, new)
        return text.splitlines()


def _is_whole(line: str) -> bool:
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return True


def blocks(page: str) -> list[Block]:
    """All code blocks, fenced and indented, in order."""
    found: list[Block] = []
    mark, fenced, commands, began = "", False, list[str](), 0
    before = ""
    for number, line in enumerate([*page.splitlines(), ""], start=1):
        in_block = fenced or (line.startswith("    ") and (bool(commands) or not before.strip()))
        if line.startswith("```"):
            fenced = not fenced
            began = number
        elif in_block and line.strip():
            began = began or number
            commands.append(line.strip())
        elif marked := _MARK.fullmatch(line.strip()):
            mark = marked[1]
        if commands and not fenced and not in_block:
            found.append(Block(began, tuple(commands), mark))
            mark, commands, began = "", [], 0
        before = line
    return found
