"""Files of the kernel that are read again and again: opened once, read with `pread`."""

from __future__ import annotations

import os
from pathlib import Path

# Bytes: longer than any such file here, or than the part of it that is needed.
ENOUGH = 16 * 1024


def open_counter(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def number_after(text: bytes, label: bytes) -> int | None:
    place = text.find(label)
    if place < 0:
        return None
    word = text[place + len(label) : place + len(label) + 32].split(None, 1)
    return int(word[0]) if word and word[0].isdigit() else None
