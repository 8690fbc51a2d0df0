"""Proof that a server encrypts: a marker that a client stored is looked for in the server's files."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path


def holds(folder: Path, marker: bytes, since: float = 0.0) -> bool:
    """Whether any file below *folder* holds the marker, wherever in it.

    Args:
        since: seconds since the epoch; files that were last written before are left out.
    """
    return any(_in_file(path, marker, since) for path in _files(folder))


def stored_bytes(folder: Path) -> int:
    """What all files below *folder* take of the disk, in bytes: whole blocks, as the file system gives them out."""
    return sum(path.stat().st_blocks * 512 for path in _files(folder))


def cached_share(folder: Path, pages: int = 64) -> float | None:
    """Which share of the pages below *folder* the kernel's page cache holds, by a sample of every file.

    Returns:
        In [0, 1]; None where the file system does not tell, or there are no files.
    """
    pages_seen = cached = 0
    for path in _files(folder):
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            step = max(4096, size // pages // 4096 * 4096)
            for offset in range(0, size, step):
                try:
                    # Answers EAGAIN where it would have to wait for the disk.
                    os.preadv(file.fileno(), [bytearray(1)], offset, os.RWF_NOWAIT)
                    cached += 1
                except BlockingIOError:
                    pass
                except OSError:
                    return None
                pages_seen += 1
    return cached / pages_seen if pages_seen else None


def _files(folder: Path) -> Iterator[Path]:
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
    except FileNotFoundError:  # a server's temporary file
        return False
