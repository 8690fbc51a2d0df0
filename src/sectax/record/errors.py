"""What can go wrong with a run file, in words for the person who meets it."""

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
from sectax.record.schema import APPLICATION_ID, FORMAT, TABLE_NAMES
from sectax.text.printable import printable

# SQLite says 'disk I/O error' where some file systems run full; under this much room that is what it means.
_FULL_BYTES = 1 << 20


class UnusableObservation(SectaxError):
    """A subject gave what is not a usable number."""

    exit_status = ExitStatus.NOTHING_MEASURED

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="this is a defect of the subject that gave it")


class Changed(ValueError):
    """The file holds something else than was recorded."""


class SecretRefused(WrongUse):
    """Something secret was about to be written to the run file."""


def exists_already(path: Path) -> WrongUse:
    return WrongUse(
        f"{path} exists already, and a run never overwrites a file",
        hint=f"give another file with --out; an interrupted run goes on with: sectax resume {path}",
    )


def being_written(path: Path, holder: str) -> RecordNotWritable:
    process = f" (process {holder})" if holder else ""
    return RecordNotWritable(
        f"another sectax is writing to {path} right now{process}",
        hint="wait for it to end, or end it; a new run can go to another file (--out)",
    )


def gone(path: Path) -> RecordNotWritable:
    return RecordNotWritable(
        f"{path} was moved, removed or replaced during the run",
        hint="finished blocks are in the file that was moved; it can be resumed where it is now, beside its -wal file",
    )


def not_createable(error: OSError, path: Path) -> SectaxError:
    """The words for a run file, or the lock beside it, that cannot be made."""
    match error.errno:
        case errno.EEXIST:
            return exists_already(path)
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


# Of a damaged schema SQLite quotes bytes that are no text, and then not even its message can be decoded.
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)


def not_written(error: Exception, path: Path, *, begun: bool) -> Exception:
    """The words for one of `SQLITE_ERRORS` while writing; an `IntegrityError` is our own mistake and stays one.

    Args:
        begun: the file holds a run. A new file that does not become one is removed again.
    """
    name = "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else getattr(error, "sqlite_errorname", "")
    if isinstance(error, sqlite3.IntegrityError):
        return ValueError(f"{path} holds this already, or it contradicts the plan: {error}")
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _free_bytes(path) < _FULL_BYTES):
        return _disk_full(path, begun=begun)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return _no_permission(path)
    if name.startswith("SQLITE_INTERRUPT"):
        return damaged(path, "reading it takes far more work than its size explains, and was stopped")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return RecordNotWritable(
            f"another program holds {path} and keeps it open",
            hint=f"close what has it open for writing (a database browser?), then{_how_to_resume(path, begun=begun)}",
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
    state = "what was written is kept" if begun else "nothing was recorded"
    go_on = _how_to_resume(path, begun=begun)
    return RecordNotWritable(
        f"the disk that holds {path} is full",
        hint=f"{state}; make room, then{go_on} (or write to another disk with --out)",
    )


def _no_permission(path: Path) -> RecordNotWritable:
    return RecordNotWritable(
        f"no permission to write {path} and its -wal and -lock files in {path.parent}",
        hint="write to a folder of your own with --out, or copy the run there and resume the copy",
    )


def damaged(path: Path, why: str) -> BadRecord:
    return BadRecord(
        f"{path} is a damaged run file, or was cut short: {why}",
        hint="copy it again from where it came from, together with its -wal file if there is one",
    )


def not_a_run_file(path: Path, what: str) -> BadRecord:
    return BadRecord(f"{path} is not a run file: {what}", hint="a run file is what `sectax run … --out FILE` writes")


def _empty(path: Path) -> BadRecord:
    return BadRecord(f"{path} is empty: its run ended before anything was recorded", hint="remove it, run again")


def check_file(path: Path) -> None:
    """Refuse what cannot be a run file by its looks.

    The file is not opened: closing a second descriptor of it would drop the locks that SQLite holds on it.

    Raises:
        BadRecord: there is no such file, it is not a file, empty or not to be read.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        hint = "a run file is what `sectax run … --out FILE` writes"
        if path.name.startswith("published:"):
            hint = "a published study is no run: `sectax audit` and `sectax compare` read it"
        elif (named := path.with_name(f"{path.name}.sectax")).exists():
            hint = f"did you mean {named}?"
        raise BadRecord(f"there is no file {path}", hint=hint) from None
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}", hint="check the name and the rights") from error
    except ValueError:  # Python's own message differs from release to release
        raise BadRecord(f"{str(path)!r} is not a file name: it has a NUL byte", hint="check the name") from None
    if path.is_dir():
        raise not_a_run_file(path, "it is a folder")
    if not path.is_file():
        raise not_a_run_file(path, "it is not an ordinary file")
    if not os.access(path, os.R_OK):
        raise BadRecord(f"no permission to read {path}", hint="ask its owner for a copy")
    if status.st_size == 0:
        raise _empty(path)


def check_database(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not ours, or not whole.

    Raises:
        BadRecord: another program's database, a newer format, or cut short.
        sqlite3.Error: no database at all.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application == version == 0 and not db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise _empty(path)
    if application != APPLICATION_ID:
        raise not_a_run_file(path, "it is an SQLite file of another program")
    if version > FORMAT:
        raise BadRecord(
            f"{path} comes from a newer sectax: its format is {version}, this one reads up to {FORMAT}",
            hint="update sectax and try again",
        )
    if version < 1:
        raise damaged(path, f"its format is {version}")
    # A view may have no end, so one that took the place of a table is not read.
    views = {name.lower() for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
    shadowed = sorted(views & TABLE_NAMES)
    if shadowed:
        raise damaged(path, f"{shadowed[0]} is a view, and should be a table")
    _check_length(db, path)


def _check_length(db: sqlite3.Connection, path: Path) -> None:
    """SQLite takes a last page that is cut short for one that ends in zeros, and reads zeros from it."""
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = db.execute("PRAGMA page_size").fetchone()
    size = path.stat().st_size
    if size < pages * page_bytes and not has_content(log_path(path)):  # a log may hold pages that the file has not yet
        raise damaged(path, f"{size} of {pages * page_bytes} bytes are there")


def log_path(path: Path) -> Path:
    """Where SQLite keeps what is not folded into the file yet."""
    return path.with_name(path.name + "-wal")


def has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn every way in which the content of a file can be wrong into `BadRecord`.

    The file is foreign data: a wrong value surfaces as a wrong type, an unknown key or a number out of range.
    """
    try:
        yield
    except (sqlite3.Error, OSError, *_WRONG_CONTENT) as error:
        # A cursor that was left in one of its frames keeps SQLite's lock, and a Python may keep the frames for long.
        clear_frames(error.__traceback__)
        raise _unreadable(path, error) from error


# What reading raises where a value is not of the type, the form or the range that it must have.
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
    if isinstance(error, Changed):
        return damaged(path, str(error))
    if isinstance(error, LookupError):
        return damaged(path, f"{printable(str(error), 80)} is named in it, and is not there")
    if not isinstance(error, sqlite3.Error):
        return damaged(path, f"a value of it cannot be read: {printable(str(error), 200)}")
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_NOTADB"):
        return not_a_run_file(path, "it is not an SQLite file")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return BadRecord(f"{path} cannot be opened: {error}", hint="copy it to a folder of your own")
    if name.startswith("SQLITE_INTERRUPT"):
        return damaged(path, "reading it takes far more work than its size explains, and was stopped")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BadRecord(f"another program holds {path}", hint="try again when it has closed it")
    return damaged(path, str(error))


_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")
_PRIVATE_KEY_TEXT = re.compile(
    _PRIVATE_KEY.pattern + r".*?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----|\Z)", re.DOTALL
)


def refuse_private_keys(text: str, what: str) -> str:
    """The *text* itself.

    Raises:
        SecretRefused: it holds a private key.
    """
    if _PRIVATE_KEY.search(text):
        raise SecretRefused(
            f"{what} holds a private key, and nothing secret is written to a run file",
            hint="give the key in a file and name the file; if you did not give it, this is a defect of the experiment",
        )
    return text


def readable(text: str) -> str:
    """Text for the record, as it came from somebody's stderr: without private keys, and valid as UTF-8."""
    return _PRIVATE_KEY_TEXT.sub("[private key left out]", text).encode("utf-8", "replace").decode()
