"""Limits and counters of an instance, and their files in both versions of control groups."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lambda_local.errors import LambdaLocalError


class SandboxMissing(LambdaLocalError):
    """This machine or this user cannot run instances."""


class InstanceFailed(LambdaLocalError):
    """An instance could not be created, a program could not be started, or the instance is gone."""


# "At 1,769 MB, a function has the equivalent of one vCPU": AWS Lambda Developer Guide, "Configure Lambda function
# memory". The share grows in proportion to the memory.
VCPU_MB = 1769
# AWS's period, as measured inside a function. The kernel refuses quotas under 1 ms, so 128 MB needs at least 14 ms.
PERIOD_US = 20_000


def vcpus(memory_mb: int, machine: int | None = None) -> float:
    """Return the vCPUs for *memory_mb*: above one over 1769 MB, at most the machine's.

    Args:
        machine: processors of the machine; None for those that this process may use.
    """
    return min(memory_mb / VCPU_MB, float(machine or len(os.sched_getaffinity(0))))


@dataclass(frozen=True)
class Limits:
    """The limits of an instance.

    Attributes:
        memory_mb: MiB for all processes and /tmp.
        cpu: vCPUs.
        processes: maximum of processes and threads.
    """

    memory_mb: int
    cpu: float
    processes: int = 1024


@dataclass(frozen=True)
class InForce:
    """The limits read from the kernel: vCPUs, period, memory, and "v1" or "v2"."""

    cpu_quota: float
    period_us: int
    memory_bytes: int
    cgroup: str


class Counters(NamedTuple):
    """The usage of an instance since its creation; None if this machine does not count it.

    Attributes:
        cpu_time_ns: CPU time of all processes.
        throttled_periods: periods in which the quota ran out.
        throttled_ns: throttled time, summed over processors.
        periods: periods in which it was runnable.
        oom_kills: processes that the kernel killed at the memory limit.
    """

    cpu_time_ns: int | None
    throttled_periods: int | None
    throttled_ns: int | None
    periods: int | None
    oom_kills: int | None


# Files of counters by controller, for both versions; those that exist are read.
COUNTER_FILES = {
    "cpu": ("cpu.stat",),
    "cpuacct": ("cpuacct.usage",),
    "memory": ("memory.oom_control", "memory.events"),
}
USAGE_FILES = ("memory.usage_in_bytes", "memory.current")
LIMIT_FILES = {
    "cpu": ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.max"),
    "memory": ("memory.limit_in_bytes", "memory.max"),
}
# v1 counts buffers of TCP and UDP separately, and only with a limit; v2 includes them.
SOCKETS, SOCKETS_LIMIT = "memory.kmem.tcp.usage_in_bytes", "memory.kmem.tcp.limit_in_bytes"
# Not all machines count swap.
OPTIONAL_FILES = ("memory.memsw.limit_in_bytes", "memory.swap.max", SOCKETS_LIMIT)


def quota_us(cpu: float) -> int:
    return round(cpu * PERIOD_US)


def quota_setting(version: int, cpu: float) -> tuple[str, str]:
    """Return (file, text) that set the quota after the period."""
    quota = quota_us(cpu)
    return ("cpu.cfs_quota_us", str(quota)) if version == 1 else ("cpu.max", f"{quota} {PERIOD_US}")


def limit_settings(version: int, limits: Limits) -> dict[str, list[tuple[str, str]]]:
    """Return (file, text) to write to a new group, by controller, in order."""
    memory = str(limits.memory_mb << 20)
    quota = quota_setting(version, limits.cpu)
    if version == 1:
        return {
            "cpu": [("cpu.cfs_period_us", str(PERIOD_US)), quota],
            "memory": [
                ("memory.limit_in_bytes", memory),
                ("memory.memsw.limit_in_bytes", memory),
                (SOCKETS_LIMIT, memory),
            ],
            "pids": [("pids.max", str(limits.processes))],
        }
    return {
        "cpu": [quota],
        "memory": [("memory.max", memory), ("memory.swap.max", "0")],
        "pids": [("pids.max", str(limits.processes))],
    }


def memory_settings(version: int, bytes_: int, *, lower: bool) -> list[tuple[str, str]]:
    """Return (file, text) that change the memory limit, in order: in v1 the limit with swap is never the lower one."""
    if version != 1:
        return [("memory.max", str(bytes_))]
    files = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
    return [(file, str(bytes_)) for file in (files if lower else files[::-1])]


def no_quota(version: int) -> tuple[str, str]:
    return ("cpu.cfs_quota_us", "-1") if version == 1 else ("cpu.max", "max")


def limits_in_force(texts: Mapping[str, str], version: int) -> InForce:
    """Parse the limits in files of LIMIT_FILES. Raises `InstanceFailed`: a limit is missing or not set."""
    try:
        if "cpu.max" in texts:
            quota, period = texts["cpu.max"].split()
        else:
            quota, period = texts["cpu.cfs_quota_us"], texts["cpu.cfs_period_us"]
        memory = texts["memory.max" if "memory.max" in texts else "memory.limit_in_bytes"]
        return InForce(int(quota) / int(period), int(period), int(memory), f"v{version}")
    except (KeyError, ValueError) as error:
        raise InstanceFailed(f"the kernel reports no limits of the instance: {dict(texts)}") from error


def parse_counters(texts: Mapping[str, bytes]) -> Counters:
    """Parse the counters in files of COUNTER_FILES."""
    cpu = _by_label(texts.get("cpu.stat", b""))
    events = _by_label(texts.get("memory.events", texts.get("memory.oom_control", b"")))
    cpu_time, throttled = _count(cpu.get(b"usage_usec")), _count(cpu.get(b"throttled_usec"))
    return Counters(
        cpu_time_ns=_count(texts.get("cpuacct.usage")) if cpu_time is None else cpu_time * 1000,
        throttled_periods=_count(cpu.get(b"nr_throttled")),
        throttled_ns=_count(cpu.get(b"throttled_time")) if throttled is None else throttled * 1000,
        periods=_count(cpu.get(b"nr_periods")),
        oom_kills=_count(events.get(b"oom_kill")),
    )


def _count(text: bytes | None) -> int | None:
    return int(text) if text else None


def _by_label(text: bytes) -> dict[bytes, bytes]:
    """Parse lines of a label and a number."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=False))
