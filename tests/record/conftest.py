"""Folders in memory for run files, since syncs to a busy disk are slow.

Each test has its own folder: the permissions of pytest's shared one change if several pytests run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY_FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sectax-test-", dir=MEMORY_FOLDER) as folder:
        yield Path(folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The run file of a test."""
    return tmp_path / "run.sectax"
