"""A control group of this machine with little memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def little_memory(limit_bytes: int) -> Iterator[Path]:
    root = Path("/sys/fs/cgroup")
    version_1 = (root / "memory").is_dir()
    group = root / ("memory" if version_1 else "") / f"sectax-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / ("memory.limit_in_bytes" if version_1 else "memory.max")).write_text(str(limit_bytes))
        # Where swap is counted: none beside it.
        swap, most = ("memory.memsw.limit_in_bytes", limit_bytes) if version_1 else ("memory.swap.max", 0)
        if (group / swap).exists():
            (group / swap).write_text(str(most))
        yield group
    finally:
        group.rmdir()
