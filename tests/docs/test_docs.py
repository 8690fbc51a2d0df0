"""The documents say what the program does: shown commands are run, reference pages are compared, links are followed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "probes" / "PROTOCOL.md"])


def test_the_reference_of_commands_is_what_the_program_says():
    result = subprocess.run([sys.executable, "docs/generate_commands.py"], cwd=ROOT, capture_output=True, text=True)

    assert result.stderr == ""
    assert (ROOT / "docs" / "commands.md").read_text() == result.stdout


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
