"""The documents say what the program does: shown commands are run, reference pages are compared, links are followed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import sectax

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "probes" / "PROTOCOL.md"])


def test_the_reference_of_commands_is_what_the_program_says():
    result = subprocess.run([sys.executable, "docs/generate_commands.py"], cwd=ROOT, capture_output=True, text=True)

    assert result.stderr == ""
    assert (ROOT / "docs" / "commands.md").read_text() == result.stdout


def shown_commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def test_every_run_that_the_readme_shows_has_a_plan(tmp_path):
    runs = [words for line in shown_commands() if (words := shlex.split(line, comments=True))[1] == "run"]
    assert len(runs) >= 2

    for words in runs:
        result = sectax(*words[1:], "--dry-run", folder=tmp_path)
        assert result.status == 0, result.err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_the_pages_name_exist(page):
    known = set(re.findall(r"--[a-z][a-z-]+", (ROOT / "docs" / "commands.md").read_text()))
    for line in re.findall(r"`sectax [^`]+`", page.read_text()):
        assert set(re.findall(r"--[a-z][a-z-]+", line)) <= known, line
