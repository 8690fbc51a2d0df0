"""The folder of the service: what was uploaded, unpacked, and the layers of functions laid over each other."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from lambda_local.code import layout
from lambda_local.code.archive import unpack
from lambda_local.code.layout import BadArchive, Link, Node, Parts
from lambda_local.errors import LambdaLocalError
from lambda_local.function import Code, LayerVersion

ZIPPED_BYTES = 50 * 1024 * 1024  # that come with a request: AWS Lambda quotas
_BESIDE = "unfinished"


class CodeStore:
    """Keeps archives by their hash, until the service ends. Its methods take long and may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def add(self, data: bytes) -> Code:
        """Unpack an archive, unless the same one is there already.

        Raises:
            BadArchive: it is too large, or not one.
            LambdaLocalError: the disk is full, or may not be written.
        """
        if len(data) > ZIPPED_BYTES:
            raise BadArchive(f"Zipped size must be smaller than {ZIPPED_BYTES} bytes")
        digest = hashlib.sha256(data)
        folder = self.folder / "code" / digest.hexdigest()
        with self._lock:
            if not folder.exists():
                with _disk_errors():
                    self._place(folder, lambda beside: unpack(data, beside))
        unpacked = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
        return Code(base64.b64encode(digest.digest()).decode(), len(data), folder, unpacked)

    def merge(self, layers: tuple[LayerVersion, ...]) -> Path | None:
        """The folder that holds all these layers, later ones over earlier ones, as Lambda merges them into /opt.

        Raises:
            BadArchive: one has a file where another has a folder, or together they lead out of their folder.
        """
        if not layers:
            return None
        name = hashlib.sha256("\n".join(layer.code.sha256 for layer in layers).encode()).hexdigest()
        folder = self.folder / "opt" / name
        with self._lock:
            if not folder.exists():
                try:
                    with _disk_errors():
                        self._place(folder, functools.partial(layout.write, _merged(layers)))
                except BadArchive as error:
                    raise BadArchive(f"the layers do not fit over each other: {error}") from error
        return folder

    def remove_but(self, used: set[Path]) -> None:
        """Free the disk of everything but these folders."""
        with self._lock:
            for part in ("code", "opt", _BESIDE):
                for folder in (self.folder / part).glob("*"):
                    if folder not in used:
                        shutil.rmtree(folder, ignore_errors=True)

    def _place(self, folder: Path, write: Callable[[Path], object]) -> None:
        """Have it written beside its place and renamed: whoever looks, a process that was killed here left nothing."""
        beside = self.folder / _BESIDE / secrets.token_hex(8)
        write(beside)
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside.rename(folder)


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"make room where temporary files are ({tempfile.gettempdir()}), or set TMPDIR to another folder"
        raise LambdaLocalError(f"the archive cannot be unpacked: {error.strerror or error}", hint) from error


def _merged(layers: tuple[LayerVersion, ...]) -> dict[Parts, Node]:
    """Links are judged when all is together: one that stays inside its own layer may leave it through another's."""
    nodes: dict[Parts, Node] = {}
    for layer in layers:
        for place in layer.code.folder.rglob("*"):
            path = place.relative_to(layer.code.folder).parts
            if place.is_symlink():
                nodes[path] = Link(os.readlink(place))
            elif place.is_dir():
                nodes.setdefault(path, None)  # where an earlier layer has a file, it does not fit
            else:
                nodes[path] = functools.partial(shutil.copy2, place)
    return nodes
