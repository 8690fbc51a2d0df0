"""An experiment of a package of somebody else's works as ours do: it is one file, and one line that registers it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.hosts.processes import eventually, running_with
from tests.program import PROGRAM

PACKAGE = Path(__file__).parents[1] / "third_party"
MARK = "SECTAX_TEST_MARK"


def environment(mark: Path) -> dict[str, str]:
    paths = [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), MARK: str(mark), "COLUMNS": "120"}


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], cwd=folder, env=environment(folder), capture_output=True, text=True)


def servers(mark: Path) -> list[int]:
    """Processes that run the package's file for a test."""
    return running_with("sectax_password.py", environment=f"{MARK}={mark}\0")


def test_the_whole_of_it_is_one_file_of_at_most_120_lines() -> None:
    assert len((PACKAGE / "sectax_password.py").read_text().splitlines()) <= 120


@pytest.mark.more
def test_it_is_measured_against_its_own_server_which_ends_with_the_run(tmp_path: Path) -> None:
    run = call(tmp_path, "run", "password", "--blocks", "6", "--json", "--out", "run.sectax")
    result = call(tmp_path, "show", "run.sectax")

    assert run.returncode == 0, run.stderr
    document = json.loads(run.stdout)
    assert {finding["treatment"]: finding["effect"]["blocks"] for finding in document["findings"]} == {
        "all/pbkdf2-100": 6,
        "all/pbkdf2-2000": 6,
    }
    assert [treatment["witnesses"]["iterations"] for treatment in document["treatments"]][:3] == [0, 100, 2000]
    assert document["failures"] == []
    assert "pbkdf2-2000" in result.stdout
    assert servers(tmp_path) == []


@pytest.mark.more
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_the_run_the_server_ends_too(tmp_path: Path, how: signal.Signals) -> None:
    words = [*PROGRAM, "run", "password", "--blocks", "1000", "--out", "run.sectax"]
    with subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path), stdout=-3, stderr=-3) as run:
        try:
            assert eventually(lambda: servers(tmp_path))
            run.send_signal(how)
            run.wait(60)
        finally:
            run.kill()  # or a test that failed would wait for all its blocks

    assert eventually(lambda: not servers(tmp_path))
