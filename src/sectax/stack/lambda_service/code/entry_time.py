"""When a file in a zip was last changed."""

from __future__ import annotations

import calendar
import struct
import zipfile
from collections.abc import Iterator

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
