"""The folder of one server: unpacked archives, and the mount point for the roots of instances.

It is locked while its owner runs, and the control groups of its instances have its name, so that a later server finds
leftovers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lambda_local.errors import LambdaLocalError
from lambda_local.settings import NAME

_LOCK = "lock"
_NEW = ".new-"
_UNFINISHED_S = 60.0


class WorkFolder(NamedTuple):
    """A private folder and the descriptor of its lock."""

    path: Path
    lock: int

    @property
    def staging(self) -> Path:
        """An empty folder on which instances mount their root, each in its own namespace."""
        return self.path / "root"


def new_folder() -> WorkFolder:
    """Create a locked folder. Raises `LambdaLocalError`."""
    base, name = Path(tempfile.gettempdir()), f"{NAME}-{secrets.token_hex(6)}"
    try:
        new = base / f"{_NEW}{name}"
        new.mkdir(mode=0o700)
        (new / "root").mkdir()
        lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Renamed after locking, so that it never exists unlocked under the final name.
        return WorkFolder(new.rename(base / name), lock)
    except OSError as error:
        reason = f"no folder can be created in {base}: {error.strerror}"
        raise LambdaLocalError(reason, "free space there, or set TMPDIR to another folder") from error


def dead_folders() -> Iterator[Path]:
    """Yield the folders of this user's killed owners, each locked until the next one; never raises."""
    base = Path(tempfile.gettempdir())
    for folder in sorted((*base.glob(f"{NAME}-*"), *base.glob(f"{_NEW}{NAME}-*"))):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            # Its owner may not have locked a new folder yet.
            if folder.name.startswith(_NEW) and time.time() - status.st_mtime < _UNFINISHED_S:
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield folder
            finally:
                os.close(lock)
