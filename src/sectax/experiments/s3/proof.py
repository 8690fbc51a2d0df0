"""Proof of encryption: search a stored marker in the server's files."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def contains_marker(files: Iterable[Path], marker: bytes, since: float = 0.0) -> bool:
    """Whether one of the files that is newer than *since* has the marker."""
    return any(_in_file(path, marker, since) for path in files)


def cached_share(files: Iterable[Path], pages: int = 64) -> float | None:
    """Share of sampled pages in the page cache; None if unknown."""
    sampled = cached = 0
    for path in files:
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            step = max(4096, size // pages // 4096 * 4096)
            for offset in range(0, size, step):
                try:
                    # EAGAIN if it would have to wait for the disk.
                    os.preadv(file.fileno(), [bytearray(1)], offset, os.RWF_NOWAIT)
                    cached += 1
                except BlockingIOError:
                    pass
                except OSError:
                    return None
                sampled += 1
    return cached / sampled if sampled else None


def files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _in_file(path: Path, marker: bytes, since: float) -> bool:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size < len(marker) or status.st_mtime < since:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(marker) >= 0
    except FileNotFoundError:  # a temporary file of the server
        return False
