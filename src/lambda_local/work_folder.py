"""Folders that are locked as long as their owner lives: a later server sees what a dead one left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LOCK = "lock"  # the file in it
_NEW = ".new-"
_UNFINISHED_S = 60.0


class WorkFolder(NamedTuple):
    """A folder that nobody else may look into, and the descriptor of its lock."""

    path: Path
    lock: int


def new_folder(base: Path, name: str) -> WorkFolder:
    """Make a folder, locked. Raises `OSError` where nothing can be written there."""
    new = base / f"{_NEW}{name}"
    new.mkdir(mode=0o700)
    lock = os.open(new / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Under the name that `sweep` looks for it is never seen without its lock held.
    return WorkFolder(new.rename(base / name), lock)


def sweep(base: Path, name: str, remove: Callable[[Path], bool]) -> list[str]:
    """Remove the folders of owners that were killed; never raises.

    Args:
        name: a pattern of the folders' names.
        remove: called with each; whether nothing is left of it.
    Returns:
        The names of those that were removed.
    """
    removed = []
    for folder in sorted((*base.glob(name), *base.glob(f"{_NEW}{name}"))):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            # A new one may have been made a moment ago, and its owner not have come to the lock yet.
            if folder.name.startswith(_NEW) and time.time() - status.st_mtime < _UNFINISHED_S:
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if remove(folder):
                    removed.append(folder.name)
            finally:
                os.close(lock)
    return removed
