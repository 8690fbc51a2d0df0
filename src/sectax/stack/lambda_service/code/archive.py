"""Unpacks a zip that a stranger may have made: nothing leaves the folder, nothing grows without bound."""

from __future__ import annotations

import io
import lzma
import os
import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

UNPACKED_BYTES = 250 * 1024 * 1024  # function and layers together: AWS Lambda quotas
FILES = 65_535  # what a zip without extensions can count

# Code is packed 2 to 20 times smaller than it is. A thousand to one is what deflate makes of zeros; small archives of
# very regular data may come near it and do no harm.
_RATIO = 200
_RATIO_FROM_BYTES = 16 * 1024 * 1024

_CHUNK = 1024 * 1024
_LINK_BYTES = 4096


class BadArchive(Exception):
    """The archive is refused; the message says why."""


def unpack(data: bytes, folder: Path) -> int:
    """Unpack a zip into a folder that does not exist yet; nothing is left of it where the zip is refused.

    Files and folders become readable for everyone, and executable where the archive says so of the owner.

    Returns:
        Bytes that were unpacked.
    Raises:
        BadArchive: it is no zip, leaves the folder, or is too large.
    """
    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = _judged(archive, len(data))
            size = 0
            for entry in entries:
                size += _extract(archive, entry, folder, UNPACKED_BYTES - size)
            _check_links(folder)
        for path in (folder, *folder.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        # Which exceptions a damaged zip raises is nowhere promised.
        if isinstance(
            error,
            (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError, NotImplementedError,
             RuntimeError, OverflowError, IndexError, KeyError),
        ):  # fmt: skip
            raise BadArchive(
                "Could not unzip uploaded file. Please check your file, then try to upload again."
            ) from error
        raise
    return size


def _judged(archive: zipfile.ZipFile, packed: int) -> list[zipfile.ZipInfo]:
    """The entries, if their names, kinds and announced sizes are acceptable; links come last."""
    entries = archive.infolist()
    if len(entries) > FILES:
        raise BadArchive(f"the zip has {len(entries)} entries, at most {FILES} are taken")
    announced = sum(entry.file_size for entry in entries)
    if announced > UNPACKED_BYTES:
        raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
    if announced > _RATIO_FROM_BYTES and announced > _RATIO * packed:
        raise BadArchive(f"the zip unpacks to {announced // max(packed, 1)} times its size, as only a bomb does")
    names: set[str] = set()
    for entry in entries:
        _check_name(entry.orig_filename)
        name = str(PurePosixPath(entry.filename))
        if name in names:
            raise BadArchive(f"the zip holds {name!r} twice")
        names.add(name)
        if entry.flag_bits & 1:
            raise BadArchive(f"{name!r} in the zip is encrypted")
        if _kind(entry) not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            raise BadArchive(f"{name!r} in the zip is neither file, folder nor link")
    return sorted(entries, key=lambda entry: _kind(entry) == stat.S_IFLNK)


def _check_name(name: str) -> None:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]:
        raise BadArchive(f"the path {name!r} in the zip leads out of its folder")


def _kind(entry: zipfile.ZipInfo) -> int:
    return stat.S_IFMT(entry.external_attr >> 16)


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, most: int) -> int:
    """Write one entry; returns its bytes. No parent can be a link, since links are written last."""
    path = folder / entry.filename
    if entry.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source:
        if _kind(entry) == stat.S_IFLNK:
            if entry.file_size > _LINK_BYTES:
                raise BadArchive(f"the link {entry.filename!r} in the zip is too long")
            path.symlink_to(os.fsdecode(source.read(_LINK_BYTES)))
            return 0
        executable = (entry.external_attr >> 16) & stat.S_IXUSR
        with path.open("xb") as target:
            size = _copy(source, target, most)
        path.chmod(0o755 if executable else 0o644)
        return size


def _copy(source: IO[bytes], target: IO[bytes], most: int) -> int:
    """Sizes in a zip may lie, so what comes out is counted."""
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > most:
            raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
        target.write(chunk)
    return size


def _check_links(folder: Path) -> None:
    """Where a link really leads is known only when all of them are there: links may lead through links."""
    root = folder.resolve()
    for path in folder.rglob("*"):
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
            raise BadArchive(f"the link {str(path.relative_to(folder))!r} in the zip leads out of its folder")
