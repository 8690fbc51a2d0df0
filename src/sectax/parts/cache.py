"""The folders of a user that sectax writes to, how what is made there is made once, and the folders that it brings."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from sectax.model.errors import WrongUse

_COMPLETE = "complete"


def cache_folder() -> Path:
    """Where built and downloaded things live, each under a name with its version or hash; may be deleted any time."""
    base = os.environ.get("SECTAX_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(base).expanduser()
    return folder if os.environ.get("SECTAX_CACHE") else folder / "sectax"


def state_folder() -> Path:
    """Where the private inputs of unfinished runs live, mode 700."""
    base = os.environ.get("SECTAX_STATE") or os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    folder = Path(base).expanduser()
    return folder if os.environ.get("SECTAX_STATE") else folder / "sectax"


def place(kind: str, name: str, *made_of: bytes) -> Path:
    """Where something of a kind is kept in the cache, or will be: its name has a hash of all that it is made of."""
    return cache_folder() / kind / f"{name}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:16]}"


def is_complete(folder: Path) -> bool:
    return (folder / _COMPLETE).exists()


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder of the cache, filled by *make* where it is not there yet; *make* has to create it.

    Raises:
        WrongUse: the cache cannot be written.
    """
    if is_complete(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        held = (folder.parent / f"{folder.name}.lock").open("w")
    except OSError as error:
        message = f"the cache {cache_folder()} cannot be written: {error.strerror}"
        raise WrongUse(message, "name a folder of your own in SECTAX_CACHE") from error
    with held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two servers may start at once
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            # The programs of an instance run as nobody in particular. What a link leads to is not ours to change.
            for path in (folder, *folder.rglob("*")):
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (folder / _COMPLETE).touch()
    return folder


def bundled(kind: str, name: str) -> Path:
    """A folder of `probes`, `functions` or `clients`: inside the package once installed, beside it in a checkout."""
    packaged = Path(__file__).parent.parent / f"_{kind}" / name
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / kind / name
