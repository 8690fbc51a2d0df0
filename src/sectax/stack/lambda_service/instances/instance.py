"""One instance of a function: takes one event at a time, and tells what became of it and what it cost."""

from __future__ import annotations

import asyncio
import time

import msgspec

from sectax.sandboxes.instance import Counters, InForce
from sectax.stack.lambda_service.function import Function
from sectax.stack.lambda_service.instances.errors import InitTooSlow, InstanceGone, TooSlow
from sectax.stack.lambda_service.instances.invocation import Event, Invocation, Measured, Outcome
from sectax.stack.lambda_service.instances.life import Life
from sectax.stack.lambda_service.instances.log import end_line, report_line, start_line
from sectax.stack.lambda_service.instances.share import ExactShare, exact_share

UNHANDLED = "Unhandled"
_NO_COUNTERS = Counters(None, None, None, None, None, None, None)
_NO_LIMITS = InForce(None, None, None, "none")


class FunctionInstance:
    """Not begun before its first event. After `alive` has turned False it must be ended, by `life.end`.

    Attributes:
        idle_since: instant of the loop's clock when it last became free.
    """

    def __init__(self, function: Function, life: Life, *, shares_exactly: bool) -> None:
        self.function = function
        self.life = life
        self.idle_since = 0.0
        self.end_reason = "SPINDOWN"
        self._count = 0
        self._shares_exactly = shares_exactly
        self._share: ExactShare | None = None
        self._in_force = _NO_LIMITS
        self._warm = False

    @property
    def alive(self) -> bool:
        """Whether it can take another event."""
        return self._warm and self.life.gone is None

    async def invoke(self, event: Event, init_s: float, *, inits_again: bool = False) -> Outcome:
        """Hand out one event and wait for its end.

        Args:
            init_s: the most that the init phase may take, where this is the first event.
            inits_again: the init phase is part of the invocation, since an earlier one took too long.
        Raises:
            InitTooSlow: the init phase did, and was no part of the invocation.
        """
        cold = not self._warm
        invocation = Invocation(event)
        before = _NO_COUNTERS
        gone: InstanceGone | None = None
        try:
            if inits_again:
                self.life.log.say(start_line(invocation.request_id, self.function.version))
            if cold:
                await self._begin(init_s, inits_again)
            if not inits_again:
                self.life.log.say(start_line(invocation.request_id, self.function.version))
            before = self.life.box.counters()
            await self._handle(invocation, before, self.life.init_s or 0.0 if inits_again else 0.0)
            after = self.life.box.counters()
            invocation.held_ns = await self._owed(invocation.answered_ns, after, invocation.deadline)
        except InstanceGone as error:
            gone = error
            self.life.gone = error
            self.end_reason = error.reason
            if invocation.handed_ns == 0:  # what it did was to try to begin
                invocation.handed_ns = self.life.init_began_ns or time.monotonic_ns()
                if not inits_again:
                    self.life.log.say(start_line(invocation.request_id, self.function.version))
            invocation.answered_ns = time.monotonic_ns()
            after = self._counters()
        if inits_again:
            invocation.handed_ns = self.life.init_began_ns or invocation.handed_ns
        self._count += 1
        measured = self._measured(invocation, before, after, cold=cold and not inits_again)
        if gone is None:
            measured = await self._settle(invocation, measured)
        return self._outcome(invocation, measured, gone)

    async def _begin(self, init_s: float, inits_again: bool) -> None:
        try:
            await self.life.begin(init_s, boosted=not inits_again)
        except InitTooSlow as error:
            if inits_again:
                raise TooSlow(init_s) from error
            raise
        self._in_force = self.life.box.in_force()
        if self._shares_exactly:
            self._share = exact_share(self._in_force)
        self._warm = True

    async def _handle(self, invocation: Invocation, before: Counters, spent_s: float) -> None:
        """*spent_s* of its timeout the invocation has used already."""
        life, timeout = self.life, self.function.timeout
        left_s = timeout - spent_s
        invocation.deadline_epoch_ms = int((time.time() + left_s) * 1e3)
        invocation.deadline = life.loop_time() + left_s
        # Extensions first: nothing of ours then stands between the event and the runtime. Both find the event when they
        # are thawed: otherwise they would wake up, find none, sleep, and be woken again.
        life.extensions.tell_invoke(invocation)
        life.api.hand_out(invocation)
        life.box.thaw()
        if self._share is not None and before.cpu_time_ns is not None:
            self._share.begin(invocation.handed_ns, before.cpu_time_ns, before.throttled_ns or 0)
        if not await life.until(lambda: invocation.payload is not None, invocation.deadline):
            raise TooSlow(timeout)

    async def _owed(self, ended_ns: int, counters: Counters, deadline: float) -> int:
        """By how many nanoseconds what ended at this instant ended sooner than an exact share, where wanted, lets it.

        Raises:
            TooSlow: it would have ended after the deadline, which has come when this is raised.
        """
        if self._share is None or counters.cpu_time_ns is None:
            return 0
        due_ns = self._share.end(ended_ns, counters.cpu_time_ns, counters.throttled_ns or 0)
        if due_ns > deadline * 1e9:
            await asyncio.sleep(deadline - self.life.loop_time())
            raise TooSlow(self.function.timeout)
        if due_ns > ended_ns:
            self.life.fill_quota()  # the wait pays for what it had too much: the kernel must not ask for it, too
        return due_ns - ended_ns

    async def _settle(self, invocation: Invocation, measured: Measured) -> Measured:
        """Wait until runtime and extensions have done with the event, then freeze them; what that took is billed.

        Who calls again finds the instance free. The answer counts, whatever happens now.
        """
        life = self.life
        done_ns = answered_ns = invocation.answered_ns + invocation.held_ns
        try:
            if not await life.until(lambda: life.all_waiting, invocation.deadline):
                raise TooSlow(self.function.timeout)
            life.box.freeze()
            if life.extensions.hear_events:
                now_ns = time.monotonic_ns()
                done_ns = max(done_ns, now_ns + await self._owed(now_ns, life.box.counters(), invocation.deadline))
        except InstanceGone as error:
            life.gone = error
            self.end_reason = error.reason
            done_ns = max(done_ns, time.monotonic_ns())
        if (left_ns := done_ns - time.monotonic_ns()) > 0:
            await asyncio.sleep(left_ns / 1e9)
        if not life.extensions.hear_events:
            return measured
        return msgspec.structs.replace(measured, extensions_s=(done_ns - answered_ns) / 1e9)

    def _counters(self) -> Counters:
        return self.life.box.counters() if self.life.created_s is not None else _NO_COUNTERS

    def _measured(self, invocation: Invocation, before: Counters, after: Counters, *, cold: bool) -> Measured:
        limits = self._in_force
        throttled_ns = _difference(before.throttled_ns, after.throttled_ns)
        cpu_ns = _difference(before.cpu_time_ns, after.cpu_time_ns)
        return Measured(
            request_id=invocation.request_id,
            duration_s=invocation.duration_s,
            instance=self.life.name,
            invocation=self._count,
            held_s=invocation.held_ns / 1e9 if invocation.held_ns else None,
            init_s=self.life.init_s if cold else None,
            created_s=self.life.created_s if cold else None,
            cpu_time_s=None if cpu_ns is None else cpu_ns / 1e9,
            periods=_difference(before.periods, after.periods),
            throttled_periods=_difference(before.throttled_periods, after.throttled_periods),
            throttled_s=None if throttled_ns is None else throttled_ns / 1e9,
            max_memory_bytes=after.memory_peak_bytes,
            memory_kills=_difference(before.oom_kills, after.oom_kills),
            cpu_quota=limits.cpu_quota,
            period_us=limits.period_us,
            memory_limit_bytes=limits.memory_bytes,
            cgroup=limits.cgroup,
        )

    def _outcome(self, invocation: Invocation, measured: Measured, gone: InstanceGone | None) -> Outcome:
        log, request_id = self.life.log, invocation.request_id
        log.drain()
        log.say(end_line(request_id))
        log.say(report_line(measured, self.function.memory, "" if gone is None else gone.status))
        if gone is None:
            failed = UNHANDLED if invocation.failed else None
            return Outcome(invocation.payload or b"", failed, log.take(), measured)
        log.say(gone.for_log(request_id))
        return Outcome(gone.for_caller(request_id), UNHANDLED, log.take(), measured)


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
