"""This machine as a host: plain processes, its programs, and what it is (what a run must keep, and what may change)."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from sectax.hosts.process.child import Child, How
from sectax.hosts.process.processors import on_one_processor
from sectax.hosts.process.telemetry import TelemetryReader
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SectaxError
from sectax.text.printable import printable


class NotFound(SectaxError):
    """There is no such program, on the host that was asked."""


def find_program(word: str, cwd: str | None, env: Mapping[str, str]) -> str:
    """The path of a program.

    Args:
        word: as the user typed it; with a slash it is a path, seen from *cwd*, without one it is looked for on PATH.
        cwd: where the command runs; None for here.
        env: what is added to the environment; its PATH counts.
    Raises:
        NotFound: it is not there, or may not be executed.
    """
    shown = printable(word, 200)
    if os.sep not in word:
        path = shutil.which(word, path=env.get("PATH"))
        if path is None:
            raise NotFound(
                f"{shown!r} was not found on PATH",
                "give its path, or --shell where it is a shell's own word (a pipe, a variable, a built-in)",
            )
        return os.path.abspath(path)
    path = os.path.abspath(os.path.join(cwd or os.getcwd(), word))
    if not os.path.exists(path):
        raise NotFound(f"{shown!r} was not found", f"relative paths are seen from {cwd or os.getcwd()}")
    if os.path.isdir(path):
        raise NotFound(f"{shown!r} is a folder", "name the program in it")
    if not os.access(path, os.X_OK):
        raise NotFound(f"{shown!r} may not be executed", f"chmod +x {shown}")
    return path


_CPUS = Path("/sys/devices/system/cpu")
_CPUINFO = Path("/proc/cpuinfo")


def host_identity() -> dict[str, str]:
    """CPU, kernel, quota and runtime of this machine, as names and values; what is not readable is left out."""
    identity = {
        "host.cpu_model": _field(_CPUINFO, "model name")
        or _field(_CPUINFO, "CPU part")
        or platform.processor()
        or None,
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
        "host.cryptography": " ".join(_instructions()) or None,
        "sectax.python": platform.python_version(),
    }
    return {name: value for name, value in identity.items() if value is not None}


def host_circumstances() -> dict[str, str]:
    """What may change while a run goes on: load, free memory, frequency."""
    circumstances = {
        "host.name": platform.node(),
        "host.load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "host.memory_available": _field(Path("/proc/meminfo"), "MemAvailable"),
        "host.frequency_khz": _text(_CPUS / "cpu0/cpufreq/scaling_cur_freq"),
        "host.boot_id": _text(Path("/proc/sys/kernel/random/boot_id")),
    }
    return {name: value for name, value in circumstances.items() if value is not None}


# Of x86's `flags` and of Arm's `Features`, what hastens ciphers and hashes, as people call it.
_HASTENS = {
    "aes": "AES-NI",
    "vaes": "VAES",
    "pclmulqdq": "PCLMULQDQ",
    "vpclmulqdq": "VPCLMULQDQ",
    "sha_ni": "SHA-NI",
    "avx2": "AVX2",
    "avx512f": "AVX-512",
}
_ARM_HASTENS = {"aes": "AES", "pmull": "PMULL", "sha2": "SHA2", "sha512": "SHA512", "sha3": "SHA3", "sve": "SVE"}


def _instructions() -> list[str]:
    """The processor's own instructions for cryptography that the kernel names."""
    x86, arm = (set((_field(_CPUINFO, name) or "").split()) for name in ("flags", "Features"))
    return [
        word for flags, words in ((x86, _HASTENS), (arm, _ARM_HASTENS)) for flag, word in words.items() if flag in flags
    ]


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


def _virtualisation() -> str | None:
    flags = _field(_CPUINFO, "flags")
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


class LocalHost:
    """Implements `sectax.hosts.registry.Host` for the machine that sectax runs on."""

    name = LOCAL_HOST
    find_program = staticmethod(find_program)
    on_one_processor = staticmethod(on_one_processor)
    identity = staticmethod(host_identity)
    circumstances = staticmethod(host_circumstances)

    def start(self, argv: Sequence[str], **how: Unpack[How]) -> Child:
        return Child(argv, **how)

    def telemetry(self, child: Child) -> TelemetryReader:
        return TelemetryReader(child.pid)

    def put(self, file: Path) -> str:
        return str(file)
