"""A sectax.toml that can start programs is used only after it was trusted, by its content."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Said, sectax

WORDS = ("run", "command", "true", "false", "--ignore-failure", "--dry-run")


def run(folder: Path, *words: str) -> Said:
    return sectax(*words, folder=folder, simulated=1, SECTAX_STATE=str(folder / "state"))


@pytest.mark.parametrize(
    "text",
    ["[run.command]\nprepare = ['touch started']\n", "[run.command]\nsetup = 'true'\n", "[run]\nhtml = 'a.html'\n"],
)
def test_a_file_that_can_start_programs_needs_trust(tmp_path: Path, text: str) -> None:
    file = tmp_path / "sectax.toml"
    file.write_text(text)
    if "html" in text:
        assert run(tmp_path, *WORDS).status == 2  # not a key of all experiments
        return

    assert run(tmp_path, *WORDS).status == 2
    assert run(tmp_path, *WORDS, "--no-config").status == 0
    assert run(tmp_path, *WORDS, "--trust-config").status == 0
    assert run(tmp_path, "trust").status == 0
    assert run(tmp_path, *WORDS).status == 0
    file.write_text(text + "# changed\n")
    assert run(tmp_path, *WORDS).status == 2


def test_harmless_keys_and_plain_levels_need_none(tmp_path: Path) -> None:
    (tmp_path / "sectax.toml").write_text('[run]\nmargin = "5%"\nlevel = ["operation=sign"]\n')
    assert run(tmp_path, "run", "jwt", "--dry-run", "--level", "language=python").status == 0

    (tmp_path / "sectax.toml").write_text('[run]\nlevel = ["language=mine=./probe"]\n')
    assert run(tmp_path, "run", "jwt", "--dry-run").status == 2


def test_a_deeply_nested_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sectax.toml").write_text("a = " + "[" * 5000 + "]" * 5000)

    assert run(tmp_path, *WORDS).status == 2
