"""Closed, narrow and broken streams: the program does its work, and says what it can."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

from tests.program import PROGRAM, sectax

TWO = ("--baseline", "true", "--treatment", "other=true")


@pytest.fixture
def folder(run_file):
    return run_file.parent


def by_shell(folder, words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    shell = f'set -o pipefail; sectax() {{ {shlex.join(PROGRAM)} "$@"; }}; {words}'
    return subprocess.run(["bash", "-c", shell], cwd=folder, env=os.environ | environment, capture_output=True)


@pytest.mark.more
def test_signs_that_the_locale_lacks_are_replaced(folder):
    done = by_shell(folder, "sectax show r.sectax --all", PYTHONIOENCODING="latin-1")

    said = done.stdout.decode("latin-1")
    assert done.returncode == 0, done.stderr
    assert " ± " in said  # Latin-1 has this sign, and lacks the dagger of secondary comparisons
    assert "* secondary: " in said
    assert "\\u" not in said


@pytest.mark.more
def test_documents_are_utf_8_whatever_the_locale_says(folder):
    by_json = by_shell(folder, "sectax show r.sectax --json", PYTHONIOENCODING="latin-1")
    report = by_shell(folder, "sectax report r.sectax", PYTHONIOENCODING="latin-1")

    assert json.loads(by_json.stdout.decode("utf-8"))["schema"]
    assert "±" in report.stdout.decode("utf-8")


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_accepted(folder, closed):
    done = by_shell(folder, f"sectax show r.sectax {closed}")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kilobytes", [110_000, 200_000, 400_000])
def test_too_little_memory_is_reported_and_not_waited_for(folder, kilobytes):
    # OpenBLAS reserves memory for every thread, and where it gets none it tries for ever.
    done = by_shell(
        folder, f"ulimit -v {kilobytes}; OPENBLAS_NUM_THREADS= timeout -k 1 60 {shlex.join(PROGRAM)} show r.sectax"
    )

    if kilobytes < 400_000:
        assert done.returncode == 3
        assert b"sectax: not enough memory" in done.stderr
        assert b"\nhint: " in done.stderr
    else:
        assert done.returncode == 0, done.stderr


@pytest.mark.more
def test_a_run_with_all_streams_closed_is_recorded_whole(tmp_path):
    done = by_shell(tmp_path, f"sectax run command {shlex.join(TWO)} --blocks 6 --out r.sectax <&- >&- 2>&-")

    assert done.returncode == 0
    assert "preset: 6 blocks" in sectax("show", "r.sectax", folder=tmp_path).out


@pytest.mark.parametrize("words", ["list", "show r.sectax"])
def test_a_reader_that_wants_one_line_gets_it(folder, words):
    done = by_shell(folder, f"sectax {words} | head -1")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


def test_an_error_keeps_its_status_when_the_reader_of_its_message_is_gone(tmp_path):
    done = by_shell(tmp_path, "{ sectax show none.sectax 2>&1; echo $? >&3; } 3>status | true")

    assert done.returncode == 0
    assert (tmp_path / "status").read_text() == "2\n"


SWALLOWS = """
import sys, time
from sectax.cli.main import interrupt_again

class Swallows:
    def __del__(self):
        raise KeyboardInterrupt

sys.unraisablehook = interrupt_again
try:
    Swallows()
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_an_interrupt_that_a_destructor_swallows_comes_again():
    done = subprocess.run([sys.executable, "-c", SWALLOWS], capture_output=True, timeout=60)

    assert (done.returncode, done.stderr) == (7, b"")
