"""`sectax.toml` gives options their defaults: what is taken is said and recorded, and the command line wins."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.golden import refused_as_agreed
from tests.needs import needs
from tests.program import Said, sectax

GOLDEN = Path(__file__).with_name("golden")

TWO = ("--baseline", "sleep 0.01", "--treatment", "b=sleep 0.03")


def run(folder: Path, *words: str, dry: bool = False) -> Said:
    return sectax("run", "command", *words, *(("--dry-run",) if dry else ()), folder=folder, simulated=1)


@pytest.mark.more
def test_defaults_of_the_nearest_file_above_are_used_printed_and_recorded(tmp_path):
    (tmp_path / "sectax.toml").write_text(
        '[run]\nmargin = "5%"\nblocks = 6\n'
        '[run.command]\nwarmup = 2\nignore-failure = true\ntreatment = ["b=sleep 0.03"]\n'
    )
    (tmp_path / "deep" / "er").mkdir(parents=True)

    said = run(tmp_path / "deep" / "er", "--trust-config", "--baseline", "sleep 0.01", "--out", "r.sectax", "--json")

    document = json.loads(said.out)
    result = sectax("show", "r.sectax", "--all", folder=tmp_path / "deep" / "er")
    assert said.status == 0, said.err
    line = next(line for line in said.err.splitlines() if line.startswith("from "))
    for option in ("--margin 5%", "--blocks 6", "--warmup 2", "--ignore-failure", "--treatment b=sleep 0.03"):
        assert option in line
    assert (document["plan"]["stopping"]["margin"], document["plan"]["stopping"]["fixed_blocks"]) == (0.05, 6)
    assert "warmup: 2" in result.out
    assert "from " not in result.err


def test_the_nearest_file_alone_counts(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "sectax.toml").write_text('[run]\nmargin = "7%"\n')
    (tmp_path / "in" / "sectax.toml").write_text("")

    assert "under 2%" in run(tmp_path / "in", *TWO, dry=True).out.replace(" %", "%")


@pytest.mark.parametrize(
    ("file", "typed", "has", "lacks"),
    [
        ('margin = "5%"', ("--margin", "3%"), "under 3 %", "--margin"),
        ('budget = "99s"', ("--blocks", "7"), "exactly 7 blocks", "--budget"),
        ("blocks = 9", ("--budget", "50s"), "about 50 s", "--blocks"),
        ('until = "direction"', ("--precise",), "stops when every interval is narrow", "--until"),
        ("precise = true", ("--until", "direction"), "every direction", "--precise"),
    ],
)
def test_the_command_line_wins_also_over_what_contradicts_it(tmp_path, file, typed, has, lacks):
    (tmp_path / "sectax.toml").write_text(f"[run]\n{file}\n")

    result = run(tmp_path, *TWO, *typed, dry=True)

    assert result.status == 0, result.err
    assert has in result.out
    assert lacks not in result.err


@pytest.mark.parametrize(
    "file",
    [
        '[run]\nmargn = "5%"',
        "[run]\nwarmup = 3",
        "[run.comand]\nwarmup = 3",
        "[run.command]\nwarmpu = 3",
        "[rnu]\nmargin = 3",
        "margin = 3",
        "[run]\nprecise = 'yes'",
        "[run]\nmargin = true",
        "[run]\nmargin = ['1%', '2%']",
        "[run]\nmargin = 3",
        "[run\n",
    ],
)
def test_what_it_cannot_mean_is_refused_with_the_nearest_name(tmp_path, file):
    (tmp_path / "sectax.toml").write_text(file)

    result = run(tmp_path, *TWO, dry=True)

    refused_as_agreed(GOLDEN / "sectax-toml.txt", file.replace("\n", " "), result, tmp_path)


def test_other_commands_have_their_sections_and_help_works_beside_a_broken_file(tmp_path):
    (tmp_path / "sectax.toml").write_text("[list]\njson = true\n")

    result = sectax("list", folder=tmp_path)

    assert json.loads(result.out)["schema"] == "sectax/list/2"
    assert "sectax.toml: --json" in result.err
    (tmp_path / "sectax.toml").write_text("[lits]\n")
    assert sectax("list", folder=tmp_path).status == 2
    assert sectax("help", "list", folder=tmp_path).status == 0


@needs("root")
def test_the_file_of_another_user_is_not_obeyed(tmp_path):
    (tmp_path / "sectax.toml").write_text("[run]\n")
    os.chown(tmp_path / "sectax.toml", 65534, 65534)

    result = run(tmp_path, *TWO, dry=True)

    refused_as_agreed(GOLDEN / "sectax-toml.txt", "the file of another user", result, tmp_path)
