"""What an instance is promised, what the kernel holds it to, and what it has used: plain data and arithmetic."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NamedTuple

# "At 1,769 MB, a function has the equivalent of one vCPU": AWS Lambda Developer Guide, "Configure Lambda function
# memory". The share grows in proportion to the memory.
VCPU_MB = 1769
# The one that AWS's own share shows from inside; the kernel refuses quotas under 1 ms, so 128 MB needs at least 14 ms.
PERIOD_US = 20_000


def vcpus(memory_mb: int, machine: int | None = None) -> float:
    """The vCPUs that *memory_mb* buys: more than one above 1769 MB, at most the machine's.

    Args:
        machine: the processors of the machine; None for those that this process may use.
    """
    return min(memory_mb / VCPU_MB, float(machine or len(os.sched_getaffinity(0))))


@dataclass(frozen=True)
class Limits:
    """What an instance is promised.

    Attributes:
        memory_mb: MiB of memory for all its processes and its /tmp together.
        cpu: vCPUs; None sets no quota (where the CPU share is a skipped factor).
        period_us: microseconds after which a used-up quota is filled again.
        processes: processes and threads at once.
    """

    memory_mb: int
    cpu: float | None
    period_us: int = PERIOD_US
    processes: int = 1024


@dataclass(frozen=True)
class InForce:
    """The limits as read back from the kernel; None where there is none.

    Attributes:
        cpu_quota: vCPUs.
        period_us: microseconds.
        memory_bytes: the limit.
        cgroup: "v1", "v2" or "none".
    """

    cpu_quota: float | None
    period_us: int | None
    memory_bytes: int | None
    cgroup: str


class Counters(NamedTuple):
    """What an instance has used since it was made; None where this machine does not count it.

    Attributes:
        cpu_time_ns: CPU time of all processes.
        throttled_periods: periods in which the quota ran out.
        throttled_ns: time that processors were kept from it, summed over processors.
        periods: periods in which it wanted to run.
        memory_peak_bytes: highest use since the start, page cache included, and /tmp where it is no disk.
        oom_kills: processes that the kernel killed because the limit was reached.
    """

    cpu_time_ns: int | None
    throttled_periods: int | None
    throttled_ns: int | None
    periods: int | None
    memory_peak_bytes: int | None
    oom_kills: int | None
