"""Append-only access to a run file: its lock, connection, transactions and syncs.

Within a block nothing waits for the disk: WAL with `synchronous=NORMAL` hands transactions to the kernel, where they
survive a crash of sectax. Visits are batched for some milliseconds, since one transaction each would cost more than
all other recording. At the end of a block the log is synced and checkpointed, so that finished blocks survive a crash
of the machine too.
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
from sectax.record.errors import (
    SQLITE_ERRORS,
    create_error,
    file_exists,
    file_locked,
    file_moved,
    is_made_by_kernel,
    write_error,
)
from sectax.record.plan_tables import Statement

# `is_locked` takes a shared lock for some microseconds.
_LOCK_TIMEOUT_S = 0.5
# Opening a FIFO would wait for its other end, and a link may lead anywhere.
_PLAIN_FILE = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
# A checkpoint takes milliseconds, so it waits for the end of a block unless the log reaches 64 MB.
_LOG_PAGES = 16384
_BUSY_S = 10.0
# Statements sooner than this after a transaction wait for the next one. An incomplete block is discarded, so its last
# rows do not matter.
_GATHER_S = 0.05
# How long a checkpoint waits for readers; the log is left for the next checkpoint then.
_READERS_MS = 1000


def _lock_path(path: Path) -> Path:
    # A separate file, since closing any descriptor of the run file would drop SQLite's locks on it (POSIX).
    return path.with_name(path.name + "-lock")


class WriterLock:
    """The exclusive lock of a run file, until `release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        """Take the lock.

        Raises:
            RecordNotWritable: another process or writer has it, or there is no permission.
            WrongUse: there is no such folder.
        """
        self._path = _lock_path(path)
        deadline = time.monotonic() + _LOCK_TIMEOUT_S
        while True:
            try:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | _PLAIN_FILE, 0o644)
            except OSError as error:
                raise create_error(error, path) from error
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                os.close(self._descriptor)
                raise create_error(FileExistsError(errno.EEXIST, ""), self._path)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = _holder(self._descriptor)
                os.close(self._descriptor)
                if time.monotonic() > deadline:
                    raise file_locked(path, holder) from None
                time.sleep(0.01)
                continue
            if self._is_the_file():
                break
            os.close(self._descriptor)  # the other process removed the file before we locked it
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:  # a full disk: the process number is not essential
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


def is_locked(path: Path) -> bool:
    """Return whether another process is writing to the run file."""
    try:
        check_unlocked(path)
    except RecordNotWritable:
        return True
    return False


def check_unlocked(path: Path) -> None:
    """Raise `RecordNotWritable` if another process is writing to the run file."""
    try:
        descriptor = os.open(_lock_path(path), os.O_RDONLY | _PLAIN_FILE)
    except (OSError, ValueError):
        return
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return  # a FIFO, for example, is no lock of ours
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        raise file_locked(path, _holder(descriptor)) from None
    finally:
        os.close(descriptor)


def check_new(path: Path) -> None:
    """Raise the error that creating this run file would raise, without creating it."""
    check_unlocked(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "")
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "")
        if not stat.S_ISDIR(path.parent.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "")
        if not os.access(path.parent, os.W_OK | os.X_OK) or is_made_by_kernel(path.parent):
            raise PermissionError(errno.EACCES, "")
    except OSError as error:
        raise create_error(error, path) from error


class Appender:
    """Exclusive append access to a run file until `close`.

    Methods raise `RecordNotWritable` if the file can no longer be written; earlier data stay.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        """Lock the file, create it if *new*, and connect.

        Raises:
            WrongUse: a new file exists already, or its folder does not.
            RecordNotWritable: no permission, no space, or another sectax is writing to it.
        """
        if os.path.isdir(path):
            raise create_error(IsADirectoryError(errno.EISDIR, "", str(path)), path)
        self.path = path
        self._closed = False
        self._lock = WriterLock(path)
        try:
            if new:
                _create(path)
            self._inode = _inode(path)
            self.db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
        except BaseException as error:
            self._lock.release()
            if isinstance(error, SQLITE_ERRORS):
                raise write_error(error, path, begun=not new) from error
            if isinstance(error, OSError):
                raise create_error(error, path) from error
            raise
        self._cursor = self.db.cursor()
        self._gathered: list[Statement] = []
        self._written_s = 0.0  # time of the last transaction
        self._begun = not new

    def go_live(self) -> None:
        """Stop waiting for the disk from here on."""
        try:
            # On file systems without shared memory SQLite answers 'delete': slower, but as safe.
            self._cursor.execute("PRAGMA journal_mode = WAL").fetchall()
            self._cursor.execute("PRAGMA synchronous = NORMAL")
            self._cursor.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}").fetchall()
        except SQLITE_ERRORS as error:
            raise write_error(error, self.path, begun=self._begun) from error
        self._begun = True

    def gather(self, statements: Iterable[Statement], *, defer: bool = False) -> None:
        """Queue statements, and write them if the last transaction is over 50 ms ago.

        Args:
            defer: whether to wait for the next call in any case.
        """
        self._gathered += statements
        if not defer and time.monotonic() - self._written_s > _GATHER_S:
            self.write(())

    def write(self, statements: Iterable[Statement], then: Callable[[], Iterable[Statement]] = tuple) -> None:
        """Write queued statements, then *statements*, in one transaction.

        Args:
            then: makes further statements of the same transaction after the others were executed.
        """
        execute = self._cursor.execute
        self.roll_back()
        gathered, self._gathered = self._gathered, []
        try:
            execute("BEGIN IMMEDIATE")
            # Grouped by kind, in the order of their keys, they take a third of the time.
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
            self._written_s = time.monotonic()
        except BaseException as error:
            self.roll_back()
            if isinstance(error, SQLITE_ERRORS):
                raise write_error(error, self.path, begun=self._begun) from error
            raise

    def roll_back(self) -> None:
        """Roll back a transaction that Ctrl-C left open."""
        if self.db.in_transaction:
            with suppress(*SQLITE_ERRORS):
                self.db.rollback()

    def sync(self) -> None:
        """Sync everything written to the disk, into the file itself."""
        try:
            self._checkpoint()
        except SQLITE_ERRORS as error:
            raise write_error(error, self.path, begun=self._begun) from error

    def _checkpoint(self) -> None:
        """Merge the log into the file, and empty it so that old pages cannot return."""
        self._cursor.execute(f"PRAGMA busy_timeout = {_READERS_MS}").fetchall()
        try:
            self._cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            self._cursor.execute(f"PRAGMA busy_timeout = {int(1000 * _BUSY_S)}").fetchall()

    def check_place(self) -> None:
        """Raise if the file was moved or removed: writing would still succeed but be lost."""
        try:
            if _inode(self.path) == self._inode:
                return
        except OSError:
            pass
        raise file_moved(self.path)

    def close(self) -> None:
        """Merge the log into the file and close it; idempotent, never raises.

        If that fails (full disk, active reader), the log stays next to the file and nothing is lost.
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
        """Close and remove a new file that has no run."""
        with suppress(*SQLITE_ERRORS):
            self.db.close()
        with suppress(OSError):
            if _inode(self.path) == self._inode:
                self.path.unlink()
        self.close()


def _create(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644))
    except FileExistsError:
        raise file_exists(path) from None


def _inode(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
