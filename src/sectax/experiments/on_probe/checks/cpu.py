"""Can the CPU times that the program reports be believed? They are held against the kernel's count of its process."""

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

# The kernel's count and the probe's own are of the same clock, so only rounding and the first cold reading differ.
_TOLERANCE = 1.01
_TOLERANCE_S = 100e-6
# The share of the process's CPU time that a batch of 50 ms must be.
_LEAST_SHARE = 0.5
# A process that used less of the time than this is a wrapper around the program that works.
_WORKS = 0.02
# Of shorter batches the messages are the larger part.
_SHORTEST_JUDGED_S = 0.005
# So many times the batch are run before it; counted, they would make it so much longer.
_SETTLING = 3
_SETTLING_COUNTED = 2.0
# When the process is stopped, and for how long: within the batch, and as long again as several of them.
_STOP_AFTER_S = 0.2 * LONG_S
_STOPPED_S = 4 * LONG_S


@dataclass(frozen=True)
class _Batch:
    """One batch: CPU and wall time that were reported, and the CPU time that the kernel counted of the exchange."""

    cpu_s: float
    elapsed_s: float
    kernel_s: float
    wall_s: float


def _cpu_plausible(program: ProbeProgram) -> str:
    with program.start() as interview:
        clock = _prepared(interview)
        granularity_s = clock.granularity_ns * 1e-9
        if granularity_s > COARSEST_S:
            raise CheckFailed(f"a CPU clock with steps of {granularity_s:.3g} s cannot time a batch of 5 ms")
        processors = len(os.sched_getaffinity(interview.child.pid))
        count = size_batch(interview, LONG_S).count
        best = 0.0
        for _ in range(REPEATS):
            batch = _measured(interview, count)
            slack_s = granularity_s + _TOLERANCE_S
            if batch.cpu_s > batch.elapsed_s * processors * _TOLERANCE + slack_s:
                raise CheckFailed(
                    f"{batch.cpu_s:.4g} s of CPU time were reported for {batch.elapsed_s:.4g} s, "
                    f"on {processors} of the machine's processors"
                )
            if batch.kernel_s < _WORKS * batch.wall_s:
                raise NotApplicable("the process that was started is not the one that works")
            if batch.cpu_s > batch.kernel_s * _TOLERANCE + slack_s:
                raise CheckFailed(
                    f"{batch.cpu_s:.4g} s of CPU time were reported, the kernel counted {batch.kernel_s:.4g} s"
                )
            if batch.wall_s < _SHORTEST_JUDGED_S:
                raise NotApplicable(f"{count} operations last only {batch.wall_s:.2g} s: see count-scales")
            best = max(best, batch.cpu_s / batch.kernel_s)
    if best < _LEAST_SHARE:
        raise CheckFailed(f"only {best:.3%} of the CPU time that the kernel counted were reported")
    return f"{best:.1%} of the CPU time that the kernel counted are reported; steps of {clock.granularity_ns} ns"


def _cpu_without_settling(program: ProbeProgram) -> str:
    with program.start() as interview:
        _prepared(interview)
        count = size_batch(interview, LONG_S / _SETTLING).count
        alone_s, settled_s = (
            min(_measured(interview, count, settle).cpu_s for _ in range(REPEATS)) for settle in (0, _SETTLING * count)
        )
    if settled_s < _SHORTEST_JUDGED_S:
        raise NotApplicable(f"{(_SETTLING + 1) * count} operations take only {settled_s:.2g} s of CPU time")
    if settled_s > _SETTLING_COUNTED * alone_s:
        ratio = settled_s / max(alone_s, 1e-9)
        raise CheckFailed(
            f"after {_SETTLING} times as many untimed operations, a batch used {ratio:.2f} times the CPU time"
        )
    return "the CPU time is that of the operations that count"


def _cpu_stands_still(program: ProbeProgram) -> str:
    with program.start() as interview:
        clock = _prepared(interview)
        count = size_batch(interview, LONG_S).count
        with _stopped_for_a_while(interview.child.pid):
            batch = _measured(interview, count)
        if batch.elapsed_s < _STOPPED_S:
            raise NotApplicable("the batch was over before its process could be stopped")
        # Half of it: a process is not stopped the moment it is sent the signal, and a runtime has threads besides.
        if batch.cpu_s > batch.elapsed_s - _STOPPED_S / 2 + clock.granularity_ns * 1e-9:
            raise CheckFailed(
                f"{batch.cpu_s:.4g} s of CPU time were reported for {batch.elapsed_s:.4g} s, "
                f"in which the process was stopped for {_STOPPED_S:.2g} s"
            )
    return f"while the process was stopped for {_STOPPED_S:.2g} s, its CPU clock was too"


def _prepared(interview: Conversation) -> Clock:
    clock = interview.hello().cpu_clock
    if clock is None:
        raise NotApplicable(
            "it names no CPU clock, so its operations are compared in wall time",
            "name a cpu_clock in the reply to hello and report cpu_ns: it is steadier on a busy machine",
        )
    interview.prepare("empty", {}, {})
    return clock


def _measured(interview: Conversation, count: int, settle: int = 0) -> _Batch:
    clock_id = (~interview.child.pid << 3) | 2  # as clock_getcpuclockid(3) makes it
    before = time.clock_gettime(clock_id)
    reply = interview.measure(count, settle)
    kernel_s = time.clock_gettime(clock_id) - before
    if reply.cpu_ns is None:
        raise CheckFailed("it names a CPU clock, and its reply to measure has no cpu_ns")
    return _Batch(reply.cpu_ns * 1e-9, reply.elapsed_ns[0] * 1e-9, kernel_s, interview.wall_s)


@contextlib.contextmanager
def _stopped_for_a_while(pid: int) -> Iterator[None]:
    """Stop the process soon, and have it go on."""

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
    Check("cpu-without-settling", _cpu_without_settling, "read the CPU clock after the operations that settle"),
    Check("cpu-stands-still", _cpu_stands_still, "report the process's CPU time, not time that passes"),
)
