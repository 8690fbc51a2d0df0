"""One event on its way through an instance, and what the service knows of it afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec


class Stream(Protocol):
    """A caller who is given the answer part by part, where the function makes it so."""

    def begin(self, content_type: str) -> None:
        """The answer begins; what the runtime calls it, or nothing."""

    def put(self, part: bytes) -> None:
        """The next part."""

    def ready(self, then: Callable[[], None]) -> bool:
        """Whether more may come now; where not, *then* is called once it may."""


def _new_request_id() -> str:
    """A random UUID (RFC 9562, version 4); `uuid.uuid4` takes four times as long."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


class Event(msgspec.Struct, frozen=True):
    """An event as it was sent.

    Attributes:
        payload: JSON. arn: of the function, as it was called. client_context: JSON, or empty.
        stream: who gets the answer as it comes; None where the caller wants it whole.
    """

    payload: bytes
    arn: str
    client_context: str = ""
    stream: Stream | None = None
    request_id: str = msgspec.field(default_factory=_new_request_id)


def _new_trace() -> str:
    digits = os.urandom(20).hex()
    return f"Root=1-{int(time.time()):08x}-{digits[:24]};Parent={digits[24:]};Sampled=0"


class Invocation(msgspec.Struct):
    """An event that is being handled.

    Attributes:
        on_answer: called when the answer has come and the runtime knows that it has.
        handed_ns, answered_ns: `time.monotonic_ns()` just before the event was written to the runtime's socket, and
            just after the last byte of the answer was read from it; 0 before.
        held_ns: how long the answer is held after that, for an exact share.
        done_ns: when runtime and extensions had done with the event; 0 where only the runtime hears of events.
        deadline: when the function's time is over, on the loop's clock, which is the monotonic one in seconds.
        payload: the answer; None before. Of one that went to `event.stream` only what is left: nothing, or an error.
        failed: the answer is an error.
        streaming: the answer has begun to go to `event.stream`.
    """

    event: Event
    on_answer: Callable[[Invocation], None] = lambda _: None
    trace_id: str = msgspec.field(default_factory=_new_trace)
    deadline: float = 0.0
    deadline_epoch_ms: int = 0
    handed_ns: int = 0
    answered_ns: int = 0
    held_ns: int = 0
    done_ns: int = 0
    payload: bytes | None = None
    failed: bool = False
    streaming: bool = False

    @property
    def request_id(self) -> str:
        """The event's."""
        return self.event.request_id

    @property
    def overdue(self) -> bool:
        """Whether an exact share would not have let it answer before its deadline."""
        return self.held_ns > 0 and self.answered_ns + self.held_ns > self.deadline * 1e9

    @property
    def duration_s(self) -> float:
        """Seconds from handing out the event to the answer, or until it need not be held longer."""
        return (self.answered_ns + self.held_ns - self.handed_ns) / 1e9


class Measured(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured of one invocation, and the limits that the kernel held its instance to.

    Whoever calls over HTTP finds it as JSON in the header X-Sectax-Measured. What this machine cannot count is missing.

    Attributes:
        duration_s: from handing the event out to the last byte of the answer, at the Runtime API; in the server's
            monotonic clock. init_s: of a cold start's init phase; missing on a warm one.
        held_s: how much of duration_s the answer was held back for an exact share; missing where it was not.
        created_s: on a cold start, what making the sandbox took before the init phase.
        extensions_s: what extensions that hear of events took after the answer; missing where there are none.
        cpu_time_s: CPU time of the whole instance (extensions too) meanwhile.
        periods, throttled_periods: quota periods meanwhile, and those in which the quota ran out.
        throttled_s: time that processors were kept from it meanwhile, summed over processors.
        max_memory_bytes: the instance's highest use since it was made, cold start included.
        memory_kills: processes of the instance that the kernel killed for want of memory meanwhile.
        instance: name of the instance. invocation: how many events it had been given, this one included.
        cpu_quota: vCPUs in force. period_us: of that quota. memory_limit_bytes: in force. cgroup: v1, v2 or none.
    """

    request_id: str
    duration_s: float
    instance: str
    invocation: int
    held_s: float | None = None
    init_s: float | None = None
    created_s: float | None = None
    extensions_s: float | None = None
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

    @property
    def billed_time_s(self) -> float:
        """What is billed, before it is rounded.

        The init phase is, since August 2025 for every function (AWS Compute Blog, "AWS Lambda standardizes billing for
        INIT Phase"), and so are extensions until they have done (AWS Lambda Developer Guide, "Extensions API").
        """
        return self.duration_s + (self.init_s or 0.0) + (self.extensions_s or 0.0)


class Outcome(NamedTuple):
    """How an invocation ended: what the caller gets.

    Attributes:
        function_error: "Unhandled" where the payload tells of an error, else None.
        log: the last 4 KiB of the log of this invocation.
    """

    payload: bytes
    function_error: str | None
    log: bytes
    measured: Measured
