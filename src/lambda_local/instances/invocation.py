"""An invocation, its measurement, and its outcome."""

from __future__ import annotations

import math
import os
import time
from typing import NamedTuple

import msgspec

from lambda_local.http import Bytes


def _new_request_id() -> str:
    """Return a random UUID (RFC 9562, version 4), four times as fast as `uuid.uuid4`."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _new_trace() -> str:
    digits = os.urandom(20).hex()
    return f"Root=1-{int(time.time()):08x}-{digits[:24]};Parent={digits[24:]};Sampled=0"


class Invocation(msgspec.Struct):
    """One event and its progress.

    Attributes:
        event: JSON as sent. arn: the function's ARN.
        handed_ns: `time.monotonic_ns()` just before the event is written to the runtime's socket; 0 before.
        answered_ns: `time.monotonic_ns()` just after the last byte of the answer; 0 before.
        free_ns: when the runtime requested its next event. done_ns: when all extensions had, too.
        deadline: end of the function's timeout, on the loop's clock (monotonic, in seconds).
        payload: the answer; None before.
        failed: whether the answer is an error.
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
        """Seconds from sending the event until runtime and extensions finished it."""
        return (self.done_ns - self.handed_ns) / 1e9


class InvocationMetrics(msgspec.Struct, frozen=True, omit_defaults=True):
    """The measurement of one invocation, sent as JSON in the header X-Lambda-Local-Measured.

    Values that this machine cannot measure are missing.

    Attributes:
        duration_s: from sending the event until the runtime, and every extension with INVOKE events, has requested its
            next one, by the monotonic clock; the same as in AWS's emulator (AwaitRuntimeReady, AwaitAgentsReady).
        billed_ms: duration and init phase, which is billed for all functions since August 2025 (AWS Compute Blog,
            "AWS Lambda standardizes billing for INIT Phase").
        after_answer_s: the part of duration_s after the last byte of the answer; missing without an answer.
        extensions_s: the part of it after the runtime had finished; missing without extensions with INVOKE events.
        init_s: the init phase of a cold start. created_s: the creation of the sandbox before it.
        cpu_time_s: CPU time of the whole instance, including extensions.
        periods, throttled_periods: quota periods, and those in which the quota ran out.
        throttled_s: throttled time, summed over processors.
        max_memory_bytes: peak memory since the instance was created.
        memory_kills: processes that the kernel killed for lack of memory.
        instance: name of the instance. invocation: number of its events, including this one.
        cpu_quota: vCPUs in force, per period_us. memory_limit_bytes: limit in force. cgroup: v1 or v2.
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
    """Return the billed milliseconds, rounded up, at least one."""
    # Rounded to nanoseconds first, so that a binary fraction does not add a millisecond.
    return max(1, math.ceil(round(duration_s * 1e3, 6)))


class InvocationOutcome(NamedTuple):
    """The result of an invocation for the caller.

    Attributes:
        function_error: "Unhandled" if the payload is an error, else None.
        log: the last 4 KiB of the invocation's log.
    """

    payload: Bytes
    function_error: str | None
    log: bytes
    measured: InvocationMetrics
