"""The folder of one server. It is locked as long as the server lives, so that a later one sees what a dead one left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "sectax-lambda-"
_LOCK = "lock"


class WorkFolder:
    """A new folder for code and layers, that nobody else may look into."""

    def __init__(self) -> None:
        new = Path(tempfile.mkdtemp(prefix=f"new-{_PREFIX}"))
        self._lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Under the name that `sweep` looks for it is never seen without its lock held.
        self.path = new.rename(new.with_name(new.name.removeprefix("new-")))

    def remove(self) -> None:
        """Remove it with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep() -> None:
    """Remove the folders of servers that were killed. Never raises."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
