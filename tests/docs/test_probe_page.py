"""The page on writing a probe is followed to the letter: its blocks become a probe, which is checked and measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sectax.parts import probes
from tests.needs import needs
from tests.program import sectax

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "probe.md"
_FILE = re.compile(r"<!-- file: ([\w.]+) -->\n```\w+\n(.*?)```\n", re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A probe of what the page shows: blocks of one file follow each other."""
    for name, text in _FILE.findall(PAGE.read_text()):
        with (tmp_path / name).open("a") as file:
            file.write(text)
    return tmp_path


def test_the_page_is_short_and_its_manifest_is_one(folder: Path) -> None:
    made = probes.load(f"ruby={folder}")

    assert len(PAGE.read_text().splitlines()) <= 150
    assert made.manifest.command == ["{ruby}", "probe.rb"]
    assert [requirement.apt for requirement in made.manifest.requires] == [["ruby"]]
    assert "sectax.parts.probes:bundled" in PAGE.read_text()


@needs("ruby")
def test_the_probe_of_the_page_passes_every_check(folder: Path) -> None:
    said = sectax("probe", "check", "ruby probe.rb", "--json", folder=folder)

    results = json.loads(said.out)["checks"]
    assert said.status == 0, said.out
    assert {result["status"] for result in results} <= {"passed", "skipped"}
    passed = [result for result in results if result["status"] == "passed"]
    assert {
        f"sign algorithm={name} key_use=parsed-once layer=primitive" for name in ("RS256", "RS512", "HS256", "HS512")
    } <= {result["case"] for result in passed}
    assert any("Wycheproof" in result["case"] for result in passed)


@needs("ruby")
def test_a_run_measures_it(folder: Path) -> None:
    levels = ("--level", f"language=ruby={folder}", "--level", "algorithm=RS256,HS256", "--level", "operation=sign")

    result = sectax("run", "jwt", "--quick", *levels, "--blocks", "6", "--json", folder=folder)

    assert result.status == 0, result.err
    assert json.loads(result.out)["run"]["blocks"] == 6
