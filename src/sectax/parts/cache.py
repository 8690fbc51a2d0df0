"""Cache and state folders of a user, and sectax's bundled folders."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from sectax.model.errors import WrongUse
from sectax.parts.files import checksum

_COMPLETE = "complete"


def cache_folder() -> Path:
    """Folder of built and downloaded files; may be deleted at any time."""
    base = os.environ.get("SECTAX_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(base).expanduser()
    return folder if os.environ.get("SECTAX_CACHE") else folder / "sectax"


def state_folder() -> Path:
    """Folder of the private inputs of unfinished runs, mode 700."""
    base = os.environ.get("SECTAX_STATE") or os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    folder = Path(base).expanduser()
    return folder if os.environ.get("SECTAX_STATE") else folder / "sectax"


def place(kind: str, name: str, *made_of: bytes) -> Path:
    """Path in the cache, named by a hash of its sources."""
    return cache_folder() / kind / f"{name}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:16]}"


def is_own(path: Path) -> bool:
    """Whether a file or folder is this user's or root's; so is a missing one."""
    try:
        return path.stat().st_uid in (os.geteuid(), 0)
    except OSError:
        return True


def refuse_foreign(path: Path) -> None:
    """Refuse a path in the cache with a folder or file of another user (`WrongUse`)."""
    base = cache_folder()
    for place in (path, *(parent for parent in path.parents if parent.is_relative_to(base))):
        if not is_own(place):
            raise WrongUse(
                f"{place} belongs to another user, who could change the programs in it",
                "set SECTAX_CACHE to a folder of your own",
            )


def store(built: Path, path: Path) -> None:
    """Move a built file into the cache, and remember its hash."""
    refuse_foreign(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _hash_file(path).write_text(checksum(built))
    built.replace(path)


def is_intact(path: Path) -> bool:
    """Whether a stored file is there and unchanged. Raises `WrongUse` for another user's."""
    try:
        status = path.stat()
    except OSError:
        return False
    refuse_foreign(path)
    return _has_its_hash(path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


@functools.lru_cache(maxsize=64)
def _has_its_hash(path: Path, *_: int) -> bool:
    try:
        return checksum(path) == _hash_file(path).read_text()
    except (OSError, UnicodeDecodeError):
        return False


def _hash_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def is_complete(folder: Path) -> bool:
    """Whether `make_once` completed it. Raises `WrongUse` if it is another user's."""
    refuse_foreign(folder / _COMPLETE)
    return (folder / _COMPLETE).exists()


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder of the cache, filled once by *make*. Raises `WrongUse`."""
    if is_complete(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = (folder.parent / f"{folder.name}.lock").open("w")
    except OSError as error:
        message = f"the cache {cache_folder()} cannot be written: {error.strerror}"
        raise WrongUse(message, "set SECTAX_CACHE to a writable folder") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            # Readable by all, since instances run as other users; targets of links stay unchanged.
            for path in (folder, *folder.rglob("*")):
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (folder / _COMPLETE).touch()
    return folder


def bundled(kind: str, name: str) -> Path:
    """A folder of `probes`, `functions` or `clients`, installed or checked out."""
    packaged = Path(__file__).parent.parent / f"_{kind}" / name
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / kind / name
