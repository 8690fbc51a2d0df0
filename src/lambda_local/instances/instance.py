"""One instance of a function: runs one event at a time and measures it."""

from __future__ import annotations

import signal
import time

from lambda_local.function import Function
from lambda_local.instances.errors import InstanceFailure, InvocationTimeout, runtime_exited
from lambda_local.instances.extensions_api import INVOKE
from lambda_local.instances.invocation import Invocation, InvocationMetrics, InvocationOutcome, billed_ms
from lambda_local.instances.lifecycle import Lifecycle
from lambda_local.instances.log import end_line, report_line, start_line
from lambda_local.sandbox import Counters, InForce

UNHANDLED = "Unhandled"
_NO_COUNTERS = Counters(None, None, None, None, None)


class FunctionInstance:
    """Starts with its first event. When `alive` becomes False it must be ended with `life.end`.

    Attributes:
        idle_since: time of the loop's clock when it last became idle.
    """

    def __init__(self, function: Function, life: Lifecycle) -> None:
        self.function = function
        self.life = life
        self.idle_since = 0.0
        self.end_reason = "SPINDOWN"
        self._count = 0
        self._in_force: InForce | None = None
        self._killed = 0  # processes killed for lack of memory before this event
        self._warm = False

    @property
    def alive(self) -> bool:
        return self._warm and self.life.gone is None

    async def invoke(self, invocation: Invocation) -> InvocationOutcome:
        """Run one event. Raises `LambdaLocalError` if no sandbox is available."""
        life, cold = self.life, not self._warm
        start = start_line(invocation.request_id)
        self._before = self._after = _NO_COUNTERS
        gone: InstanceFailure | None = None
        try:
            if cold:
                await life.begin()
                self._in_force = life.box.groups.in_force()
                self._warm = True
            life.log.say(start)
            self._hand_out(invocation)
            await self._until_done(invocation)
        except InstanceFailure as error:
            # Also after the answer: as on AWS, failures before the request for the next event fail the invocation, and
            # the caller gets an error that was reported before.
            life.gone = gone = error
            self.end_reason = error.reason
            if invocation.handed_ns == 0:  # it failed in the init phase
                invocation.handed_ns = life.init_began_ns or time.monotonic_ns()
                life.log.say(start)
            invocation.done_ns = time.monotonic_ns()
            if life.created_s is not None:
                life.check_memory(always=True)
                self._after = life.box.groups.counters()
        self._count += 1
        return self._outcome(invocation, self._measured(invocation, cold=cold), gone)

    def _hand_out(self, invocation: Invocation) -> None:
        life = self.life
        self._before = life.box.groups.counters(times=True)
        invocation.deadline_epoch_ms = int((time.time() + self.function.timeout) * 1e3)
        # Extensions first, so that the runtime gets the event last before the thaw. Thaw after sending, since processes
        # would otherwise wake up without an event.
        life.extensions.send_invoke(invocation)
        life.api.hand_out(invocation)
        life.box.groups.freezer.thaw()
        invocation.deadline = invocation.handed_ns / 1e9 + self.function.timeout

    async def _until_done(self, invocation: Invocation) -> None:
        """Wait until runtime and extensions have finished the event, then freeze them. Raises `InstanceFailure`."""
        life = self.life
        if not await life.until(lambda: life.all_waiting, invocation.deadline):
            raise InvocationTimeout(self.function.timeout)
        life.box.groups.freezer.freeze()
        if not life.check_memory():
            raise runtime_exited(-signal.SIGKILL)
        invocation.free_ns = life.api.requested_ns
        invocation.done_ns = max(invocation.free_ns, life.extensions.requested_ns)
        self._after = life.box.groups.counters()
        if invocation.overdue:
            raise InvocationTimeout(self.function.timeout)

    def _measured(self, invocation: Invocation, *, cold: bool) -> InvocationMetrics:
        limits, before, after = self._in_force, self._before, self._after
        throttled_ns = _difference(before.throttled_ns, after.throttled_ns)
        cpu_ns = _difference(before.cpu_time_ns, after.cpu_time_ns)
        init_s = self.life.init_s if cold else None
        self._killed, killed = after.oom_kills or self._killed, self._killed
        answered, free, done = invocation.answered_ns, invocation.free_ns, invocation.done_ns
        return InvocationMetrics(
            request_id=invocation.request_id,
            duration_s=invocation.duration_s,
            billed_ms=billed_ms(invocation.duration_s + (init_s or 0.0)),
            instance=self.life.name,
            invocation=self._count,
            after_answer_s=(done - answered) / 1e9 if answered else None,
            extensions_s=(done - free) / 1e9 if free and self.life.extensions.any_receives(INVOKE) else None,
            init_s=init_s,
            created_s=self.life.created_s if cold else None,
            cpu_time_s=None if cpu_ns is None else cpu_ns / 1e9,
            periods=_difference(before.periods, after.periods),
            throttled_periods=_difference(before.throttled_periods, after.throttled_periods),
            throttled_s=None if throttled_ns is None else throttled_ns / 1e9,
            max_memory_bytes=self.life.max_memory_bytes,
            memory_kills=_difference(killed, after.oom_kills),
            cpu_quota=None if limits is None else limits.cpu_quota,
            period_us=None if limits is None else limits.period_us,
            memory_limit_bytes=None if limits is None else limits.memory_bytes,
            cgroup=None if limits is None else limits.cgroup,
        )

    def _outcome(
        self, invocation: Invocation, measured: InvocationMetrics, gone: InstanceFailure | None
    ) -> InvocationOutcome:
        log, request_id = self.life.log, invocation.request_id
        report = report_line(measured, self.function.memory, "" if gone is None else gone.status)
        log.say(f"{end_line(request_id)}{report}")
        if gone is None:
            failed = UNHANDLED if invocation.failed else None
            return InvocationOutcome(invocation.payload or b"", failed, log.take(), measured)
        log.say(gone.for_log(request_id))
        reported = invocation.payload if invocation.failed and not isinstance(gone, InvocationTimeout) else None
        return InvocationOutcome(reported or gone.for_caller(request_id), UNHANDLED, log.take(), measured)


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
