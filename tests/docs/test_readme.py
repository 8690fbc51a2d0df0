"""README.md read from top to bottom: every code block is run, in one folder, in the order in which it stands.

`tests.docs.blocks` says what a comment before a block may change for the test.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks
from tests.program import sectax

README = Path(__file__).parents[2] / "README.md"


def test_blocks_are_found_whatever_they_look_like():
    page = (
        "text\n\n    make demo\n    again\n\nmore\n    no block\n\n"
        "<!-- test: simulated -->\n```sh\nsectax list # all\n\nsectax show\n```\nend"
    )

    assert blocks(page) == [
        Block(3, ("make demo", "again")),
        Block(14, ("sectax list # all", "sectax show"), "simulated"),
    ]


@pytest.mark.more
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
            result = sectax(*words[1:], folder=tmp_path, simulated=block.simulated)
            assert result.status == 0, f"{where}\n{result.out}\n{result.err}"
            assert result.out.strip(), where
