"""The folder of one server: what was uploaded, and the place on which its instances build their roots.

It is locked as long as its owner lives, and the control groups of its instances bear its name: so a later server finds
what a dead one left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lambda_local.errors import LambdaLocalError
from lambda_local.settings import NAME

_LOCK = "lock"  # the file in it
_NEW = ".new-"
_UNFINISHED_S = 60.0


class WorkFolder(NamedTuple):
    """A folder that nobody else may look into, and the descriptor of its lock."""

    path: Path
    lock: int

    @property
    def staging(self) -> Path:
        """An empty folder. Every instance mounts its root there, in a namespace of its own: nothing is seen outside."""
        return self.path / "root"


def new_folder() -> WorkFolder:
    """Make a folder, locked. Raises `LambdaLocalError` where nothing can be written."""
    base, name = Path(tempfile.gettempdir()), f"{NAME}-{secrets.token_hex(6)}"
    try:
        new = base / f"{_NEW}{name}"
        new.mkdir(mode=0o700)
        (new / "root").mkdir()
        lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Under the name that is looked for it is never seen without its lock held.
        return WorkFolder(new.rename(base / name), lock)
    except OSError as error:
        reason = f"no folder can be made in {base}: {error.strerror}"
        raise LambdaLocalError(reason, "make room there, or set TMPDIR to another folder") from error


def dead_folders() -> Iterator[Path]:
    """The folders of this user's owners that were killed, each locked until the next one; never raises."""
    base = Path(tempfile.gettempdir())
    for folder in sorted((*base.glob(f"{NAME}-*"), *base.glob(f"{_NEW}{NAME}-*"))):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            # A new one may have been made a moment ago, and its owner not have come to the lock yet.
            if folder.name.startswith(_NEW) and time.time() - status.st_mtime < _UNFINISHED_S:
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield folder
            finally:
                os.close(lock)
