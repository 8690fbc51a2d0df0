"""The loops. Between two readings of the clock there is nothing but the operations."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter_ns, process_time_ns
from typing import NamedTuple

from sectax_probe.answers import Failed
from sectax_probe.operation import Operation


class Measurement(NamedTuple):
    """What `measure` answers; times in nanoseconds.

    `bytes` is None where it is not known, `cpu_ns` where operations are timed one by one: the readings of
    the clock between them would count.
    """

    elapsed_ns: list[int]
    failures: int
    bytes: int | None
    cpu_ns: int | None


def measure(operation: Operation, *, count: int, settle: int, each: bool) -> Measurement:
    """Run *settle* operations for nothing, then *count* that are timed, as one batch or one by one.

    Raises:
        Failed: an operation raised what is no refusal.
    """
    loop = _one_by_one if each else _batch
    # Behind the wall clock's readings stands the CPU time of the batch.
    readings = [0] * (max(count, settle) if each else 2)
    try:
        loop(operation, settle, readings)
        failures, output = loop(operation, count, readings)
    except Exception as error:
        raise Failed(f"the operation raised {type(error).__name__}: {error}") from error
    cpu_ns = None if each else readings.pop()
    return Measurement(readings[:count], failures, _bytes(operation, output, count, failures), cpu_ns)


def _batch(operation: Operation, count: int, readings: list[int]) -> tuple[int, object]:
    call, refusals = operation.call, operation.refusals
    failures = 0
    output: object = None
    calls = repeat(None, count)
    # The CPU clock is read outside of the wall clock's readings: it is a system call and takes far longer.
    cpu_start = process_time_ns()
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
    stop = perf_counter_ns()
    cpu_stop = process_time_ns()
    readings[0], readings[1] = stop - start, cpu_stop - cpu_start
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
