"""Cached output of commands, valid while the files behind it are unchanged.

For `list` and `show`, whose imports take longest; reading needs the standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from sectax.parts.cache import cache_folder, is_own
from sectax.parts.files import write_whole

_MOST = 64  # entries of one kind
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_SITE_PACKAGES = ("site-packages", "dist-packages")


class CacheEntry:
    """One cached text of a kind; *key* is everything that it depends on except files."""

    def __init__(self, kind: str, key: Mapping[str, object]) -> None:
        whole = {"python": sys.version, "path": sys.path, **key}
        name = hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()[:32]
        self._path = cache_folder() / "kept" / kind / f"{name}.json"

    def recall(self, longest_s: float = float("inf")) -> str | None:
        """The cached text; None if missing, too old, or a file has changed."""
        try:
            if not is_own(self._path):
                return None
            document = json.loads(self._path.read_bytes())
            if not 0 <= time.time() - document["at"] <= longest_s:
                return None
            if any(_state(path) != state for path, state in document["files"].items()):
                return None
            if any(_code_state(path) != state for path, state in document["code"].items()):
                return None
            return str(document["text"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, text: str, files: Iterable[str | Path] = ()) -> None:
        """Store the text with its *files*, loaded code and installed packages."""
        code = {*_loaded(), *(path for path in sys.path if os.path.isdir(path))}
        entry = {
            "at": time.time(),
            "files": {path: _state(path) for path in sorted(map(str, files))},
            "code": {path: _code_state(path) for path in sorted(code)},
            "text": text,
        }
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(entry).encode(), private=True)
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        entries = sorted(self._path.parent.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        for path in entries[:-_MOST]:
            path.unlink(missing_ok=True)


def _loaded() -> set[str]:
    """Files of all loaded modules except the standard library."""
    files = {getattr(module, "__file__", None) for module in tuple(sys.modules.values())}
    return {path for path in files if path and not _is_standard(path)}


def _is_standard(path: str) -> bool:
    return path.startswith(_STANDARD_LIBRARY) and not any(
        f"{os.sep}{site_package}{os.sep}" in path for site_package in _SITE_PACKAGES
    )


def _state(path: str) -> list[int] | None:
    """Modification and change time, size and inode of a file; None if it is absent."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if not os.path.isfile(path):
        return [status.st_mtime_ns, status.st_ino]
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _code_state(path: str) -> list[int] | None:
    """As `_state` without change time, since uv links library files."""
    state = _state(path)
    return state and [state[0], *state[-2:]]
