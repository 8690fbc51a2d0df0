"""`sectax setup shell` writes completion and a man page, and the completion completes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import PROGRAM, sectax


@pytest.fixture
def written(tmp_path: Path) -> Path:
    said = sectax("setup", "shell", HOME=str(tmp_path), XDG_DATA_HOME="", XDG_CONFIG_HOME="")
    assert said.status == 0, said.err
    for path in (each for each in tmp_path.rglob("*") if each.is_file()):
        assert f"wrote {path}" in said.err
    return tmp_path


def test_a_second_time_nothing_is_written(written):
    before = {path: path.stat().st_mtime_ns for path in written.rglob("*")}

    said = sectax("setup", "shell", HOME=str(written), XDG_DATA_HOME="", XDG_CONFIG_HOME="")

    assert "is in place" in said.err
    assert "wrote" not in said.err
    assert {path: path.stat().st_mtime_ns for path in written.rglob("*")} == before


def test_folders_of_the_user_s_choice(tmp_path):
    sectax("setup", "shell", HOME=str(tmp_path / "home"), XDG_DATA_HOME=str(tmp_path / "data"))

    assert (tmp_path / "data" / "man" / "man1" / "sectax.1").is_file()
    assert not (tmp_path / "home").exists() or not list((tmp_path / "home").rglob("sectax.1"))


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    said = sectax("setup", "shell", HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "file"))

    assert said.status == 3
    assert "cannot be written to" in said.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "comes"),
    [("sectax ru", {"run", "runs"}), ("sectax run comm", {"command"}), ("sectax run command --warm", {"--warmup"})],
)
def test_bash_completes_commands_experiments_and_options(written, tmp_path, words, comes):
    program = tmp_path / "bin" / "sectax"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sectax "$@"\n')
    program.chmod(0o755)
    script = (
        f"source {written}/.local/share/bash-completion/completions/sectax; COMP_WORDS=({words});"
        " COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sectax_completion sectax; printf '%s\\n' \"${COMPREPLY[@]}\""
    )

    done = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert set(done.stdout.split()) == comes, done.stderr


def test_the_man_page_names_every_command_and_its_options(written):
    page = (written / ".local" / "share" / "man" / "man1" / "sectax.1").read_text()

    for said in (
        ".SH NAME",
        ".SS sectax show",
        ".SS sectax run command",
        r"\-\-fail\-if CONDITION",
        "neither holds nor",
    ):
        assert said in page
    assert not [line for line in page.splitlines() if line.startswith("'")]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_is_well_formed(written):
    page = written / ".local" / "share" / "man" / "man1" / "sectax.1"

    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_shell_that_is_not_known_gets_nothing():
    done = subprocess.run(PROGRAM, env=os.environ | {"_SECTAX_COMPLETE": "tcsh_complete"}, capture_output=True)

    assert (done.returncode, done.stdout) == (1, b"")
