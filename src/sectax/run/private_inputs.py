"""Keeps a run's keys in a file of mode 600 until it is finished, so that it can be resumed; then deletes them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from pathlib import Path

import msgspec

from sectax.model.errors import RecordNotWritable
from sectax.parts.cache import state_folder
from sectax.parts.files import write_whole

_FOLDER_MODE = 0o700
# Whoever has not resumed a run by then hardly will; a resumed run without its keys makes new ones and says so.
_LONG_GONE_S = 7 * 24 * 3600.0


def keep(run_id: str, inputs: dict[str, str]) -> None:
    """Write the inputs where only this user can read them, in place of what was kept for this run before.

    Raises:
        RecordNotWritable: they cannot be kept.
    """
    if not inputs:
        return
    path = _path(run_id)
    try:
        _make_folder(path.parent)
        write_whole(path, msgspec.json.encode(inputs), private=True)
    except OSError as error:
        raise _storing_failed(error, path.parent) from error


def recall(run_id: str) -> dict[str, str] | None:
    """The inputs of an unfinished run; None where they are gone, or no longer whole."""
    try:
        return msgspec.json.decode(_path(run_id).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def forget(run_id: str) -> None:
    """Delete the inputs of a run. Where that cannot be done now, `sweep` tries it again."""
    with contextlib.suppress(OSError):
        _path(run_id).unlink(missing_ok=True)


def sweep(older_than_s: float = _LONG_GONE_S) -> None:
    """Delete the inputs of runs long gone, which were never resumed. Never raises."""
    before = time.time() - older_than_s
    with contextlib.suppress(OSError):
        for path in _folder().iterdir():
            with contextlib.suppress(OSError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode) and status.st_mtime < before:
                    path.unlink()


def _folder() -> Path:
    return state_folder() / "inputs"


def _path(run_id: str) -> Path:
    return _folder() / f"{run_id}.json"


def _make_folder(folder: Path) -> None:
    """The folder and its parents, those that are missing or ours with mode 700.

    A folder that the user named in SECTAX_STATE may be shared on purpose and stays as it is.
    """
    missing = [parent for parent in folder.parents if not parent.exists()]
    for place in (*reversed(missing), folder):
        with contextlib.suppress(FileExistsError):
            place.mkdir(_FOLDER_MODE)
            place.chmod(_FOLDER_MODE)  # an odd umask can take away even the owner's rights
    for own in (folder,) if os.environ.get("SECTAX_STATE") else (folder.parent, folder):
        descriptor = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != _FOLDER_MODE:
                os.fchmod(descriptor, _FOLDER_MODE)
        finally:
            os.close(descriptor)


def _storing_failed(error: OSError, folder: Path) -> RecordNotWritable:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return RecordNotWritable(
                f"the disk that holds {folder}, where the keys of a run are kept, is full",
                "make room, or name a folder on another disk in SECTAX_STATE",
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            why = "no permission"
        case errno.ELOOP | errno.ENOTDIR | errno.EEXIST:
            why = "it, or what leads to it, is not a folder"
        case _:
            why = error.strerror or type(error).__name__
    return RecordNotWritable(
        f"the keys of this run cannot be kept in {folder}: {why}",
        "name a folder of your own in SECTAX_STATE: its content is removed when the run is finished",
    )
