"""One event on its way through an instance, and what the service knows of it afterwards."""

from __future__ import annotations

import math
import os
import time
from typing import NamedTuple

import msgspec

from lambda_local.http import Bytes


def _new_request_id() -> str:
    """A random UUID (RFC 9562, version 4); `uuid.uuid4` takes four times as long."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _new_trace() -> str:
    digits = os.urandom(20).hex()
    return f"Root=1-{int(time.time()):08x}-{digits[:24]};Parent={digits[24:]};Sampled=0"


class Invocation(msgspec.Struct):
    """An event on its way.

    Attributes:
        event: as it was sent, JSON. arn: of the function.
        handed_ns, answered_ns: `time.monotonic_ns()` just before the event was written to the runtime's socket, and
            just after the last byte of the answer was read from it; 0 before.
        free_ns: when the runtime asked for its next event. done_ns: when every extension had done that, too.
        deadline: when the function's time is over, on the loop's clock, which is the monotonic one in seconds.
        payload: the answer; None before.
        failed: the answer is an error.
    """

    event: Bytes
    arn: str
    request_id: str = msgspec.field(default_factory=_new_request_id)
    trace_id: str = msgspec.field(default_factory=_new_trace)
    deadline: float = 0.0
    deadline_epoch_ms: int = 0
    handed_ns: int = 0
    answered_ns: int = 0
    free_ns: int = 0
    done_ns: int = 0
    payload: Bytes | None = None
    failed: bool = False

    @property
    def overdue(self) -> bool:
        return self.done_ns > self.deadline * 1e9

    @property
    def duration_s(self) -> float:
        """Seconds from handing out the event until runtime and extensions had done with it."""
        return (self.done_ns - self.handed_ns) / 1e9


class InvocationMetrics(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured of one invocation, and the limits that the kernel held its instance to.

    Callers find it as JSON in the header X-Lambda-Local-Measured. What this machine cannot count is missing.

    Attributes:
        duration_s: from handing the event out until the runtime, and every extension that hears of events, has asked
            for its next one; in the server's monotonic clock. AWS's emulator of Lambda waits for the same
            (AwaitRuntimeReady, AwaitAgentsReady).
        billed_ms: of that and the init phase, which is billed since August 2025 for every function (AWS Compute Blog,
            "AWS Lambda standardizes billing for INIT Phase").
        after_answer_s: how much of duration_s came after the last byte of the answer; missing where there was none.
        extensions_s: how much of it came after the runtime had done; missing where no extension hears of events.
        init_s: of a cold start's init phase; missing on a warm one.
        created_s: on a cold start, what making the sandbox took before the init phase.
        cpu_time_s: CPU time of the whole instance (extensions too) meanwhile.
        periods, throttled_periods: quota periods meanwhile, and those in which the quota ran out.
        throttled_s: time that processors were kept from it meanwhile, summed over processors.
        max_memory_bytes: the instance's highest use since it was made, cold start included.
        memory_kills: processes of the instance that the kernel killed for want of memory meanwhile.
        instance: name of the instance. invocation: how many events it had been given, this one included.
        cpu_quota: vCPUs in force. period_us: of that quota. memory_limit_bytes: in force. cgroup: v1 or v2.
    """

    request_id: str
    duration_s: float
    billed_ms: int
    instance: str
    invocation: int
    after_answer_s: float | None = None
    extensions_s: float | None = None
    init_s: float | None = None
    created_s: float | None = None
    cpu_time_s: float | None = None
    periods: int | None = None
    throttled_periods: int | None = None
    throttled_s: float | None = None
    max_memory_bytes: int | None = None
    memory_kills: int | None = None
    cpu_quota: float | None = None
    period_us: int | None = None
    memory_limit_bytes: int | None = None
    cgroup: str | None = None


def billed_ms(duration_s: float) -> int:
    """What is billed for so long: whole milliseconds, rounded up, and at least one."""
    # Known to the nanosecond: what is a whole millisecond but for its binary image is not billed as one more.
    return max(1, math.ceil(round(duration_s * 1e3, 6)))


class InvocationOutcome(NamedTuple):
    """How an invocation ended: what the caller gets.

    Attributes:
        function_error: "Unhandled" where the payload reports an error, else None.
        log: the last 4 KiB of the log of this invocation.
    """

    payload: Bytes
    function_error: str | None
    log: bytes
    measured: InvocationMetrics
