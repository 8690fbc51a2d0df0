"""The folders of a user that sectax writes to."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


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
