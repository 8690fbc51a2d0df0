"""README.md read from top to bottom: every code block is run, in one folder, in the order in which it stands.

A comment before a block, which readers of the page do not see, may shorten it for the test:

    <!-- test: simulated -->                          runs of commands take virtual time
    <!-- test: "--quick" becomes "--quick --blocks 6" -->   these words are replaced, in this block
    <!-- test: make -n -->                            it is only asked what it would do
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.program import sectax

README = Path(__file__).parents[2] / "README.md"
_MARK = re.compile(r"<!-- test: (.*) -->")
_BECOMES = re.compile(r'"([^"]*)" becomes "([^"]*)"')


@dataclass(frozen=True)
class Block:
    """A code block: the line of the page where it begins, its commands, and its mark."""

    line: int
    commands: tuple[str, ...]
    mark: str = ""

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


def test_blocks_are_found_whatever_they_look_like():
    page = (
        "text\n\n    make demo\n    again\n\nmore\n    no block\n\n"
        "<!-- test: simulated -->\n```sh\nsectax list # all\n\nsectax show\n```\nend"
    )

    assert blocks(page) == [
        Block(3, ("make demo", "again")),
        Block(14, ("sectax list # all", "sectax show"), "simulated"),
    ]


def test_the_readme_works_from_top_to_bottom(tmp_path):
    shown = blocks(README.read_text(encoding="utf-8"))
    assert len(shown) >= 5

    for block in shown:
        for line in block.shortened():
            words = shlex.split(line, comments=True)
            where = f"README.md, the block of line {block.line}: {line}"
            if words[0] == "make":
                assert block.mark == "make -n", where
                done = subprocess.run([*words, "-n"], cwd=README.parent, capture_output=True, text=True)
                assert done.returncode == 0, f"{where}\n{done.stderr}"
                continue
            assert words[0] == "sectax", where
            said = sectax(*words[1:], folder=tmp_path, simulated=block.simulated)
            assert said.status == 0, f"{where}\n{said.out}\n{said.err}"
            assert said.out.strip(), where
