"""Key exchange read from the bytes on the wire, independently of the libraries.

Source: RFC 8446, sections 4.1.3, 4.2.8 and 5.1; RFC 8422, 5.4, for the key exchange of TLS 1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sectax.model.subject import Witnesses

_HANDSHAKE = 22
_SERVER_HELLO, _SERVER_KEY_EXCHANGE = 2, 12
_KEY_SHARE = 51
_NAMED_CURVE = 3
# Random of a HelloRetryRequest, which asks for another key share and costs a round trip.
_RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
GROUPS = {
    23: "P-256",
    24: "P-384",
    25: "P-521",
    29: "X25519",
    30: "X448",
    4587: "SecP256r1MLKEM768",
    4588: "X25519MLKEM768",
    4589: "SecP384r1MLKEM1024",
}


class NotTls(Exception):
    """Not the beginning of a handshake."""


@dataclass(frozen=True)
class Share:
    """A key share: its group and bytes."""

    group: str
    size: int


class _Bytes:
    """Reader of fields; raises `NotTls` at the end of the data."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        part = self._data[self._at : self._at + count]
        if len(part) < count:
            raise NotTls("truncated field")
        self._at += count
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size))

    def vector(self, size: int) -> _Bytes:
        """Content of a vector whose length field has *size* bytes."""
        return _Bytes(self.take(self.number(size)))

    def __bool__(self) -> bool:
        return self._at < len(self._data)


def witnesses(wrote: bytes, read: bytes) -> Witnesses:
    """Witnesses `group_on_wire`, `key_share_bytes` and `hello_retry` of a handshake.

    Returns nothing without a key exchange. Raises `NotTls`.
    """
    offered = {share.group: share for share in _client_shares(wrote)}
    retry, share = False, None
    for kind, body in _messages(read):
        if kind == _SERVER_HELLO:
            retry |= _is_retry(body)
            share = _server_share(body) or share
        elif kind == _SERVER_KEY_EXCHANGE:
            share = _tls12_share(body)
    if share is None:
        return {}
    # In TLS 1.2 the client's share comes later, and is as long as the server's.
    up = offered.get(share.group, share).size
    return {"group_on_wire": share.group, "key_share_bytes": f"{up} up, {share.size} down", "hello_retry": retry}


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Unencrypted handshake messages: kind and body."""
    stream, whole = _Bytes(data), b""
    while stream:
        try:
            kind, _, record = stream.number(1), stream.take(2), stream.take(stream.number(2))
        except NotTls:
            break  # end of the recorded bytes
        if kind != _HANDSHAKE:
            break  # encrypted from here on
        whole += record
    if not whole:
        raise NotTls("it does not begin with a handshake message")
    messages = _Bytes(whole)
    while messages:
        try:
            yield messages.number(1), messages.take(messages.number(3))
        except NotTls:
            return  # encrypted after ChangeCipherSpec in TLS 1.2


def _client_shares(wrote: bytes) -> list[Share]:
    _, hello = next(_messages(wrote))
    body = _Bytes(hello)
    body.take(2 + 32)
    body.vector(1), body.vector(2), body.vector(1)
    extensions = body.vector(2) if body else _Bytes(b"")
    shares: list[Share] = []
    for kind, content in _extensions(extensions):
        if kind == _KEY_SHARE:
            entries = content.vector(2)
            while entries:
                shares.append(_share(entries))
    return shares


def _server_share(hello: bytes) -> Share | None:
    body = _Bytes(hello)
    body.take(2 + 32)
    body.vector(1), body.take(3)
    for kind, content in _extensions(body.vector(2) if body else _Bytes(b"")):
        if kind == _KEY_SHARE and not _is_retry(hello):
            return _share(content)
    return None


def _is_retry(hello: bytes) -> bool:
    return hello[2:34] == _RETRY


def _tls12_share(body: bytes) -> Share | None:
    content = _Bytes(body)
    if content.number(1) != _NAMED_CURVE:
        return None
    group = content.number(2)
    return Share(GROUPS.get(group, f"group {group}"), content.number(1))


def _extensions(data: _Bytes) -> Iterator[tuple[int, _Bytes]]:
    while data:
        yield data.number(2), data.vector(2)


def _share(entry: _Bytes) -> Share:
    group, size = entry.number(2), entry.number(2)
    entry.take(size)
    return Share(GROUPS.get(group, f"group {group}"), size)
