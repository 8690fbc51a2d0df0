"""The payload: Base64 of a MessagePack map {a: integer, b: integer, obj: binary}, and `expires` where asked."""

from __future__ import annotations

import base64
import binascii

import msgpack

from hmac_authorizer.refusal import Refused

NAMES = ("a", "b", "obj")
NAMES_WITH_EXPIRY = (*NAMES, "expires")
_LONGEST_NAME_BYTES = max(map(len, NAMES_WITH_EXPIRY))


def unbase64(text: bytes) -> bytes:
    """The bytes behind the standard alphabet with padding, of which every value has one spelling only (RFC 4648, 3.5).

    Raises:
        Refused: anything else is in it.
    """
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise Refused("`data` is not Base64") from None
    # The strict mode passes over bits that the last digit has to spare.
    last = raw[len(raw) - (len(raw) % 3 or 3) :] if raw else b""
    if base64.b64encode(last) != text[-4:]:
        raise Refused("`data` is not Base64")
    return raw


def unpack(raw: bytes, names: tuple[str, ...]) -> dict[str, object]:
    """The map with exactly these names. Raises `Refused` for anything else, before memory is taken for it."""
    try:
        payload = msgpack.unpackb(
            raw,
            max_map_len=len(names),
            max_array_len=0,
            max_ext_len=0,
            max_str_len=_LONGEST_NAME_BYTES,
            max_bin_len=len(raw),
        )
    except ValueError:  # all that msgpack raises for broken or oversized input
        payload = None
    if not isinstance(payload, dict) or not _is_agreed(payload, names):
        raise Refused(f"`data` holds no MessagePack map of {', '.join(names)}")
    return payload


def _is_agreed(payload: dict[object, object], names: tuple[str, ...]) -> bool:
    # A boolean is an integer to Python, and none in MessagePack.
    return payload.keys() == set(names) and all(
        type(payload[name]) is (bytes if name == "obj" else int) for name in names
    )


def refuse_expired(payload: dict[str, object], now: float) -> None:
    """Raises `Refused` where `expires` (seconds since 1970) has come."""
    expires = payload["expires"]
    if not isinstance(expires, int) or expires <= now:
        raise Refused("the data have expired")
