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
        for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes") if version_1 else ("memory.max",):
            (group / name).write_text(str(limit_bytes))
        if not version_1:
            (group / "memory.swap.max").write_text("0")
        yield group
    finally:
        group.rmdir()
