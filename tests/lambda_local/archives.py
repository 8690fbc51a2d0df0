"""Makes archives, good ones and those that nobody should trust."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib

LINK = (stat.S_IFLNK | 0o777) << 16


def archive(files: dict[str, str | bytes], executable: tuple[str, ...] = ()) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in executable else 0o644) << 16
            out.writestr(entry, content)
    return packed.getvalue()


def zipped(*entries: tuple[str, str | bytes, int], unicode_paths: dict[str, str] | None = None) -> bytes:
    """A zip of (name, content, external attributes).

    Args:
        unicode_paths: for some names, the other one that stands in their extra field 0x7075.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, content, attributes in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = attributes
            if unicode_paths and name in unicode_paths:
                entry.extra = unicode_path(name, unicode_paths[name])
            out.writestr(entry, content)
    return packed.getvalue()


def unicode_path(name: str, other: str) -> bytes:
    """The extra field that gives an entry another name: APPNOTE.TXT of PKWARE, 4.6.9."""
    body = struct.pack("<BL", 1, zlib.crc32(name.encode())) + other.encode()
    return struct.pack("<HH", 0x7075, len(body)) + body
