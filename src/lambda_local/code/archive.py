"""Unpacks an untrusted zip: nothing is written outside the folder, and sizes are limited."""

from __future__ import annotations

import bz2
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

# The extra field of Info-ZIP's zip: flags; the lowest bit announces a time in seconds since 1970.
_EXTENDED_TIMESTAMP = 0x5455
_HAS_MODIFIED = 1
_EPOCH_OF_ZIP = calendar.timegm((1980, 1, 1, 0, 0, 0))


def modified(entry: zipfile.ZipInfo) -> int:
    """Return an entry's time in seconds since 1970; a local time is treated as UTC."""
    for kind, content in _extra_fields(entry.extra):
        if kind == _EXTENDED_TIMESTAMP and len(content) >= 5 and content[0] & _HAS_MODIFIED:
            return int(struct.unpack_from("<i", content, 1)[0])
    # A zip may have invalid months, which `timegm` rejects.
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
FILES = 65_535  # the limit of a zip without extensions

_CHUNK = 1024 * 1024
_LINK_BYTES = 1024
# LZMA keeps as much of what it has unpacked as the archive demands, up to 4 GiB.
_DICTIONARY_BYTES = 64 * 1024 * 1024
_LOCAL_HEADER = struct.Struct("<26x2H")  # lengths of the name and the extra field that follow
_LZMA_HEADER = struct.Struct("<HHBI")  # version, length of the rest, parameters, dictionary
_ENTRY = b"PK\x01\x02"  # precedes each entry of the central directory, also of nested zips

# Exceptions for damaged zips are not documented.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError, NotImplementedError,
            RuntimeError, OverflowError, IndexError, KeyError, struct.error)  # fmt: skip


def unpack(data: bytes, folder: Path) -> int:
    """Unpack a zip into a new folder, which is removed again if the zip is rejected.

    Files and folders become readable for all users, and executable if they are for the owner.

    Returns:
        The number of unpacked bytes.
    Raises:
        BadArchive: it is not a zip, has paths outside the folder, or is too large.
        OSError: it cannot be written.
    """
    # Python reads the whole list before its length can be checked.
    if data.count(_ENTRY) > 4 * FILES:
        raise BadArchive(f"the zip has more than {FILES} entries")
    with _damage_refused():
        archive = zipfile.ZipFile(io.BytesIO(data))
    with archive:
        reader = _Reader(archive, data)
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
    """Reads an archive. `size` counts unpacked bytes, since the sizes in a zip may be false."""

    def __init__(self, archive: zipfile.ZipFile, data: bytes) -> None:
        self.size = 0
        self._archive = archive
        self._data = data

    def nodes(self) -> dict[Parts, Node]:
        """Return the entries after checking their names, types and announced sizes."""
        entries = self._archive.infolist()
        if not entries:
            raise BadArchive("Uploaded file must be a non-empty zip")
        if len(entries) > FILES:
            raise BadArchive(f"the zip has {len(entries)} entries; at most {FILES} are allowed")
        if sum(entry.file_size for entry in entries) > UNPACKED_BYTES:
            raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
        nodes: dict[Parts, Node] = {}
        for entry in entries:
            path = _path(entry)
            if path in nodes:
                raise BadArchive(f"the zip has {'/'.join(path)!r} twice")
            nodes[path] = self._node(entry)
        return nodes

    def _node(self, entry: zipfile.ZipInfo) -> Node:
        if entry.flag_bits & 1:
            raise BadArchive(f"{entry.filename!r} in the zip is encrypted")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            raise BadArchive(f"{entry.filename!r} in the zip is not a file, folder or link")
        if entry.is_dir():
            return None
        if kind == stat.S_IFLNK:
            return Link(self._link_target(entry))
        return functools.partial(self._write, entry)

    def _write(self, entry: zipfile.ZipInfo, path: Path) -> None:
        with path.open("xb") as file:
            for chunk in self._content(entry):
                file.write(chunk)
        path.chmod(0o755 if entry.external_attr >> 16 & stat.S_IXUSR else 0o644)
        os.utime(path, (modified(entry),) * 2)

    def _link_target(self, entry: zipfile.ZipInfo) -> str:
        if entry.file_size > _LINK_BYTES:
            raise BadArchive(f"the link {entry.filename!r} in the zip is too long")
        target = os.fsdecode(b"".join(self._content(entry)))
        if not target or "\0" in target:
            raise BadArchive(f"the link {entry.filename!r} in the zip has the invalid target {target!r}")
        return target

    def _content(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        with _damage_refused(), self._archive.open(entry) as source:
            own = entry.compress_type in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            for chunk in self._unpacked(entry) if own else iter(lambda: source.read(_CHUNK), b""):
                self.size += len(chunk)
                if self.size > UNPACKED_BYTES:
                    raise BadArchive(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")
                yield chunk

    def _unpacked(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """Unpack an entry of bzip2 or LZMA by chunks; zipfile unpacks 40 MB at once from 50 bytes."""
        start = entry.header_offset + _LOCAL_HEADER.size
        start += sum(_LOCAL_HEADER.unpack_from(self._data, entry.header_offset))
        packed = self._data[start : start + entry.compress_size]
        decompressor: bz2.BZ2Decompressor | lzma.LZMADecompressor = bz2.BZ2Decompressor()
        if entry.compress_type == zipfile.ZIP_LZMA:
            _, size, first, dictionary = _LZMA_HEADER.unpack_from(packed)
            # No more than the whole entry is ever looked up.
            dictionary = min(dictionary, max(entry.file_size, 4096))
            if dictionary > _DICTIONARY_BYTES:
                raise BadArchive(f"{entry.filename!r} in the zip needs {dictionary >> 20} MiB of memory to unpack")
            options = {"dict_size": dictionary, "lc": first % 9, "lp": first // 9 % 5, "pb": first // 45}
            packed = packed[4 + size :]
            decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, **options}])
        left, crc = entry.file_size, 0
        while left:
            chunk, packed = decompressor.decompress(packed, min(left, _CHUNK)), b""
            if not chunk:
                raise EOFError
            left, crc = left - len(chunk), zlib.crc32(chunk, crc)
            yield chunk
        if crc != entry.CRC:
            raise zipfile.BadZipFile


def _path(entry: zipfile.ZipInfo) -> Parts:
    """Return an entry's path after checking both of its names.

    `orig_filename` is the name in the zip; `filename` is Python's, from 3.12 on possibly from the extra field 0x7075.
    """
    for name in (entry.orig_filename, entry.filename):
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]:
            raise BadArchive(f"the path {name!r} in the zip is outside its folder")
    return PurePosixPath(entry.filename).parts
