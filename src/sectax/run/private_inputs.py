"""Store the keys of an unfinished run in a file of mode 600, to resume it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from pathlib import Path

import msgspec

from sectax.model.errors import RecordNotWritable
from sectax.parts.cache import is_own, state_folder
from sectax.parts.files import write_whole

_FOLDER_MODE = 0o700
# A run resumed later than this makes new keys and says so.
_LONG_GONE_S = 7 * 24 * 3600.0


def keep(run_id: str, inputs: dict[str, str]) -> None:
    """Write the inputs of a run, readable by this user only, replacing earlier ones.

    Raises:
        RecordNotWritable: they cannot be written.
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
    """The inputs of an unfinished run; None if missing, damaged or another user's."""
    try:
        if not is_own(path := _path(run_id)):
            return None
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def forget(run_id: str) -> None:
    """Delete the inputs of a run; if that fails, `sweep` tries again later."""
    with contextlib.suppress(OSError):
        _path(run_id).unlink(missing_ok=True)


def sweep(older_than_s: float = _LONG_GONE_S) -> None:
    """Delete the inputs of old runs that were never resumed. Never raises."""
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
    """Create the folder with mode 700, and correct the mode of our own.

    A folder named in SECTAX_STATE may be shared on purpose, and keeps its mode.
    """
    missing = [parent for parent in folder.parents if not parent.exists()]
    for path in (*reversed(missing), folder):
        with contextlib.suppress(FileExistsError):
            path.mkdir(_FOLDER_MODE)
            path.chmod(_FOLDER_MODE)  # the umask may remove even the owner's rights
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
                f"the disk with {folder}, where the keys of a run are stored, is full",
                "make room, or name a folder on another disk in SECTAX_STATE",
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            why = "no permission"
        case errno.ELOOP | errno.ENOTDIR | errno.EEXIST:
            why = "the path is not a folder"
        case _:
            why = error.strerror or type(error).__name__
    return RecordNotWritable(
        f"the keys of this run cannot be stored in {folder}: {why}",
        "name a folder of your own in SECTAX_STATE; the keys are removed when the run is finished",
    )
