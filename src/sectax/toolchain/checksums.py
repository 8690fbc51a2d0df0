"""Remembers what a folder held when it was built, and finds what has been damaged since."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

# In the format of sha256sum, so that `sha256sum -c` reads it too.
_LIST = "files.sha256"


def remember(folder: Path) -> None:
    """Write the checksum of every file in *folder* into a list beside them."""
    lines = [f"{_sum(path)}  {path.relative_to(folder)}\n" for path in sorted(_files(folder))]
    (folder / _LIST).write_text("".join(lines))


def damage(folder: Path) -> str | None:
    """The first damage in words; None where every file is as it was built. Files that came later do not count."""
    try:
        listed = (folder / _LIST).read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return "the list of its files is missing"
    if not listed:
        return "the list of its files is empty"
    for line in listed:
        wanted, _, name = line.partition("  ")
        try:
            if _sum(folder / name) != wanted:
                return f"{name} has changed"
        except OSError:
            return f"{name} is missing or cannot be read"
    return None


def _files(folder: Path) -> Iterator[Path]:
    """Regular files. A link leads to what is not ours, such as the system's Python."""
    for parent, _, names in os.walk(folder):
        paths = (Path(parent, name) for name in names if name != _LIST)
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
