"""The share of a processor to the millisecond: when an exact quota would have let an invocation end.

The kernel notices at a tick of its scheduler (every 4 ms on most machines) that a quota is used up, and 4 ms are more
than the whole quota of 128 MB. What a function got too much is kept back in later periods, which short work does not
live to see: it ends too early. Its CPU time is known to the microsecond afterwards, and so is what it should have
lasted.
"""

from __future__ import annotations

from lambda_local.sandbox import InForce


class ExactShare:
    """The quota of one instance, kept exactly. All times are nanoseconds; instants are of one monotonic clock.

    A period begins with the first event after an idle time of at least one period, with a full quota, and periods
    follow each other from there. CPU time that no event is answered for (after the answer, before the instance is
    frozen) counts into the period in which it fell.
    """

    def __init__(self, quota_ns: int, period_ns: int) -> None:
        self._quota_ns = quota_ns
        self._period_ns = period_ns
        self._period_began_ns = 0
        self._spent_ns = 0  # since then
        self._cpu_ns = 0  # the CPU time that is in these books
        self._began_ns = 0
        self._throttled_ns = 0

    def begin(self, now_ns: int, cpu_ns: int, throttled_ns: int) -> None:
        """An event is handed out.

        Args:
            cpu_ns, throttled_ns: what the instance has used so far, and was kept from processors, summed over these.
        """
        self._spent_ns += cpu_ns - self._cpu_ns
        self._cpu_ns = cpu_ns
        self._began_ns, self._throttled_ns = now_ns, throttled_ns
        over = (now_ns - self._period_began_ns) // self._period_ns
        if over > 0:
            self._spent_ns = max(0, self._spent_ns - over * self._quota_ns)
            self._period_began_ns += over * self._period_ns
            if over > 1 and self._spent_ns == 0:
                self._period_began_ns = now_ns

    def end(self, now_ns: int, cpu_ns: int, throttled_ns: int) -> int:
        """The instant at which the work since `begin` would have ended; *now_ns* where that is no later.

        It is the earliest one that a quota allows for so much CPU time, as if nothing had been waited for in between:
        who waited is never held longer than an exact quota would have.
        """
        used_ns = cpu_ns - self._cpu_ns
        # Threads that run side by side use up the last part of a quota together. What the elapsed time was filled with
        # says how many there were: one thread has either run or been throttled.
        at_once = max(1.0, (used_ns + throttled_ns - self._throttled_ns) / max(1, now_ns - self._began_ns))
        # Of a period that was nearly over when the event came, no more can have been used than what was left of it.
        left_ns = round((self._period_began_ns + self._period_ns - self._began_ns) * at_once)
        self._spent_ns = max(self._spent_ns, self._quota_ns - left_ns) + used_ns
        self._cpu_ns = cpu_ns
        self._began_ns, self._throttled_ns = now_ns, throttled_ns
        whole = -(-self._spent_ns // self._quota_ns) - 1  # quotas that it used up before its last one
        if whole <= 0:
            return now_ns
        self._spent_ns -= whole * self._quota_ns
        self._period_began_ns += whole * self._period_ns
        return max(now_ns, self._period_began_ns + round(self._spent_ns / at_once))


def exact_share(limits: InForce) -> ExactShare | None:
    """The books for these limits; None where nothing is to be kept: the quota is a whole processor."""
    if limits.cpu_quota >= 1:
        return None
    period_ns = limits.period_us * 1000
    return ExactShare(round(limits.cpu_quota * period_ns), period_ns)
