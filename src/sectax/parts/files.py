"""Puts a file in its place whole: whoever looks, and whatever fails, finds the old content or the new."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

_PRIVATE = 0o600


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A free name beside *path*, for a file that takes its place at the end; where writing fails, nothing is left."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        yield unfinished
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, in place of one that is there.

    Args:
        private: only this user can read it, whatever the umask is.
    Raises:
        OSError: it cannot be written; what was there before is unchanged.
    """
    with beside(path) as unfinished:
        _fill(_create(unfinished, private), content, private=private)


def write_new(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file where there is none; where that fails, it is not there. Raises `OSError`, `FileExistsError` too."""
    descriptor = _create(path, private)  # where this fails, what has the name is not ours to remove
    try:
        _fill(descriptor, content, private=private)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _create(path: Path, private: bool) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, _PRIVATE if private else 0o666)


def _fill(descriptor: int, content: bytes, *, private: bool) -> None:
    with os.fdopen(descriptor, "wb") as file:
        if private:
            os.fchmod(file.fileno(), _PRIVATE)  # an odd umask can take away even the owner's rights
        file.write(content)
