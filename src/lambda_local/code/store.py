"""The folder of the service: what was uploaded, unpacked, and the layers of functions laid over each other."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from lambda_local.code.archive import UNPACKED_BYTES, unpack
from lambda_local.code.tree import BadArchive, File, Folder, Link, Tree
from lambda_local.errors import LambdaLocalError
from lambda_local.function import Code, LayerVersion

ZIPPED_BYTES = 50 * 1024 * 1024  # that come with a request: AWS Lambda quotas
_CHUNK = 1024 * 1024
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
            BadArchive: one has a file where another has a folder, together they lead out of their folder, or they are
                too large together.
        """
        if not layers:
            return None
        name = hashlib.sha256("\n".join(layer.code.sha256 for layer in layers).encode()).hexdigest()
        folder = self.folder / "opt" / name
        with self._lock:
            if not folder.exists():
                tree = _merged_tree(layers)
                with _disk_errors():
                    self._place(folder, tree.write)
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


def _merged_tree(layers: tuple[LayerVersion, ...]) -> Tree:
    """Links are judged in the merged tree: one that stays inside its own layer may leave it through another layer's."""
    try:
        tree = Tree()
        for layer in layers:
            for path, node in _nodes(layer.code.folder, ()):
                tree.add(path, node)
        tree.check_links()
        if tree.size > UNPACKED_BYTES:
            raise BadArchive(f"Layers consume more than the available size of {UNPACKED_BYTES} bytes")
    except BadArchive as error:
        raise BadArchive(f"the layers do not fit over each other: {error}") from error
    return tree


def _nodes(folder: Path, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], File | Link | Folder]]:
    """What is in an unpacked archive, outer folders first."""
    with os.scandir(folder) as entries:
        for entry in entries:
            inner = (*path, entry.name)
            if entry.is_symlink():
                yield inner, Link(os.readlink(entry.path))
            elif entry.is_dir(follow_symlinks=False):
                yield inner, Folder()
                yield from _nodes(folder / entry.name, inner)
            else:
                about = entry.stat(follow_symlinks=False)
                read = functools.partial(_content, entry.path)
                yield inner, File(read, bool(about.st_mode & stat.S_IXUSR), about.st_size, int(about.st_mtime))


def _content(path: str) -> Iterator[bytes]:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as source:
        while chunk := source.read(_CHUNK):
            yield chunk
