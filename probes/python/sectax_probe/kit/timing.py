"""One operation made ready, the loops that time it, and what their clocks are worth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, repeat
from time import perf_counter_ns, process_time_ns
from typing import NamedTuple

Call = Callable[[], object]
Witnesses = dict[str, str | int]


class Failed(Exception):
    """What was asked went wrong, or should not have been asked. No input is quoted: it may be a key."""


class Skipped(Exception):
    """This cannot be had here; `hint` is the command that would change that, or empty."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


class Operation(NamedTuple):
    call: Call  # what is timed, everything bound; it says no by raising one of `refusals`
    witnesses: Witnesses  # read back from the real thing
    refusals: tuple[type[Exception], ...] = ()  # what is an answer (this signature is wrong) and no accident
    constant_size: bool = False  # the length of one output stands for all
    artefact: Callable[[], str | None] = lambda: None  # a fresh product of the code that is timed
    takes: Callable[[str], object] = lambda shown: False  # it, or its counterpart, of a given one
    read_back: Callable[[str], Witnesses] = lambda artefact: {}  # off the artefact, or else off the input

    def accepts(self, shown: str) -> bool:
        refused: tuple[type[Exception], ...] = (Failed, *self.refusals)
        try:
            return self.takes(shown) is not False
        except refused:
            return False


def measure(operation: Operation, *, count: int, settle: int, each: bool) -> dict[str, object]:
    """Run *settle* operations for nothing, then *count* that are timed, as one batch or one by one."""
    loop = _one_by_one if each else _batch
    # Behind the wall clock's readings is the CPU time of the batch.
    readings = [0] * (max(count, settle) if each else 2)
    try:
        loop(operation, settle, readings)
        failures, output = loop(operation, count, readings)
    except Exception as error:
        raise Failed(f"the operation raised {type(error).__name__}: {error}") from error
    cpu_ns = None if each else readings.pop()
    alike = operation.constant_size and not failures
    size = len(output) * count if alike and isinstance(output, bytes | str) else None
    return {"elapsed_ns": readings[:count], "failures": failures, "bytes": size, "cpu_ns": cpu_ns}


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


def describe(name: str, clock: Callable[[], int]) -> dict[str, str | int]:
    """The smallest step above zero of *clock*, and the median cost of a reading; of a coarse one the mean."""
    # 2000 pairs take under 1 ms, 300,000 single readings under 40 ms: `hello` allows 50.
    steps = sorted(-clock() + clock() for _ in range(2_000))
    read = steps[len(steps) // 2]
    if read <= 0:
        readings = [clock() for _ in range(300_000)]
        steps = sorted(later - earlier for earlier, later in pairwise(readings))
        read = (readings[-1] - readings[0]) // len(readings)
    if steps[-1] <= 0:
        raise Failed(f"the clock did not move within {len(steps)} steps")
    return {"name": name, "granularity_ns": next(step for step in steps if step > 0), "read_ns": read}
