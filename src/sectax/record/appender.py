"""The run file as something to append to: its lock, its connection, its transactions and its way to the disk.

In a block nothing waits for the disk: WAL with `synchronous=NORMAL` hands a transaction to the kernel, where it
survives the death of sectax. What happens within a block is gathered for a moment, since a transaction for each visit
costs more than all else that is recorded of it. At the end of a block the log is synced and folded in, so that
finished blocks survive the death of the machine too.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sectax.model.errors import RecordNotWritable
from sectax.record.errors import SQLITE_ERRORS, being_written, exists_already, gone, not_createable, not_written
from sectax.record.plan_tables import Statement

# Somebody who only asks `is_held` holds a shared lock for some microseconds.
_PATIENCE_S = 0.5
# Pages. Folding the log in takes milliseconds, so it waits for the end of a block; only a log of 64 MB does not.
_LOG_PAGES = 16384
_BUSY_S = 10.0
# What comes sooner than this after a transaction waits for the next. A block that is cut short is thrown away whole,
# so nothing hangs on the last rows of one that is running.
_GATHER_S = 0.05
# Somebody may be reading while the log is folded in, at the end of a block or of the run. They are waited for, but not
# for long: the log stays beside the file until the next time.
_READERS_MS = 1000


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
                holder = _holder(self._descriptor)
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
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()


def is_held(path: Path) -> bool:
    """Whether somebody is writing to the run file now."""
    try:
        refuse_held(path)
    except RecordNotWritable:
        return True
    return False


def refuse_held(path: Path) -> None:
    """Raise `RecordNotWritable` where somebody is writing to the run file now."""
    try:
        descriptor = os.open(_lock_path(path), os.O_RDONLY)
    except (OSError, ValueError):
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        raise being_written(path, _holder(descriptor)) from None
    finally:
        os.close(descriptor)


def refuse_new(path: Path) -> None:
    """Raise what a run that began in this file would meet; nothing is made."""
    refuse_held(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "")
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "")
        if not stat.S_ISDIR(path.parent.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "")
    except OSError as error:
        raise not_createable(error, path) from error


class Appender:
    """The one who may append to a run file, until `close`.

    Every method raises `RecordNotWritable` when the file can no longer be written; what was written before stays.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        """Lock the file, make it where it is to be *new*, and connect.

        Raises:
            WrongUse: a new file exists already, or its folder does not.
            RecordNotWritable: no permission, no room, or another sectax writes to it.
        """
        if os.path.isdir(path):
            raise not_createable(IsADirectoryError(errno.EISDIR, "", str(path)), path)
        self.path = path
        self._closed = False
        self._lock = WriterLock(path)
        try:
            if new:
                _make(path)
            self._inode = _inode(path)
            self.db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
        except BaseException as error:
            self._lock.release()
            if isinstance(error, SQLITE_ERRORS):
                raise not_written(error, path, begun=not new) from error
            if isinstance(error, OSError):
                raise not_createable(error, path) from error
            raise
        self._cursor = self.db.cursor()
        self._gathered: list[Statement] = []
        self._written = 0.0  # when
        self._begun = not new

    def go_live(self) -> None:
        """From here on, do not wait for the disk."""
        try:
            # Where the file system cannot share memory the answer is 'delete': slower, and as safe.
            self._cursor.execute("PRAGMA journal_mode = WAL").fetchall()
            self._cursor.execute("PRAGMA synchronous = NORMAL")
            self._cursor.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}").fetchall()
        except SQLITE_ERRORS as error:
            raise not_written(error, self.path, begun=self._begun) from error
        self._begun = True

    def gather(self, statements: Iterable[Statement], *, hold: bool = False) -> None:
        """*statements* at once, or, within 50 ms after the last transaction, together with what comes next.

        Args:
            hold: in any case together with what comes next.
        """
        self._gathered += statements
        if not hold and time.monotonic() - self._written > _GATHER_S:
            self.write(())

    def write(self, statements: Iterable[Statement], then: Callable[[], Iterable[Statement]] = tuple) -> None:
        """What was gathered, then all *statements*, in one transaction, or none of them.

        Args:
            then: more statements of the same transaction, made of what the file holds after the others.
        """
        execute = self._cursor.execute
        self.roll_back()
        gathered, self._gathered = self._gathered, []
        try:
            execute("BEGIN IMMEDIATE")
            # Those of one kind together, in the order of their keys, cost a third.
            kinds: dict[str, list[tuple[Any, ...]]] = {}
            for sql, parameters in gathered:
                kinds.setdefault(sql, []).append(parameters)
            for sql, rows in kinds.items():
                self._cursor.executemany(sql, rows)
            for sql, parameters in statements:
                execute(sql, parameters)
            for sql, parameters in then():
                execute(sql, parameters)
            execute("COMMIT")
            self._written = time.monotonic()
        except BaseException as error:
            self.roll_back()
            if isinstance(error, SQLITE_ERRORS):
                raise not_written(error, self.path, begun=self._begun) from error
            raise

    def roll_back(self) -> None:
        """Forget a transaction that Ctrl-C left open."""
        if self.db.in_transaction:
            with suppress(*SQLITE_ERRORS):
                self.db.rollback()

    def sync(self) -> None:
        """What was written survives the death of the machine, and stands in the file itself."""
        try:
            self._checkpoint()
        except SQLITE_ERRORS as error:
            raise not_written(error, self.path, begun=self._begun) from error

    def _checkpoint(self) -> None:
        """Fold the log into the file and empty it: of a log that is damaged later, old pages would be taken for new."""
        self._cursor.execute(f"PRAGMA busy_timeout = {_READERS_MS}").fetchall()
        try:
            self._cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            self._cursor.execute(f"PRAGMA busy_timeout = {int(1000 * _BUSY_S)}").fetchall()

    def check_place(self) -> None:
        """Writing to a file that was removed succeeds, and is lost; so look now and then."""
        try:
            if _inode(self.path) == self._inode:
                return
        except OSError:
            pass
        raise gone(self.path)

    def close(self) -> None:
        """Fold the log into the file, so that the run is one file again, and let go. Never raises, may be repeated.

        Where the log cannot be folded in (full disk, or somebody is reading) it stays beside the file, and nothing
        is lost.
        """
        if self._closed:
            return
        self._closed = True
        with suppress(*SQLITE_ERRORS):
            self._checkpoint()
            self._cursor.execute(f"PRAGMA busy_timeout = {_READERS_MS}").fetchall()
            self._cursor.execute("PRAGMA journal_mode = DELETE").fetchall()
        with suppress(*SQLITE_ERRORS):
            self.db.close()
        with suppress(OSError):
            self._lock.release()

    def discard(self) -> None:
        """Close and remove a new file that did not become a run."""
        with suppress(*SQLITE_ERRORS):
            self.db.close()
        with suppress(OSError):
            if _inode(self.path) == self._inode:
                self.path.unlink()
        self.close()


def _make(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644))
    except FileExistsError:
        raise exists_already(path) from None


def _inode(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
