"""This machine as a host: plain processes, and what it is (what a run must keep of it, and what may change)."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from sectax.model.environment import LOCAL_HOST
from sectax.sandboxes.process.child import LINE_LIMIT, Child
from sectax.sandboxes.process.processors import Chosen, on_one_processor
from sectax.sandboxes.process.programs import find_program
from sectax.sandboxes.process.telemetry import TelemetryReader

_CPUS = Path("/sys/devices/system/cpu")


class LocalHost:
    """Implements `sectax.sandboxes.hosts.Host` for the machine that sectax runs on."""

    name = LOCAL_HOST

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        line_limit: int = LINE_LIMIT,
        ends_itself: bool = False,
    ) -> Child:
        return Child(argv, cwd=cwd, env=env, line_limit=line_limit, ends_itself=ends_itself)

    def telemetry(self, child: Child) -> TelemetryReader:
        return TelemetryReader(child.pid)

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        return find_program(word, cwd, env)

    def put(self, file: Path) -> str:
        return str(file)

    def on_one_processor(self, claims: Path) -> AbstractContextManager[Chosen]:
        return on_one_processor(claims)

    def identity(self) -> dict[str, str]:
        return host_identity()

    def circumstances(self) -> dict[str, str]:
        return host_circumstances()


def host_identity() -> dict[str, str]:
    """CPU, kernel, quota and runtime of this machine, as names and values; what is not readable is left out."""
    identity = {
        "host.cpu_model": _cpu_model(),
        "host.cpus": str(len(os.sched_getaffinity(0))),
        "host.kernel": platform.release(),
        "host.machine": platform.machine(),
        "host.clock_source": _text(Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")),
        "host.governor": _text(_CPUS / "cpu0/cpufreq/scaling_governor"),
        "host.boost": _text(_CPUS / "cpufreq/boost") or _text(_CPUS / "intel_pstate/no_turbo"),
        "host.smt": _text(_CPUS / "smt/active"),
        "host.cgroup": _cgroup_version(),
        "host.cpu_quota": _cpu_quota(),
        "host.virtualisation": _virtualisation(),
        "sectax.python": platform.python_version(),
    }
    return {name: value for name, value in identity.items() if value is not None}


def host_circumstances() -> dict[str, str]:
    """What may change while a run goes on: load, free memory, frequency."""
    circumstances = {
        "host.name": platform.node(),
        "host.load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "host.memory_available": _memory_available(),
        "host.frequency_khz": _text(_CPUS / "cpu0/cpufreq/scaling_cur_freq"),
        "host.boot_id": _text(Path("/proc/sys/kernel/random/boot_id")),
    }
    return {name: value for name, value in circumstances.items() if value is not None}


def _text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _field(path: Path, name: str) -> str | None:
    text = _text(path) or ""
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator and key.strip() == name:
            return value.strip()
    return None


def _cpu_model() -> str | None:
    cpuinfo = Path("/proc/cpuinfo")
    return _field(cpuinfo, "model name") or _field(cpuinfo, "CPU part") or platform.processor() or None


def _memory_available() -> str | None:
    return _field(Path("/proc/meminfo"), "MemAvailable")


def _virtualisation() -> str | None:
    flags = _field(Path("/proc/cpuinfo"), "flags")
    if flags is None:
        return None
    return "guest" if "hypervisor" in flags.split() else "none seen"


def _cgroup_version() -> str | None:
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return "v2"
    return "v1" if Path("/sys/fs/cgroup/cpu").exists() else None


def _cpu_quota() -> str | None:
    """The quota of the cgroup that is mounted here, as the kernel says it; none is 'max'."""
    unified = _text(Path("/sys/fs/cgroup/cpu.max"))
    if unified is not None:
        return unified
    quota = _text(Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
    if quota is None:
        return None
    return "max" if quota == "-1" else f"{quota} {_text(Path('/sys/fs/cgroup/cpu/cpu.cfs_period_us'))}"
