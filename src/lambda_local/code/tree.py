"""A tree of files in memory: it is judged as a whole first, and only then written.

What strangers name (paths, links) is looked up in the tree and never on disk. Writing opens each folder by the
descriptor of its parent and follows no link, so nothing can lead it out of its folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


class BadArchive(Exception):
    """The archive is refused; the message says why."""


_DEPTH = 100  # folders in each other; the deepest node_modules are at 30
_NAME_BYTES = 255  # of one name: the kernel's limit
_LINKS = 40  # that one path may lead through: the kernel's limit
_NODES = 200_000  # files, links and folders together
_STEPS = 500_000  # that all links together may take: links through links through links multiply
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class File:
    """A file.

    Attributes:
        read: gives its content in pieces.
        size: what it should be, in bytes.
        modified: when it was last changed, in seconds since 1970.
    """

    read: Callable[[], Iterable[bytes]]
    executable: bool
    size: int
    modified: int


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Folder:
    """A folder, with what is in it by name."""

    children: dict[str, Node] = field(default_factory=dict)


Node: TypeAlias = "File | Link | Folder"


class Tree:
    """Files, links and folders under one root that does not exist yet."""

    def __init__(self) -> None:
        self._root = Folder()
        self._nodes = 0
        self._steps = 0

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(node.size for _, node in _nodes((), self._root) if isinstance(node, File))

    def add(self, path: tuple[str, ...], node: Node) -> None:
        """Put *node* at *path*; a file or link takes the place of an earlier one.

        Raises:
            BadArchive: the path is none within a folder, or runs through something that is not a folder.
        """
        shown = "/".join(path)
        if not path or len(path) > _DEPTH or not all(_is_name(name) for name in path):
            raise BadArchive(f"the path {shown[:200]!r} is not possible")
        folder = self._root
        for name in path[:-1]:
            if name not in folder.children:
                self._put(folder, name, Folder())
            inner = folder.children[name]
            if not isinstance(inner, Folder):
                raise BadArchive(f"{shown[:200]!r} does not fit: there is something else where it needs a folder")
            folder = inner
        present = folder.children.get(path[-1])
        if isinstance(present, Folder) and isinstance(node, Folder):
            return
        if isinstance(present, Folder) or (present is not None and isinstance(node, Folder)):
            raise BadArchive(f"{shown[:200]!r} does not fit: it is a folder and something else")
        self._put(folder, path[-1], node)

    def check_links(self) -> None:
        """Raises `BadArchive` where a link leads out of the root, if only on its way, or through too many others."""
        for path, node in _nodes((), self._root):
            if isinstance(node, Link) and not self._stays_inside(path[:-1], node.target):
                raise BadArchive(
                    f"the link {'/'.join(path)[:200]!r} leads out of its folder or through more than {_LINKS} links"
                )

    def write(self, folder: Path) -> None:
        """Write everything into *folder*, which is made here; nothing is left of it where that fails.

        Raises:
            OSError: the disk is full, or the folder is there already.
        """
        folder.mkdir(parents=True)
        try:
            root = os.open(folder, _FOLDER)
            try:
                _write(self._root, root)
            finally:
                os.close(root)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _put(self, folder: Folder, name: str, node: Node) -> None:
        self._nodes += 1
        if self._nodes > _NODES:
            raise BadArchive(f"there are more than {_NODES} files and folders")
        folder.children[name] = node

    def _stays_inside(self, start: tuple[str, ...], target: str) -> bool:
        """Whether a link in the folder *start* stays inside; one to a place where nothing is may do so too."""
        way: list[Node | None] = [self._root]  # from the root to the place that is reached; None: nothing is there
        for name in start:
            way.append(_child(way[-1], name))
        ahead = _steps(target)
        followed = 0
        while ahead:
            self._steps += 1
            if self._steps > _STEPS:
                raise BadArchive("there are too many links that lead through links")
            name = ahead.pop()
            if name == "/":
                return False
            if name == "..":
                way.pop()
                if not way:
                    return False
                continue
            node = _child(way[-1], name)
            if not isinstance(node, Link):
                way.append(node)
                continue
            followed += 1
            if followed > _LINKS:
                return False  # the kernel would give up here, but not every program that resolves paths itself
            ahead += _steps(node.target)
        return True


def _nodes(path: tuple[str, ...], folder: Folder) -> Iterator[tuple[tuple[str, ...], Node]]:
    for name, node in folder.children.items():
        yield (*path, name), node
        if isinstance(node, Folder):
            yield from _nodes((*path, name), node)


def _child(node: Node | None, name: str) -> Node | None:
    return node.children.get(name) if isinstance(node, Folder) else None


def _steps(target: str) -> list[str]:
    """The names of a path, the first one last; '/' stands for the machine's root."""
    steps = [name for name in target.split("/") if name not in ("", ".")][::-1]
    return [*steps, "/"] if target.startswith("/") else steps


def _is_name(name: str) -> bool:
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        return False
    return 0 < size <= _NAME_BYTES and name not in (".", "..") and "/" not in name and "\0" not in name


def _write(folder: Folder, descriptor: int) -> None:
    """Fill the new, empty folder that *descriptor* is open on."""
    for name, node in folder.children.items():
        match node:
            case Folder():
                os.mkdir(name, 0o755, dir_fd=descriptor)
                inner = os.open(name, _FOLDER, dir_fd=descriptor)
                try:
                    _write(node, inner)
                finally:
                    os.close(inner)
            case File():
                with open(os.open(name, _NEW, 0o600, dir_fd=descriptor), "wb") as file:
                    for piece in node.read():
                        file.write(piece)
                    file.flush()  # or closing it would change the time once more
                    os.fchmod(file.fileno(), 0o755 if node.executable else 0o644)
                    os.utime(file.fileno(), (node.modified, node.modified))
            case Link():
                os.symlink(node.target, name, dir_fd=descriptor)
    os.fchmod(descriptor, 0o755)
