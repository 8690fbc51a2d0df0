"""What a folder is to hold: judged as a whole in memory, and only then written.

What strangers name (paths, links) is looked up in memory and never on disk. Folders are written first, then files, and
links last: nothing can be written through a link.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

_DEPTH = 100  # folders in each other; the deepest node_modules are at 30
_PATH_BYTES = 2048  # of one path, and of what a link says; the kernel takes twice as much
_NAME_BYTES = 255  # of one name: the kernel's limit
_FOLDERS = 200_000
_LINKS = 40  # that one path may lead through: the kernel's limit
_STEPS = 500_000  # that all links together may take: links through links through links multiply


class BadArchive(Exception):
    """The archive is refused; the message says why."""


@dataclass(frozen=True)
class Link:
    target: str


Parts: TypeAlias = tuple[str, ...]
# A file is what writes it, to a place where nothing is; None is a folder.
Node: TypeAlias = "Callable[[Path], object] | Link | None"


def write(nodes: Mapping[Parts, Node], folder: Path) -> None:
    """Write everything into *folder*, which is made here; nothing is left of it where that fails.

    Raises:
        BadArchive: a path is not possible, runs through something that is not a folder, or a link leads out.
        OSError: the disk is full, or the folder is there already.
    """
    folders = _folders(nodes)
    _check_links({path: node for path, node in nodes.items() if isinstance(node, Link)})
    folder.mkdir(parents=True)
    try:
        for path in [(), *sorted(folders)]:
            place = folder.joinpath(*path)
            place.mkdir(exist_ok=not path)
            place.chmod(0o755)
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
    """Every folder that the paths name or run through."""
    folders: set[Parts] = set()
    for path, node in nodes.items():
        if not _is_possible(path):
            raise BadArchive(f"the path {_shown(path)} is not possible")
        folders.update(path[:length] for length in range(1, len(path)))
        if node is None:
            folders.add(path)
        if len(folders) > _FOLDERS:
            raise BadArchive(f"there are more than {_FOLDERS} folders")
    for path, node in nodes.items():
        if node is not None and path in folders:
            raise BadArchive(f"{_shown(path)} does not fit: it is a folder and something else")
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
    """Raises `BadArchive` where a link leads out, if only on its way, or through too many others."""
    steps = 0
    for path, link in links.items():
        place, ahead, followed = list(path[:-1]), _steps(link), 0
        while ahead:
            steps += 1
            if steps > _STEPS:
                raise BadArchive("there are too many links that lead through links")
            name = ahead.pop()
            if name == "/" or (name == ".." and not place) or followed > _LINKS:
                raise BadArchive(f"the link {_shown(path)} leads out of its folder or through over {_LINKS} links")
            if name == "..":
                place.pop()
            elif (inner := links.get((*place, name))) is not None:
                followed += 1
                ahead += _steps(inner)
            else:  # a file, a folder, or nothing
                place.append(name)


def _steps(link: Link) -> list[str]:
    """The names on the link's way, the first one last; '/' is the machine's root."""
    steps = [name for name in link.target.split("/") if name not in ("", ".")][::-1]
    return [*steps, "/"] if link.target.startswith("/") else steps


def _shown(path: Parts) -> str:
    return repr("/".join(path)[:200])
