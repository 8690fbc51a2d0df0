"""The compact form of a JWS (RFC 7515, section 7.1), read strictly."""

from __future__ import annotations

import binascii
import json
from typing import NamedTuple


class Malformed(Exception):
    """This is no compact JWS, or no base64url."""


class Compact(NamedTuple):
    signing_input: bytes
    header: dict[str, object]
    signature: bytes


def encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode().rstrip("=").translate(_TO_URL)


def decode(text: str) -> bytes:
    """
    Raises:
        Malformed: for all but the one canonical form. Python's decoder passes over foreign characters and
            spare bits, so that a changed text could give the same bytes.
    """
    try:
        data = binascii.a2b_base64(text.translate(_FROM_URL) + "=" * (-len(text) % 4))
    except ValueError as error:
        raise Malformed("no base64url") from error
    if encode(data) != text:
        raise Malformed("no canonical base64url")
    return data


def parse(token: str) -> Compact:
    """
    Raises:
        Malformed: not three parts, or one of them is not what it should be.
    """
    parts = token.split(".")
    if len(parts) != 3:
        raise Malformed(f"a compact JWS has three parts, this text has {len(parts)}")
    header, payload, signature = parts
    try:
        members = json.loads(decode(header))
    except (ValueError, RecursionError) as error:
        raise Malformed("the header is no JSON") from error
    if not isinstance(members, dict):
        raise Malformed("the header is no JSON object")
    decode(payload)
    return Compact(f"{header}.{payload}".encode("ascii"), members, decode(signature))


def algorithm_of(token: str) -> str:
    """Read `alg` off the header of *token*, which must be a compact JWS."""
    return str(parse(token).header.get("alg"))


_TO_URL = str.maketrans("+/", "-_")
_FROM_URL = str.maketrans("-_", "+/")
