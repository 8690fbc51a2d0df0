"""The loops. Between two readings of the clock there is nothing but the operations."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter_ns
from typing import NamedTuple

from sectax_probe.answers import Failed
from sectax_probe.operation import Operation


class Measurement(NamedTuple):
    """What `measure` answers; times in nanoseconds, `bytes` None where it is not known."""

    elapsed_ns: list[int]
    failures: int
    bytes: int | None


def measure(operation: Operation, *, count: int, settle: int, each: bool) -> Measurement:
    """Run *settle* operations for nothing, then *count* that are timed, as one batch or one by one.

    Raises:
        Failed: an operation raised what is no refusal.
    """
    loop = _one_by_one if each else _batch
    readings = [0] * (max(count, settle) if each else 1)
    try:
        loop(operation, settle, readings)
        failures, output = loop(operation, count, readings)
    except Exception as error:
        raise Failed(f"the operation raised {type(error).__name__}: {error}") from error
    return Measurement(readings[:count], failures, _bytes(operation, output, count, failures))


def _batch(operation: Operation, count: int, readings: list[int]) -> tuple[int, object]:
    call, refusals = operation.call, operation.refusals
    failures = 0
    output: object = None
    calls = repeat(None, count)
    start = perf_counter_ns()
    # A refusal leaves the loop and comes back to what is left of `calls`: no check per call is needed, and
    # where nothing is refused the `try` costs nothing (CPython 3.11).
    while True:
        try:
            for _ in calls:
                output = call()
            break
        except refusals:
            failures += 1
    readings[0] = perf_counter_ns() - start
    return failures, output


def _one_by_one(operation: Operation, count: int, readings: list[int]) -> tuple[int, object]:
    call, refusals = operation.call, operation.refusals
    failures = 0
    output: object = None
    for index in range(count):
        start = perf_counter_ns()
        try:
            output = call()
        except refusals:
            failures += 1
        readings[index] = perf_counter_ns() - start
    return failures, output


def _bytes(operation: Operation, output: object, count: int, failures: int) -> int | None:
    """Take the length of the last output that was really made for all of them; None is "not known"."""
    if failures or not operation.constant_size or not isinstance(output, bytes | str):
        return None
    return len(output) * count
