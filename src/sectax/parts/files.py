"""Writes files atomically: readers see the old content or the new."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

_PRIVATE = 0o600


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file next to *path* that replaces it on success."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        yield unfinished
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write or replace a file, perhaps *private*. Raises `OSError`, unchanged."""
    with replacing(path) as unfinished:
        _fill(_create(unfinished, private), content, private=private)


def write_new(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a new file; on failure it is removed. Raises `OSError`."""
    descriptor = _create(path, private)  # outside of `try`: an existing file must not be removed
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
            os.fchmod(file.fileno(), _PRIVATE)  # a strange umask may remove even the owner's permissions
        file.write(content)
