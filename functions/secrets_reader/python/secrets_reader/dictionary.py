"""A dictionary of the function's own: what it has read once, it keeps."""

from __future__ import annotations

from secrets_reader import direct
from secrets_reader.timing import handler

_KEPT: dict[str, str] = {}


def read(name: str) -> str:
    kept = _KEPT.get(name)
    if kept is None:
        kept = _KEPT[name] = direct.read(name)
    return kept


lambda_handler = handler(read)
