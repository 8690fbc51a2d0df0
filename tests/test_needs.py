"""A test that needs more than Python is of the middle form; one that skips itself may fail the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

CONFTEST = """
from pathlib import Path
from tests import needs
from tests.needs import (
    pytest_collection_modifyitems, pytest_configure, pytest_sessionfinish, pytest_terminal_summary
)

here, missing = needs.Part(lambda: True, ""), needs.Part(lambda: False, "install it")
needs.PARTS = {"cc": here, "ssh": missing}
"""
TESTS = """
import pytest
from tests.needs import needs

def test_nothing(): pass

@needs("cc")
def test_cc(): pass

@pytest.mark.parametrize("part", ["cc", pytest.param("ssh", marks=needs("ssh"))])
@needs("cc")
def test_ssh(part): pass
"""


def run(folder: Path, form: str, *tests: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = more\naddopts = --strict-markers\n")
    (folder / "test_it.py").write_text("\n".join([TESTS, *tests]))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, "-m", form, folder]
    wanted = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SECTAX_NO"))}
    wanted["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than the tests to run
    return subprocess.run(words, cwd=ROOT, env=wanted | environment, capture_output=True, text=True)


def test_the_first_form_has_no_test_that_needs_more_and_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, "not more", SECTAX_NO_SKIPS="1")

    assert done.returncode == 0, done.stdout
    assert "1 passed, 3 deselected" in done.stdout
    assert "make test-more runs the rest" in done.stdout


def test_the_middle_form_names_what_is_missing_and_how_to_install_it(tmp_path: Path) -> None:
    done = run(tmp_path, "more", SECTAX_NO_SKIPS="1")

    assert done.returncode == 0, done.stdout
    assert "2 passed, 1 skipped" in done.stdout
    assert "skipped: 1 that need ssh: install it" in done.stdout


@pytest.mark.parametrize(("forbidden", "status"), [("", 0), ("1", 1)])
def test_a_test_that_skips_itself_fails_where_skips_are_forbidden(tmp_path: Path, forbidden: str, status: int) -> None:
    done = run(tmp_path, "not more", "def test_own(): pytest.skip('felt like it')", SECTAX_NO_SKIPS=forbidden)

    assert done.returncode == status, done.stdout
    assert "test_it.py::test_own: felt like it" in done.stdout


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ("needs('a miracle')", "needs a miracle, which tests/needs.py has not"),
        ("pytest.mark.skipif(True, reason='no cc')", "has skipif: say needs(part) instead"),
    ],
)
def test_an_unknown_part_and_a_skip_of_its_own_are_refused(tmp_path: Path, mark: str, says: str) -> None:
    done = run(tmp_path, "not more", f"@{mark}\ndef test_own(): pass")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert says in done.stderr
