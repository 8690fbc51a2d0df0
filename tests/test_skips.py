"""A skip is named with its reason, and may be forbidden where the machine has what the test wants."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips

ROOT = Path(__file__).parents[1]

TESTS = """
import pytest
from tests.skips import pytest_sessionfinish, pytest_terminal_summary

def test_runs(): pass

@pytest.mark.skip(reason="no pandas here")
def test_needs_pandas(): pass

def test_needs_nothing(): pytest.skip("the interpreter needs no mount here")
"""


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(TESTS.replace("def test", "def _test"))
    (folder / "test_it.py").write_text(TESTS.replace("from tests", "# from tests"))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    wanted = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SECTAX_NO"))}
    return subprocess.run(words, cwd=ROOT, env=wanted | environment, capture_output=True, text=True)


def test_every_skipped_test_is_named_with_its_reason(tmp_path):
    done = run(tmp_path)

    assert done.returncode == 0, done.stdout
    assert "test_it.py::test_needs_pandas: no pandas here" in done.stdout
    assert "test_it.py::test_needs_nothing: the interpreter needs no mount here" in done.stdout
    assert "though this machine can run it" not in done.stdout


def test_a_skip_that_this_machine_need_not_make_fails_where_skips_are_forbidden(tmp_path):
    done = run(tmp_path, SECTAX_NO_SKIPS="1")

    assert done.returncode == 1
    _, accused = done.stdout.split("though this machine can run it")
    assert "test_it.py::test_needs_pandas" in accused
    assert "test_needs_nothing" not in accused
    assert "1 passed, 2 skipped" in done.stdout


@pytest.mark.parametrize("reason", ["", "felt like it"])
def test_a_reason_that_names_nothing_of_the_machine_is_not_excused(reason):
    assert not skips.is_excused(reason)


def test_a_lack_excuses_and_its_opposite_does_not(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert skips.is_excused("no C compiler")

    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert not skips.is_excused("no C compiler")
