"""The body of a request that brings an archive, taken apart. For a large one it takes a thread a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

_HOLDERS = ("Code", "Content")  # of CreateFunction and PublishLayerVersion; UpdateFunctionCode has ZipFile itself


class Upload(NamedTuple):
    """The archive, None where none came, and the rest of the body as JSON."""

    document: bytes
    archive: bytes | None


def take_apart(parts: Sequence[bytes]) -> Upload:
    """Decode a body. Raises `msgspec.DecodeError`, `UnicodeDecodeError` or `RecursionError`."""
    members = msgspec.json.decode(b"".join(parts), type=dict[str, msgspec.Raw])
    archive: bytes | None = None
    if "ZipFile" in members:
        archive = msgspec.json.decode(members.pop("ZipFile"), type=bytes | None)
    for name in _HOLDERS:
        if name in members:
            inner = msgspec.json.decode(members[name], type=dict[str, msgspec.Raw] | None) or {}
            if "ZipFile" in inner:
                archive = msgspec.json.decode(inner.pop("ZipFile"), type=bytes | None)
                members[name] = msgspec.Raw(msgspec.json.encode(inner))
    return Upload(msgspec.json.encode(members), archive)
