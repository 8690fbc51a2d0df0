"""The service's folder: unpacked archives, and merged layers."""

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

ZIPPED_BYTES = 50 * 1024 * 1024  # per request: AWS Lambda quotas
_UNFINISHED = "unfinished"


class CodeStore:
    """Stores archives by hash until the service ends. Methods are slow and thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def add(self, data: bytes) -> Code:
        """Unpack an archive, unless it already was.

        Raises:
            BadArchive: it is too large or invalid.
            LambdaLocalError: the disk is full or read-only.
        """
        if len(data) > ZIPPED_BYTES:
            raise BadArchive(f"Zipped size must be smaller than {ZIPPED_BYTES} bytes")
        digest = hashlib.sha256(data)
        folder = self.folder / "code" / digest.hexdigest()
        with self._lock:
            if not folder.exists():
                with _disk_errors():
                    self._create(folder, lambda unfinished: unpack(data, unfinished))
        unpacked = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
        return Code(base64.b64encode(digest.digest()).decode(), len(data), folder, unpacked)

    def merge(self, layers: tuple[LayerVersion, ...]) -> Path | None:
        """Merge layers into one folder, later ones over earlier ones, as Lambda does in /opt.

        Raises:
            BadArchive: a file conflicts with a folder, or links of merged layers lead out of the folder.
        """
        if not layers:
            return None
        name = hashlib.sha256("\n".join(layer.code.sha256 for layer in layers).encode()).hexdigest()
        folder = self.folder / "opt" / name
        with self._lock:
            if not folder.exists():
                try:
                    with _disk_errors():
                        self._create(folder, functools.partial(layout.write, _merge(layers)))
                except BadArchive as error:
                    raise BadArchive(f"the layers cannot be merged: {error}") from error
        return folder

    def remove_but(self, used: set[Path]) -> None:
        """Delete all folders except these."""
        with self._lock:
            for part in ("code", "opt", _UNFINISHED):
                for folder in (self.folder / part).glob("*"):
                    if folder not in used:
                        shutil.rmtree(folder, ignore_errors=True)

    def _create(self, folder: Path, write: Callable[[Path], object]) -> None:
        """Create a folder atomically."""
        unfinished = self.folder / _UNFINISHED / secrets.token_hex(8)
        write(unfinished)
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished.rename(folder)


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"free space in {tempfile.gettempdir()}, or set TMPDIR to another folder"
        raise LambdaLocalError(f"the archive cannot be unpacked: {error.strerror or error}", hint) from error


def _merge(layers: tuple[LayerVersion, ...]) -> dict[Parts, Node]:
    """Collect the nodes of all layers; links are checked together, since they may lead out through each other."""
    nodes: dict[Parts, Node] = {}
    for layer in layers:
        for source in layer.code.folder.rglob("*"):
            path = source.relative_to(layer.code.folder).parts
            if source.is_symlink():
                nodes[path] = Link(os.readlink(source))
            elif source.is_dir():
                nodes.setdefault(path, None)  # a file of an earlier layer stays, and is rejected later
            else:
                nodes[path] = functools.partial(shutil.copy2, source)
    return nodes
