"""A dictionary of the function's own: what it has read once, it keeps, for good or for SECRETS_TTL seconds."""

from __future__ import annotations

import time

from secrets_reader import direct
from secrets_reader.timing import Read, handler
from secrets_reader.ttl import ttl_s


def kept_for_good() -> Read:
    kept: dict[str, str] = {}

    def read(name: str) -> str:
        value = kept.get(name)
        if value is None:
            value = kept[name] = direct.read(name)
        return value

    return read


def kept_for(seconds: float) -> Read:
    """The clock is the one that no correction of the time of day moves."""
    kept: dict[str, tuple[float, str]] = {}
    clock = time.monotonic

    def read(name: str) -> str:
        known = kept.get(name)
        if known is None or known[0] <= clock():
            value = direct.read(name)
            kept[name] = clock() + seconds, value
            return value
        return known[1]

    return read


_TTL_S = ttl_s()
read = kept_for_good() if _TTL_S is None else kept_for(_TTL_S)
lambda_handler = handler(read)
