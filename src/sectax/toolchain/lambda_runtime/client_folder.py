"""Folders of runtime clients in the user's cache: named after all that they are made of, and made once."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

from sectax.toolchain import cache

_COMPLETE = "complete"


def place(language: str, *made_of: bytes) -> Path:
    """Where the client for a language is, or will be."""
    return cache.place("lambda", language, *made_of)


def is_complete(folder: Path) -> bool:
    """Whether the client is there."""
    return (folder / _COMPLETE).exists()


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, filled by *make* where it is not there yet; *make* has to create it."""
    if is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two servers may start at once
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            # The programs of an instance run as nobody in particular.
            for path in (folder, *folder.rglob("*")):
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (folder / _COMPLETE).touch()
    return folder
