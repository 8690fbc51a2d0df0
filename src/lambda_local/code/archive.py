"""Unpacks a zip that a stranger may have made: nothing leaves the folder, nothing grows without bound."""

from __future__ import annotations

import calendar
import contextlib
import functools
import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from lambda_local.code import layout
from lambda_local.code.layout import BadArchive, Link, Node, Parts

# The extra field of Info-ZIP's zip: flags, of which the lowest bit announces a time in seconds since 1970.
_EXTENDED_TIMESTAMP = 0x5455
_HAS_MODIFIED = 1
_EPOCH_OF_ZIP = calendar.timegm((1980, 1, 1, 0, 0, 0))


def modified(entry: zipfile.ZipInfo) -> int:
    """Seconds since 1970: in UTC where the zip says so, otherwise its local time, which is taken for UTC."""
    for kind, content in _extra_fields(entry.extra):
        if kind == _EXTENDED_TIMESTAMP and len(content) >= 5 and content[0] & _HAS_MODIFIED:
            return int(struct.unpack_from("<i", content, 1)[0])
    # A zip may hold a month 0 or 15, which `timegm` refuses.
    try:
        return max(calendar.timegm(entry.date_time), _EPOCH_OF_ZIP)
    except ValueError:
        return _EPOCH_OF_ZIP


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        yield kind, extra[4 : 4 + size]
        extra = extra[4 + size :]


UNPACKED_BYTES = 250 * 1024 * 1024  # function and layers together: AWS Lambda quotas
FILES = 65_535  # what a zip without extensions can count

_CHUNK = 1024 * 1024
_LINK_BYTES = 1024
_ENTRY = b"PK\x01\x02"  # stands before each entry of the zip's list, and of the lists of zips in it

# Which exceptions a damaged zip raises is nowhere promised.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError, NotImplementedError,
            RuntimeError, OverflowError, IndexError, KeyError)  # fmt: skip


def unpack(data: bytes, folder: Path) -> int:
    """Unpack a zip into a folder that does not exist yet; nothing is left of it where the zip is refused.

    Files and folders become readable for everyone, and executable where the archive says so of the owner.

    Returns:
        Bytes that were unpacked.
    Raises:
        BadArchive: it is not a zip, leaves the folder, or is too large.
        OSError: it cannot be written.
    """
    # Python reads the whole list before anybody can ask how long it is.
    if data.count(_ENTRY) > 4 * FILES:
        raise BadArchive(f"the zip has more than {FILES} entries")
    with _damage_refused():
        archive = zipfile.ZipFile(io.BytesIO(data))
    with archive:
        reader = _Reader(archive)
        with _damage_refused():
            nodes = reader.nodes()
        layout.write(nodes, folder)
    return reader.size


@contextlib.contextmanager
def _damage_refused() -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise BadArchive("Could not unzip uploaded file. Please check your file, then try to upload again.") from error


class _Reader:
    """Reads an archive. Sizes in a zip may lie, so what comes out is counted in `size`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.size = 0
        self._archive = archive

    def nodes(self) -> dict[Parts, Node]:
        """The entries, if their names, kinds and announced sizes are acceptable."""
        entries = self._archive.infolist()
        if not entries:
            raise BadArchive("Uploaded file must be a non-empty zip")
        if len(entries) > FILES:
            raise BadArchive(f"the zip has {len(entries)} entries, at most {FILES} are taken")
        if sum(entry.file_size for entry in entries) > UNPACKED_BYTES:
            raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
        nodes: dict[Parts, Node] = {}
        for entry in entries:
            path = _path(entry)
            if path in nodes:
                raise BadArchive(f"the zip holds {'/'.join(path)!r} twice")
            nodes[path] = self._node(entry)
        return nodes

    def _node(self, entry: zipfile.ZipInfo) -> Node:
        if entry.flag_bits & 1:
            raise BadArchive(f"{entry.filename!r} in the zip is encrypted")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            raise BadArchive(f"{entry.filename!r} in the zip is neither file, folder nor link")
        if entry.is_dir():
            return None
        if kind == stat.S_IFLNK:
            return Link(self._link_target(entry))
        return functools.partial(self._write, entry)

    def _write(self, entry: zipfile.ZipInfo, place: Path) -> None:
        with place.open("xb") as file:
            for piece in self._content(entry):
                file.write(piece)
        place.chmod(0o755 if entry.external_attr >> 16 & stat.S_IXUSR else 0o644)
        os.utime(place, (modified(entry),) * 2)

    def _link_target(self, entry: zipfile.ZipInfo) -> str:
        if entry.file_size > _LINK_BYTES:
            raise BadArchive(f"the link {entry.filename!r} in the zip is too long")
        with self._archive.open(entry) as source:
            return os.fsdecode(source.read(_LINK_BYTES))

    def _content(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        with _damage_refused(), self._archive.open(entry) as source:
            while chunk := source.read(_CHUNK):
                self.size += len(chunk)
                if self.size > UNPACKED_BYTES:
                    raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
                yield chunk


def _path(entry: zipfile.ZipInfo) -> Parts:
    """Where the entry comes to lie.

    Both of its names are judged: `orig_filename` as it stands in the zip, and `filename` as Python makes it of that,
    which from 3.12 on may be another one altogether, out of the extra field 0x7075.
    """
    for name in (entry.orig_filename, entry.filename):
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]:
            raise BadArchive(f"the path {name!r} in the zip leads out of its folder")
    return PurePosixPath(entry.filename).parts
