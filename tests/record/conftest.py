"""Run files of these tests lie in memory: each writes and syncs many, and other work on a disk would be waited for.

It also is a folder of each test's own: beside other runs of pytest, the rights of pytest's common one change at times.
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
    """Where a test's run is recorded."""
    return tmp_path / "run.sectax"
