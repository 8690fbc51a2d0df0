"""Members of a request, read with their types; what does not fit is `Failed` with the member's name."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from sectax_probe.answers import Failed

Request = Mapping[str, object]


def integer(request: Request, name: str, *, least: int, most: int = sys.maxsize) -> int:
    value = request.get(name)
    # JSON's true is an int to Python.
    if not isinstance(value, int) or isinstance(value, bool):
        raise Failed(f"`{name}` must be an integer{_not(request, name)}")
    if not least <= value <= most:
        # The value itself may have thousands of digits.
        raise Failed(f"`{name}` must be from {least} to {most}")
    return value


def boolean(request: Request, name: str) -> bool:
    value = request.get(name, False)
    if not isinstance(value, bool):
        raise Failed(f"`{name}` must be true or false{_not(request, name)}")
    return value


def text(request: Request, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str):
        raise Failed(f"`{name}` must be a text{_not(request, name)}")
    return _whole(name, value)


def texts(request: Request, name: str) -> list[str]:
    value = request.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Failed(f"`{name}` must be a list of texts")
    return [_whole(name, item) for item in value]


def text_members(request: Request, name: str) -> dict[str, str]:
    value = request.get(name, {})
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise Failed(f"`{name}` must be an object whose members are texts")
    return {_whole(name, key): _whole(name, item) for key, item in value.items()}


def _whole(name: str, value: str) -> str:
    """JSON can spell half a character (`"\\ud800"`), on which libraries stumble in ways of their own."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Failed(f"`{name}` holds half a character") from None
    return value


def _not(request: Request, name: str) -> str:
    """Name the kind of what came, never the value: it may be a key."""
    if name not in request:
        return ", it is missing"
    kinds = {bool: "true or false", int: "an integer", float: "a fraction", str: "a text", list: "a list"}
    value = request[name]
    return f", not {'null' if value is None else kinds.get(type(value), 'an object')}"
