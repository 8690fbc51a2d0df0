"""A server's folder, locked while its owner lives so that later runs can clean up."""

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

_LOCK = "lock"
_NEW = "new-"
_UNFINISHED_S = 60.0


class WorkFolder:
    """A new private folder."""

    def __init__(self, kind: str, base: Path | None = None) -> None:
        """Args:
            kind: kind of server, for `sweep`.
            base: parent folder; by default the system's temporary one.
        Raises:
            OSError: the folder cannot be created.
        """
        base = _base(base)
        base.mkdir(parents=True, exist_ok=True)
        name = f"sectax-{kind}-{secrets.token_hex(6)}"
        new = base / f"{_NEW}{name}"
        new.mkdir(mode=0o700)
        # Python opens files close-on-exec: a server that outlives its owner must not hold the lock.
        self._lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Renamed once locked, so that `sweep` never sees it unlocked.
        self.path = new.rename(base / name)

    def remove(self) -> None:
        """Remove it with its content; may be called again."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def sweep(kind: str, base: Path | None = None) -> int:
    """Remove folders whose owners were killed; returns their number. Never raises."""
    removed = 0
    names = f"sectax-{kind}-*"
    for folder in (*_base(base).glob(names), *_base(base).glob(f"{_NEW}{names}")):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            # A new folder may not be locked yet.
            is_new = folder.name.startswith(_NEW)
            if is_new and time.time() - status.st_mtime < _UNFINISHED_S:
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if is_new else 0), 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
            finally:
                os.close(lock)
    return removed


def _base(folder: Path | None) -> Path:
    return Path(tempfile.gettempdir()) if folder is None else folder
