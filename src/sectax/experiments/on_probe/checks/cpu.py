"""Checks of reported CPU times, against the kernel's count of the process."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.experiments.on_probe.checks import Check, CheckFailed, NotApplicable
from sectax.experiments.on_probe.checks.clock import COARSEST_S, LONG_S, REPEATS, size_batch
from sectax.experiments.on_probe.conversation import Conversation, ProbeProgram
from sectax.protocol.messages import Clock

# Both read the same clock, so only rounding and the first cold reading differ.
_TOLERANCE = 1.01
_TOLERANCE_S = 100e-6
# The minimum share of a batch of 50 ms in the process's CPU time.
_LEAST_SHARE = 0.5
# A process that uses less than this share of the time is only a wrapper.
_WORKS = 0.02
# In shorter batches the messages take more time than the operations.
_SHORTEST_JUDGED_S = 0.005
# Settling operations per timed one; if they were counted, a batch would be longer by more than the second factor.
_SETTLING = 3
_SETTLING_COUNTED = 2.0
# When the process is stopped and for how long: within the batch, for the time of several.
_STOP_AFTER_S = 0.2 * LONG_S
_STOPPED_S = 4 * LONG_S


@dataclass(frozen=True)
class _Batch:
    """One batch: reported CPU and wall time, and the kernel's CPU time."""

    cpu_s: float
    elapsed_s: float
    kernel_s: float
    wall_s: float


def _cpu_plausible(program: ProbeProgram) -> str:
    with program.start() as conversation:
        clock = _prepared(conversation)
        granularity_s = clock.granularity_ns * 1e-9
        if granularity_s > COARSEST_S:
            raise CheckFailed(f"a CPU clock with steps of {granularity_s:.3g} s cannot time a batch of 5 ms")
        processors = len(os.sched_getaffinity(conversation.child.pid))
        count = size_batch(conversation, LONG_S).count
        best = 0.0
        for _ in range(REPEATS):
            batch = _measured(conversation, count)
            slack_s = granularity_s + _TOLERANCE_S
            if batch.cpu_s > batch.elapsed_s * processors * _TOLERANCE + slack_s:
                raise CheckFailed(
                    f"it reported {batch.cpu_s:.4g} s of CPU time in {batch.elapsed_s:.4g} s on {processors} processors"
                )
            if batch.kernel_s < _WORKS * batch.wall_s:
                raise NotApplicable("the started process does not do the work itself")
            if batch.cpu_s > batch.kernel_s * _TOLERANCE + slack_s:
                raise CheckFailed(
                    f"it reported {batch.cpu_s:.4g} s of CPU time, the kernel counted {batch.kernel_s:.4g} s"
                )
            if batch.wall_s < _SHORTEST_JUDGED_S:
                raise NotApplicable(f"{count} operations take only {batch.wall_s:.2g} s: see count-scales")
            best = max(best, batch.cpu_s / batch.kernel_s)
    if best < _LEAST_SHARE:
        raise CheckFailed(f"it reported only {best:.3%} of the kernel's CPU time")
    return f"it reported {best:.1%} of the kernel's CPU time; steps of {clock.granularity_ns} ns"


def _cpu_without_settling(program: ProbeProgram) -> str:
    with program.start() as conversation:
        _prepared(conversation)
        count = size_batch(conversation, LONG_S / _SETTLING).count
        alone_s, settled_s = (
            min(_measured(conversation, count, settle).cpu_s for _ in range(REPEATS))
            for settle in (0, _SETTLING * count)
        )
    if settled_s < _SHORTEST_JUDGED_S:
        raise NotApplicable(f"{(_SETTLING + 1) * count} operations take only {settled_s:.2g} s of CPU time")
    if settled_s > _SETTLING_COUNTED * alone_s:
        ratio = settled_s / max(alone_s, 1e-9)
        raise CheckFailed(
            f"with {_SETTLING} times as many untimed operations, a batch reported {ratio:.2f} times the CPU time"
        )
    return "the CPU time excludes settling operations"


def _cpu_stands_still(program: ProbeProgram) -> str:
    with program.start() as conversation:
        clock = _prepared(conversation)
        count = size_batch(conversation, LONG_S).count
        with _paused(conversation.child.pid):
            batch = _measured(conversation, count)
        if batch.elapsed_s < _STOPPED_S:
            raise NotApplicable("the batch ended before its process could be stopped")
        # Half of it: the signal takes time, and a runtime has other threads.
        if batch.cpu_s > batch.elapsed_s - _STOPPED_S / 2 + clock.granularity_ns * 1e-9:
            raise CheckFailed(
                f"it reported {batch.cpu_s:.4g} s of CPU time in {batch.elapsed_s:.4g} s, "
                f"although its process was stopped for {_STOPPED_S:.2g} s"
            )
    return f"its CPU clock stopped while the process was stopped for {_STOPPED_S:.2g} s"


def _prepared(conversation: Conversation) -> Clock:
    clock = conversation.hello().cpu_clock
    if clock is None:
        raise NotApplicable(
            "it has no CPU clock, so its operations are compared in wall time",
            "name a cpu_clock in the reply to hello and report cpu_ns: CPU time is more precise on a busy machine",
        )
    conversation.prepare("empty", {}, {})
    return clock


def _measured(conversation: Conversation, count: int, settle: int = 0) -> _Batch:
    clock_id = (~conversation.child.pid << 3) | 2  # as clock_getcpuclockid(3)
    before = time.clock_gettime(clock_id)
    reply = conversation.measure(count, settle)
    kernel_s = time.clock_gettime(clock_id) - before
    if reply.cpu_ns is None:
        raise CheckFailed("it has a CPU clock, but its reply to measure has no cpu_ns")
    return _Batch(reply.cpu_ns * 1e-9, reply.elapsed_ns[0] * 1e-9, kernel_s, conversation.wall_s)


@contextlib.contextmanager
def _paused(pid: int) -> Iterator[None]:
    """Stop the process soon, for a while."""

    def _stop() -> None:
        with contextlib.suppress(ProcessLookupError):
            time.sleep(_STOP_AFTER_S)
            os.kill(pid, signal.SIGSTOP)
            try:
                time.sleep(_STOPPED_S)
            finally:
                os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=_stop)
    thread.start()
    try:
        yield
    finally:
        thread.join()


_HINT = "read the CPU clock of the process (CLOCK_PROCESS_CPUTIME_ID) right before and after the counted operations"

CPU = (
    Check("cpu-plausible", _cpu_plausible, _HINT),
    Check("cpu-without-settling", _cpu_without_settling, "read the CPU clock after the settling operations"),
    Check("cpu-stands-still", _cpu_stands_still, "report the process's CPU time, not wall time"),
)
