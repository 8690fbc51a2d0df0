"""`sectax setup shell` writes completion, and it completes."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.needs import needs
from tests.program import PROGRAM, sectax

BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
ZSH_FOLDER = "fpath+=(~/.local/share/zsh/site-functions)"  # as setup says it


@pytest.fixture
def written(tmp_path: Path) -> Path:
    result = sectax("setup", "shell", HOME=str(tmp_path), XDG_DATA_HOME="", XDG_CONFIG_HOME="")
    assert result.status == 0, result.err
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert f"wrote {path}" in result.err
    return tmp_path


def test_a_second_time_nothing_is_written(written):
    before = {path: path.stat().st_mtime_ns for path in written.rglob("*")}

    result = sectax("setup", "shell", HOME=str(written), XDG_DATA_HOME="", XDG_CONFIG_HOME="")

    assert "is in place" in result.err
    assert "wrote" not in result.err
    assert {path: path.stat().st_mtime_ns for path in written.rglob("*")} == before


def test_folders_of_the_user_s_choice(tmp_path):
    sectax("setup", "shell", HOME=str(tmp_path / "home"), XDG_DATA_HOME=str(tmp_path / "data"))

    assert (tmp_path / "data" / "bash-completion" / "completions" / "sectax").is_file()
    assert not (tmp_path / "home" / ".local" / "share" / "bash-completion").exists()


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")

    result = sectax("setup", "shell", HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "file"))

    assert result.status == 3
    assert "cannot be written to" in result.err


TYPED = [("sectax run comm", "sectax run command "), ("sectax run command --warm", "sectax run command --warmup ")]
_PROMPT = "READY> "
_LONGEST_S = 60.0


def put_program(home: Path) -> str:
    """A folder for PATH with the program in it, so that every shell finds it by its name."""
    program = home / "bin" / "sectax"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sectax "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


def typed(shell: str, home: Path, text: str, wanted: str) -> str:
    """Start an interactive shell on a terminal, type *text* and the Tab key, and give what the terminal shows.

    Args:
        wanted: what is waited for; without it the shell has a minute.
    """
    environment = os.environ | {"HOME": str(home), "PATH": put_program(home), "TERM": "dumb"}
    environment |= {"XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    child, terminal = pty.fork()
    if not child:
        os.chdir(home)
        os.execvpe(shell, [shell, "-i"], environment)  # noqa: S606
    shown, asked, ends = "", False, time.monotonic() + _LONGEST_S
    try:
        while wanted not in shown and time.monotonic() < ends:
            if select.select([terminal], [], [], 0.5)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
            if not asked and _PROMPT in shown:
                os.write(terminal, f"{text}\t".encode())
                asked = True
    finally:
        os.close(terminal)  # which ends the shell
        os.waitpid(child, 0)
    return shown


@pytest.mark.more
@pytest.mark.parametrize(
    ("shell", "line"),
    [
        pytest.param("bash", f"source {BASH_COMPLETION}", marks=needs("bash-completion")),
        pytest.param("zsh", f"{ZSH_FOLDER}\nautoload -U compinit && compinit -u", marks=needs("zsh")),
    ],
)
@pytest.mark.parametrize(("text", "wanted"), TYPED)
def test_a_shell_completes_what_is_typed(written, shell, line, text, wanted):
    (written / f".{shell}rc").write_text(f"{line}\nPS1='{_PROMPT}'\n")

    assert wanted in typed(shell, written, text, wanted)


@pytest.mark.more
@needs("fish")
def test_fish_completes_what_is_typed(written):
    """`complete -C` answers as the Tab key does, from the file in the user's own folder."""
    environment = os.environ | {"HOME": str(written), "PATH": put_program(written), "XDG_CONFIG_HOME": ""}
    environment["XDG_DATA_HOME"] = ""
    script = "; ".join(f'complete -C "{text}"' for text, _ in TYPED)

    done = subprocess.run(["fish", "-c", script], env=environment, capture_output=True, text=True, timeout=60)

    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["command", "--warmup"], done.stderr


@pytest.mark.parametrize(
    ("words", "comes"),
    [
        ("ru", {"run", "runs"}),
        ("run comm", {"command"}),
        ("run command --warm", {"--warmup"}),
        ("setup s", {"s3", "secrets", "shell"}),
        ("help com", {"compare"}),
        ("run jwt --level al", {"algorithm="}),
        ("run jwt --level algorithm=RS256,Ed", {"algorithm=RS256,EdDSA", "algorithm=RS256,Ed448"}),
        ("run command --level command=", {"command=baseline"}),
    ],
)
def test_what_can_come_next(words, comes):
    """As the shells ask for it."""
    result = sectax(_SECTAX_COMPLETE="bash_complete", COMP_WORDS=f"sectax {words}", COMP_CWORD=str(len(words.split())))

    assert {line.partition(",")[2] for line in result.out.splitlines()} == comes


def test_a_shell_that_is_not_known_gets_nothing():
    done = subprocess.run(PROGRAM, env=os.environ | {"_SECTAX_COMPLETE": "tcsh_complete"}, capture_output=True)

    assert (done.returncode, done.stdout) == (1, b"")
