"""The event: an object of exactly three texts, `key` (the salt), `token` and `data`."""

from __future__ import annotations

import re
from typing import NamedTuple

from hmac_authorizer.refusal import Refused

NAMES = ("key", "token", "data")
LONGEST_SALT_BYTES = 128
LONGEST_DATA_BYTES = 6 * 1024 * 1024  # what Lambda takes in one invocation


class Fields(NamedTuple):
    """The texts of an event, each of the form that it must have."""

    key: str
    token: str
    data: str


def token_form(digits: int) -> re.Pattern[str]:
    """What a token of so many digits looks like. Upper case is refused: a token has one spelling."""
    return re.compile(f"[0-9a-f]{{{digits}}}")


def fields(event: object, token: re.Pattern[str], digits: int) -> Fields:
    """The three fields. Raises `Refused` for any other shape."""
    if not isinstance(event, dict):
        raise Refused("the event is no JSON object")
    for name in NAMES:
        if name not in event:
            raise Refused(f"the event lacks `{name}`")
    if len(event) != len(NAMES):
        raise Refused("the event has a field besides `key`, `token` and `data`")
    for name in NAMES:
        if not isinstance(event[name], str):
            raise Refused(f"`{name}` is no text")
    if token.fullmatch(event["token"]) is None:
        raise Refused(f"`token` is not {digits} lower-case hexadecimal digits")
    return Fields(event["key"], event["token"], event["data"])


def salt_bytes(key: str) -> bytes:
    """The salt as bytes. Raises `Refused` where it is none."""
    salt = _utf8(key, "key")
    if not 0 < len(salt) <= LONGEST_SALT_BYTES:
        raise Refused(f"`key` is empty or longer than {LONGEST_SALT_BYTES} bytes")
    return salt


def data_bytes(data: str) -> bytes:
    """The data as bytes. Raises `Refused` where they are too many."""
    encoded = _utf8(data, "data")
    if len(encoded) > LONGEST_DATA_BYTES:
        raise Refused(f"`data` is longer than {LONGEST_DATA_BYTES} bytes")
    return encoded


def _utf8(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # JSON can spell half of a surrogate pair
        raise Refused(f"`{name}` is no valid Unicode") from None
