"""The folder of one server, locked as long as its owner lives: a later server sees what a dead one left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
from pathlib import Path

from lambda_local.settings import NAME

_LOCK, _NEW = "lock", "new-"
_UNFINISHED_S = 60.0


class WorkFolder:
    """A new folder that nobody else may look into."""

    def __init__(self) -> None:
        """Raises `OSError` where nothing can be written there."""
        name = f"{NAME}-{secrets.token_hex(6)}"
        new = Path(tempfile.gettempdir(), f"{_NEW}{name}")
        new.mkdir(mode=0o700)
        self._lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Under the name that `sweep` looks for it is never seen without its lock held.
        self.path = new.rename(new.with_name(name))

    def remove(self) -> None:
        """Remove it with everything in it; may be called again."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def sweep() -> int:
    """Remove the folders of owners that were killed; never raises. Returns how many there were."""
    removed = 0
    base = Path(tempfile.gettempdir())
    for folder in (*base.glob(f"{NAME}-*"), *base.glob(f"{_NEW}{NAME}-*")):
        with contextlib.suppress(OSError):
            seen = folder.lstat()
            if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid():
                continue
            # A new one may have been made a moment ago, and its owner not have come to the lock yet.
            if folder.name.startswith(_NEW) and time.time() - seen.st_mtime < _UNFINISHED_S:
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
            finally:
                os.close(lock)
    return removed
