"""Errors of run files, with hints for the user."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import clear_frames

import msgspec

from sectax.model.errors import BadRecord, ExitStatus, RecordNotWritable, SectaxError, WrongUse
from sectax.record.schema import APPLICATION_ID, FORMAT, TABLE_COLUMNS, TABLE_NAMES
from sectax.text.printable import printable

# On some file systems SQLite reports a full disk as 'disk I/O error'; with less free space than this it means full.
_FULL_BYTES = 1 << 20


class UnusableObservation(SectaxError):
    """A subject returned an unusable number."""

    exit_status = ExitStatus.NOTHING_MEASURED

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="this is a defect of the subject")


class RecordChanged(ValueError):
    """The content of the file is not what was recorded."""


class SecretRefused(WrongUse):
    """A secret would have been written to the run file."""


def file_exists(path: Path) -> WrongUse:
    return WrongUse(
        f"{path} already exists, and a run never overwrites a file",
        hint=f"give another file with --out; to continue an interrupted run: sectax resume {path}",
    )


def file_locked(path: Path, holder: str) -> RecordNotWritable:
    process = f" (process {holder})" if holder else ""
    return RecordNotWritable(
        f"another sectax is writing to {path} right now{process}",
        hint="wait for it or stop it; a new run can write to another file (--out)",
    )


def file_moved(path: Path) -> RecordNotWritable:
    return RecordNotWritable(
        f"{path} was moved, removed or replaced during the run",
        hint="the moved file has the finished blocks and can be resumed, together with its -wal file",
    )


def is_made_by_kernel(folder: Path) -> bool:
    """Whether a folder is of a file system without room for files, such as /proc and /sys."""
    try:
        return os.statvfs(folder).f_blocks == 0
    except OSError:
        return False


def create_error(error: OSError, path: Path) -> SectaxError:
    """The error for a run file, or its lock, that cannot be created."""
    match error.errno:
        case errno.EEXIST:
            return file_exists(path)
        case _ if error.errno != errno.EISDIR and is_made_by_kernel(path.parent):
            return WrongUse(f"{path.parent} is made by the kernel and takes no files", hint="give another --out")
        case errno.ENOENT | errno.ENOTDIR:
            return WrongUse(
                f"there is no folder {path.parent} for {path.name}", hint=f"mkdir -p {shlex.quote(str(path.parent))}"
            )
        case errno.EISDIR:
            return WrongUse(f"{path} is a folder, not a run file", hint=f"name a file in it: {path}/run.sectax")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return _no_permission(path)
        case errno.ENOSPC | errno.EDQUOT:
            return _disk_full(path, begun=False)
        case errno.ENAMETOOLONG:
            return WrongUse(f"the name {path.name[:60]}… is too long for a file", hint="give a shorter --out")
        case _:
            return RecordNotWritable(f"{path} cannot be written: {error.strerror}", hint="try another --out")


# If a schema is damaged, SQLite's message quotes bytes that may not decode.
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)


def write_error(error: Exception, path: Path, *, begun: bool) -> Exception:
    """The error for one of `SQLITE_ERRORS` while writing; `ValueError` for our bugs.

    Args:
        begun: whether the file has a run; otherwise it is removed again.
    """
    name = "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else getattr(error, "sqlite_errorname", "")
    if isinstance(error, sqlite3.IntegrityError):
        return ValueError(f"{path} has this already, or it contradicts the plan: {error}")
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _free_bytes(path) < _FULL_BYTES):
        return _disk_full(path, begun=begun)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return _no_permission(path)
    if name.startswith("SQLITE_INTERRUPT"):
        return damaged(path, _TOO_MUCH_WORK)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return RecordNotWritable(
            f"another program has {path} open",
            hint=f"close it there (a database browser?), then{_how_to_resume(path, begun=begun)}",
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return RecordNotWritable(f"{path} was damaged during the run: {error}", hint="start again with another --out")
    return RecordNotWritable(
        f"{path} cannot be written: {error}", hint=f"check the disk, then{_how_to_resume(path, begun=begun)}"
    )


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return _FULL_BYTES


def _how_to_resume(path: Path, *, begun: bool) -> str:
    return f": sectax resume {path}" if begun else " start again"


def _disk_full(path: Path, *, begun: bool) -> RecordNotWritable:
    state = "everything written so far is safe" if begun else "nothing was recorded"
    next_step = _how_to_resume(path, begun=begun)
    return RecordNotWritable(
        f"the disk of {path} is full",
        hint=f"{state}; free some space, then{next_step} (or write to another disk with --out)",
    )


def _no_permission(path: Path) -> RecordNotWritable:
    return RecordNotWritable(
        f"no permission to write {path} and its -wal and -lock files in {path.parent}",
        hint="write to your own folder with --out, or copy the run there and resume the copy",
    )


def damaged(path: Path, why: str) -> BadRecord:
    return BadRecord(
        f"{path} is a damaged or truncated run file: {why}",
        hint="copy it again from its source, together with its -wal file if there is one",
    )


def not_a_run_file(path: Path, what: str) -> BadRecord:
    return BadRecord(f"{path} is not a run file: {what}", hint="a run file is what `sectax run … --out FILE` writes")


def _empty(path: Path) -> BadRecord:
    return BadRecord(f"{path} is empty: its run ended before anything was recorded", hint="remove it and run again")


def check_file(path: Path) -> None:
    """Check a path without opening it, which would drop SQLite's locks.

    Raises:
        BadRecord: no such file, not a file, empty, or not readable.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        hint = "a run file is what `sectax run … --out FILE` writes"
        if path.name.startswith("published:"):
            hint = "a published study is not a run: use `sectax audit` or `sectax compare`"
        elif (named := path.with_name(f"{path.name}.sectax")).exists():
            hint = f"did you mean {named}?"
        raise BadRecord(f"there is no file {path}", hint=hint) from None
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}", hint="check name and permissions") from error
    except ValueError:  # Python's own message differs between versions
        raise BadRecord(f"{str(path)!r} is not a file name: it contains a NUL", hint="check the name") from None
    if path.is_dir():
        raise not_a_run_file(path, "it is a folder")
    if not path.is_file():
        raise not_a_run_file(path, "it is not an ordinary file")
    if not os.access(path, os.R_OK):
        raise BadRecord(f"no permission to read {path}", hint="ask its owner for a copy")
    if status.st_size == 0:
        raise _empty(path)


def check_database(db: sqlite3.Connection, path: Path) -> None:
    """Check that a database is a complete run file.

    Raises:
        BadRecord: another program's database, a newer format, or truncated.
        sqlite3.Error: not a database.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application == version == 0 and not db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise _empty(path)
    if application != APPLICATION_ID:
        raise not_a_run_file(path, "it is an SQLite file of another program")
    if version > FORMAT:
        raise BadRecord(
            f"{path} is from a newer sectax: it has format {version}, but this one reads up to {FORMAT}",
            hint="update sectax and try again",
        )
    if version < 1:
        raise damaged(path, f"its format is {version}")
    _check_schema(db, path)
    _check_length(db, path)


def _check_schema(db: sqlite3.Connection, path: Path) -> None:
    """Raise unless tables have only stored columns of ours."""
    kinds = db.execute("SELECT type, lower(name), COALESCE(lower(sql), '') FROM sqlite_master").fetchall()
    for kind, name, sql in kinds:
        if kind == "view" and name in TABLE_NAMES:
            raise damaged(path, f"{name} is a view instead of a table")
        if kind == "trigger" or (kind == "index" and sql) or sql.startswith("create virtual"):
            raise damaged(path, f"it has a {'virtual table' if kind == 'table' else kind}, {printable(name, 40)}")
    for table in sorted(TABLE_NAMES & {name for kind, name, _ in kinds if kind == "table"}):
        own = TABLE_COLUMNS[table]
        for _, column, kind, _, default, _, hidden in db.execute(f"PRAGMA table_xinfo({table})"):
            is_telemetry = table == "trial" and column not in own and kind == "REAL"
            if hidden or default not in (None, "'local'") or not (is_telemetry or own.get(column) == kind):
                raise damaged(path, f"{table} has a column {printable(str(column), 40)} of another format")


def limit_memory(db: sqlite3.Connection, path: Path) -> None:
    """Allow no value longer than the file, and only the functions that reading needs."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, path.stat().st_size + _SLACK_BYTES)
    db.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _check_length(db: sqlite3.Connection, path: Path) -> None:
    """Raise if the last page is truncated, which SQLite would read as zeros."""
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = db.execute("PRAGMA page_size").fetchone()
    size = path.stat().st_size
    if size < pages * page_bytes and not has_content(log_path(path)):  # a log may have pages that the file lacks
        raise damaged(path, f"{size} of {pages * page_bytes} bytes are there")


def log_path(path: Path) -> Path:
    """The write-ahead log of a run file."""
    return path.with_name(path.name + "-wal")


def has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn all errors from wrong content into `BadRecord`: the file is untrusted data."""
    try:
        yield
    except (sqlite3.Error, OSError, *_WRONG_CONTENT) as error:
        # A cursor in a frame keeps SQLite's lock, and frames may live long.
        clear_frames(error.__traceback__)
        raise _unreadable(path, error) from error


# The log may have pages that the file lacks.
_SLACK_BYTES = 1 << 20
_FUNCTIONS = frozenset({"coalesce", "count", "json_each", "lower", "max", "min", "quote", "replace", "sum"})
_TOO_MUCH_WORK = "reading it takes far more work than its size explains, and was stopped"
# Errors from values of a wrong type, form or range.
_WRONG_CONTENT = (
    msgspec.MsgspecError,
    UnicodeError,
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    RecursionError,
)


def _unreadable(path: Path, error: Exception) -> BadRecord:
    if isinstance(error, OSError):
        return BadRecord(f"{path} cannot be read: {error.strerror}", hint="check the disk")
    if isinstance(error, RecordChanged):
        return damaged(path, str(error))
    if isinstance(error, LookupError):
        return damaged(path, f"it refers to {printable(str(error), 80)}, which is missing")
    if not isinstance(error, sqlite3.Error):
        return damaged(path, f"a value cannot be read: {printable(str(error), 200)}")
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_NOTADB"):
        return not_a_run_file(path, "it is not an SQLite file")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return BadRecord(f"{path} cannot be opened: {error}", hint="copy it to your own folder")
    if name.startswith("SQLITE_INTERRUPT"):
        return damaged(path, _TOO_MUCH_WORK)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BadRecord(f"another program has {path} open", hint="try again when it has closed it")
    return damaged(path, str(error))


_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")
_PRIVATE_KEY_TEXT = re.compile(
    _PRIVATE_KEY.pattern + r".*?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----|\Z)", re.DOTALL
)


def refuse_private_keys(text: str, what: str) -> str:
    """Return the *text* unchanged.

    Raises:
        SecretRefused: it contains a private key.
    """
    if _PRIVATE_KEY.search(text):
        raise SecretRefused(
            f"{what} contains a private key, and secrets are not written to run files",
            hint="put the key in a file and name the file; if you did not give it, this is a defect of the experiment",
        )
    return text


def readable(text: str) -> str:
    """Foreign text for the record, as valid UTF-8 without private keys."""
    return _PRIVATE_KEY_TEXT.sub("[private key left out]", text).encode("utf-8", "replace").decode()
