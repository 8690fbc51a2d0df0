"""The compact form of a JWS (RFC 7515, section 7.1), read strictly."""

from __future__ import annotations

import binascii
import json
from typing import NamedTuple

from sectax_probe.kit.timing import Failed, Witnesses

_TO_URL, _FROM_URL = str.maketrans("+/", "-_"), str.maketrans("-_", "+/")


class Malformed(Failed):
    """This is no compact JWS, or no base64url."""


class Compact(NamedTuple):
    signing_input: bytes
    header: dict[str, object]
    signature: bytes


def encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode().rstrip("=").translate(_TO_URL)


def decode(text: str) -> bytes:
    """Read the one canonical form. Python's decoder passes over foreign characters and spare bits, so that a
    changed text could give the same bytes."""
    try:
        data = binascii.a2b_base64(text.translate(_FROM_URL) + "=" * (-len(text) % 4))
    except ValueError:
        data = None
    if data is None or encode(data) != text:
        raise Malformed("malformed: no canonical base64url")
    return data


def parse(token: str) -> Compact:
    parts = token.split(".")
    if len(parts) != 3:
        raise Malformed(f"malformed: a compact JWS has three parts, this text has {len(parts)}")
    header, payload, signature = parts
    try:
        members = json.loads(decode(header))
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        raise Malformed("malformed: the header is no JSON object")
    decode(payload)
    return Compact(f"{header}.{payload}".encode("ascii"), members, decode(signature))


def read_back(token: str) -> Witnesses:
    """Read `alg` off the header of *token*, which must be a compact JWS."""
    return {"alg": str(parse(token).header.get("alg"))}
