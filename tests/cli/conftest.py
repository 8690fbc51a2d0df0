"""A finished run, for the commands that read one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import sectax


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the run file of two commands holds."""
    folder = tmp_path_factory.mktemp("finished")
    words = ("--baseline", "sleep 0.01", "--treatment", "b=sleep 0.03", "--blocks", "6", "--out", "r.sectax")
    result = sectax("run", "command", *words, folder=folder, simulated=1)
    assert result.status == 0, result.err
    return (folder / "r.sectax").read_bytes()


@pytest.fixture
def run_file(finished: bytes, tmp_path: Path) -> Path:
    """`r.sectax` in the test's own folder."""
    path = tmp_path / "r.sectax"
    path.write_bytes(finished)
    return path
