"""AWS's event-stream encoding, in which InvokeWithResponseStream answers.

https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html describes the framing.
"""

from __future__ import annotations

import struct
import zlib

CONTENT_TYPE = "application/vnd.amazon.eventstream"
_TEXT = 7


def message(kind: str, content_type: str, payload: bytes) -> bytes:
    """One event of the stream."""
    headers = b"".join(
        _header(name, value)
        for name, value in ((":message-type", "event"), (":event-type", kind), (":content-type", content_type))
    )
    prelude = struct.pack("!II", 12 + len(headers) + len(payload) + 4, len(headers))
    head = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return head + struct.pack("!I", zlib.crc32(head))


def _header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([_TEXT]) + struct.pack("!H", len(value)) + value.encode()
