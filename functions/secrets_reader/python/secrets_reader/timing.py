"""The handler of every way: the same clock around the same loop, whatever is called in it."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable
from typing import Any

from secrets_reader import parts

Read = Callable[[str], str]


class NotRead(Exception):
    """A secret could not be had; the message holds none."""


def handler(read: Read, sidecar_init_ns: int | None = None) -> Callable[[dict[str, Any], object], dict[str, Any]]:
    """A Lambda handler that reads the event's names by *read*.

    Args:
        sidecar_init_ns: from the sidecar's start until it was ready, where there is one that says so.
    """
    watched = parts.watch()
    told = {} if sidecar_init_ns is None else {"sidecar_init_ns": sidecar_init_ns}

    def lambda_handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        names, repeat, settle = event["names"], event["repeat"], event["settle"]
        if repeat > 1:
            times, values = [_batch(read, names[0], repeat, settle)], [read(names[0])]
            watched.take()
        else:
            for name in names[:settle]:
                read(name)
            watched.take()
            times, values = _each(read, names[settle:])
        seen = hashlib.sha256(event["nonce"].encode())
        for value in values:
            seen.update(value.encode())
        return {"times_ns": times, "proof": seen.hexdigest(), "parts_ns": watched.take()} | told

    return lambda_handler


def _each(read: Read, names: list[str]) -> tuple[list[int], list[str]]:
    clock = time.perf_counter_ns
    times, values = [], []
    for name in names:
        began = clock()
        value = read(name)
        ended = clock()
        times.append(ended - began)
        values.append(value)
    return times, values


def _batch(read: Read, name: str, count: int, settle: int) -> int:
    """Nanoseconds of *count* readings together: one alone would be lost in the clock's own time.

    The loop counts nothing, as timeit's: making the numbers of a `range` takes a fifth of a dictionary's hit.
    """
    clock = time.perf_counter_ns
    turns = itertools.repeat(None, count)
    for _ in range(settle):
        read(name)
    began = clock()
    for _ in turns:
        read(name)
    return clock() - began
