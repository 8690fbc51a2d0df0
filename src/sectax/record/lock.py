"""One session writes to a run at a time. The lock dies with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from sectax.record.errors import being_written, not_createable

# Somebody who only asks `is_held` holds a shared lock for some microseconds.
_PATIENCE_S = 0.5


def _lock_path(path: Path) -> Path:
    # A file of its own: closing any descriptor of the run file itself would drop SQLite's locks on it (POSIX).
    return path.with_name(path.name + "-lock")


class WriterLock:
    """The right to write to one run file, held until `release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        """Take the lock.

        Raises:
            RecordNotWritable: another process (or another writer in this one) has it, or there is no permission.
            WrongUse: there is no such folder.
        """
        self._path = _lock_path(path)
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise not_createable(error, path) from error
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip()
                os.close(self._descriptor)
                if time.monotonic() > deadline:
                    raise being_written(path, holder) from None
                time.sleep(0.01)
                continue
            if self._is_the_file():
                break
            os.close(self._descriptor)  # its holder removed it between our opening and locking it
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:  # a full disk: the number is a courtesy
            pass

    def _is_the_file(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back and remove its file."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody is writing to the run file now."""
    try:
        descriptor = os.open(_lock_path(path), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
