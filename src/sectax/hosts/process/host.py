"""This machine as a host: processes, programs, and facts."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from sectax.hosts.process.child import Child, StartOptions
from sectax.hosts.process.processors import on_one_processor
from sectax.hosts.process.telemetry import TelemetryReader
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SectaxError
from sectax.text.printable import printable


class NotFound(SectaxError):
    """A program does not exist on a host."""


def find_program(word: str, cwd: str | None, env: Mapping[str, str]) -> str:
    """Path of an executable program. Raises `NotFound`.

    Args:
        word: a path relative to *cwd* if it has a slash, otherwise a name on PATH.
        cwd: working directory; None for the current one.
        env: additional environment, maybe with a PATH.
    """
    shown = printable(word, 200)
    if os.sep not in word:
        path = shutil.which(word, path=env.get("PATH"))
        if path is None:
            hint = "give its path, or use --shell for pipes, variables and shell built-ins"
            raise NotFound(f"{shown!r} was not found on PATH", hint)
        return os.path.abspath(path)
    path = os.path.abspath(os.path.join(cwd or os.getcwd(), word))
    if not os.path.exists(path):
        raise NotFound(f"{shown!r} was not found", f"paths are relative to {cwd or os.getcwd()}")
    if os.path.isdir(path):
        raise NotFound(f"{shown!r} is a folder", "give a program")
    if not os.access(path, os.X_OK):
        raise NotFound(f"{shown!r} is not executable", f"chmod +x {shown}")
    return path


_CPUS = Path("/sys/devices/system/cpu")
_CPUINFO = Path("/proc/cpuinfo")


def host_identity() -> dict[str, str]:
    """CPU, kernel, quota and runtime of this machine; unreadable values are omitted."""
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
    """Facts that may change during a run: load, free memory, frequency."""
    circumstances = {
        "host.name": platform.node(),
        "host.load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "host.memory_available": _field(Path("/proc/meminfo"), "MemAvailable"),
        "host.frequency_khz": _text(_CPUS / "cpu0/cpufreq/scaling_cur_freq"),
        "host.boot_id": _text(Path("/proc/sys/kernel/random/boot_id")),
    }
    return {name: value for name, value in circumstances.items() if value is not None}


# Instructions for ciphers and hashes in x86's `flags` and Arm's `Features`, with their common names.
_X86_INSTRUCTIONS = {
    "aes": "AES-NI",
    "vaes": "VAES",
    "pclmulqdq": "PCLMULQDQ",
    "vpclmulqdq": "VPCLMULQDQ",
    "sha_ni": "SHA-NI",
    "avx2": "AVX2",
    "avx512f": "AVX-512",
}
_ARM_INSTRUCTIONS = {"aes": "AES", "pmull": "PMULL", "sha2": "SHA2", "sha512": "SHA512", "sha3": "SHA3", "sve": "SVE"}


def _instructions() -> list[str]:
    known = {"flags": _X86_INSTRUCTIONS, "Features": _ARM_INSTRUCTIONS}
    flags = {field: (_field(_CPUINFO, field) or "").split() for field in known}
    return [word for field, words in known.items() for flag, word in words.items() if flag in flags[field]]


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
    """Quota of the mounted cgroup, as the kernel prints it; 'max' for none."""
    unified = _text(Path("/sys/fs/cgroup/cpu.max"))
    if unified is not None:
        return unified
    quota = _text(Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
    if quota is None:
        return None
    return "max" if quota == "-1" else f"{quota} {_text(Path('/sys/fs/cgroup/cpu/cpu.cfs_period_us'))}"


class LocalHost:
    """Implements `sectax.hosts.registry.Host` for this machine."""

    name = LOCAL_HOST
    find_program = staticmethod(find_program)
    on_one_processor = staticmethod(on_one_processor)
    identity = staticmethod(host_identity)
    circumstances = staticmethod(host_circumstances)

    def start(self, argv: Sequence[str], **how: Unpack[StartOptions]) -> Child:
        return Child(argv, **how)

    def telemetry(self, child: Child) -> TelemetryReader:
        return TelemetryReader(child.pid)

    def put(self, file: Path) -> str:
        return str(file)
