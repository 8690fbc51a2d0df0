"""The content of a folder, checked as a whole in memory before it is written.

Untrusted paths and links are resolved in memory, never on disk. Folders are written first, then files, and links last,
so that nothing is written through a link.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

_DEPTH = 100  # nested folders; the deepest node_modules have 30
_PATH_BYTES = 2048  # per path and link target; half of the kernel's limit
_NAME_BYTES = 255  # per name: the kernel's limit
_FOLDERS = 200_000
_LINKS = 40  # links in one path: the kernel's limit
_STEPS = 500_000  # of all links together, since nested links multiply


class BadArchive(Exception):
    """The archive is rejected, with the reason."""


@dataclass(frozen=True)
class Link:
    target: str


Parts: TypeAlias = tuple[str, ...]
# A file is a function that writes it to a new path; None is a folder.
Node: TypeAlias = "Callable[[Path], object] | Link | None"


def write(nodes: Mapping[Parts, Node], folder: Path) -> None:
    """Create *folder* and write everything into it; it is removed if that fails.

    Raises:
        BadArchive: a path is invalid, has a parent that is not a folder, or a link leads out of the folder.
        OSError: the disk is full, or the folder exists.
    """
    folders = _folders(nodes)
    _check_links({path: node for path, node in nodes.items() if isinstance(node, Link)})
    folder.mkdir(parents=True)
    try:
        for path in [(), *sorted(folders)]:
            target = folder.joinpath(*path)
            target.mkdir(exist_ok=not path)
            target.chmod(0o755)
        for path, node in nodes.items():
            if callable(node):
                node(folder.joinpath(*path))
        for path, node in nodes.items():
            if isinstance(node, Link):
                folder.joinpath(*path).symlink_to(node.target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _folders(nodes: Mapping[Parts, Node]) -> set[Parts]:
    """Return all folders in the paths."""
    folders: set[Parts] = set()
    for path, node in nodes.items():
        if not _is_possible(path):
            raise BadArchive(f"the path {_shown(path)} is invalid")
        folders.update(path[:length] for length in range(1, len(path)))
        if node is None:
            folders.add(path)
        if len(folders) > _FOLDERS:
            raise BadArchive(f"there are more than {_FOLDERS} folders")
    for path, node in nodes.items():
        if node is not None and path in folders:
            raise BadArchive(f"{_shown(path)} is both a folder and something else")
    return folders


def _is_possible(path: Parts) -> bool:
    try:
        sizes = [len(os.fsencode(name)) for name in path]
    except UnicodeEncodeError:
        return False
    if not 0 < len(path) <= _DEPTH or max(sizes) > _NAME_BYTES or sum(sizes) > _PATH_BYTES:
        return False
    return not any(name in ("", ".", "..") or "/" in name or "\0" in name for name in path)


def _check_links(links: Mapping[Parts, Link]) -> None:
    """Raises `BadArchive` if a link leaves the folder at any step, or follows too many others."""
    steps = 0
    for path, link in links.items():
        position, pending, followed = list(path[:-1]), _steps(link), 0
        while pending:
            steps += 1
            if steps > _STEPS:
                raise BadArchive("there are too many nested links")
            name = pending.pop()
            if name == "/" or (name == ".." and not position) or followed > _LINKS:
                raise BadArchive(f"the link {_shown(path)} leads out of its folder or through over {_LINKS} links")
            if name == "..":
                position.pop()
            elif (inner := links.get((*position, name))) is not None:
                followed += 1
                pending += _steps(inner)
            else:  # a file, a folder, or nothing
                position.append(name)


def _steps(link: Link) -> list[str]:
    """Return the names in the link's target, the first one last; '/' is the root."""
    steps = [name for name in link.target.split("/") if name not in ("", ".")][::-1]
    return [*steps, "/"] if link.target.startswith("/") else steps


def _shown(path: Parts) -> str:
    return repr("/".join(path)[:200])
