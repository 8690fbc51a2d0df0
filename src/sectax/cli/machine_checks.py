"""Checks of this machine: what it can measure, and what disturbs measurements."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import msgspec

from sectax.cli.requirements import required
from sectax.hosts.process.host import host_identity
from sectax.parts import lambda_local, probes
from sectax.parts import registry as parts
from sectax.parts.cache import cache_folder
from sectax.parts.registry import Part
from sectax.run.environment import machine_load

_LEAST_DISK_BYTES = 200 * 1024 * 1024


class Health(StrEnum):
    """The result of a check."""

    GOOD = "good"
    WARNING = "warning"
    MISSING = "missing"


class MachineCheck(msgspec.Struct, frozen=True):
    """One check of the machine: a stable id, its result, what was seen, and a hint."""

    id: str
    health: Health
    saw: str
    hint: str = ""


@dataclass(frozen=True)
class DoctorReport:
    """The document of `sectax doctor`."""

    symptoms: list[MachineCheck]
    schema: Literal["sectax/doctor/2"] = "sectax/doctor/2"


def run_checks(waiting: Callable[[str], AbstractContextManager[None]]) -> list[MachineCheck]:
    """Check the machine, then the parts that experiments can use.

    Args:
        waiting: is entered with what is being looked at.
    """
    identity = host_identity()
    checks = [
        MachineCheck(
            "cpu", Health.GOOD, f"{identity.get('host.cpu_model', 'unknown')}, {identity['host.cpus']} usable"
        ),
        _governor(identity),
        _quota(identity),
        _clock_source(identity),
        _load(),
        _virtualisation(identity),
        _disk(),
    ]
    needed = required()
    for part in needed:
        with waiting(f"looking at {part.title}"):
            checks.append(_part(part))
    # Further languages, which are measured only if named.
    by_name = (f"probe:{name}" for name in probes.names())
    for part in (part for part in map(parts.load, by_name) if part.id not in {need.id for need in needed}):
        with waiting(f"looking at {part.title}"):
            checks.append(_part(part, "runs in this language"))
    # Managed runtimes, which only users' own functions need.
    checks += [
        _part(parts.load(f"lambda-runtime:{name}"), f"functions in {name}") for name in lambda_local.others_here()
    ]
    with waiting("making a function instance"):
        checks.append(_lambda())
    return checks


def _governor(identity: dict[str, str]) -> MachineCheck:
    governor = identity.get("host.governor")
    if governor in (None, "performance"):
        return MachineCheck(
            "governor", Health.GOOD, governor or "no frequency governor is visible (a virtual machine?)"
        )
    hint = "cpupower frequency-set -g performance (as root)"
    return MachineCheck("governor", Health.WARNING, f"{governor}: the frequency follows the load", hint)


def _quota(identity: dict[str, str]) -> MachineCheck:
    quota = identity.get("host.cpu_quota")
    if quota is None:
        return MachineCheck("cpu-quota", Health.GOOD, "no CPU quota is visible")
    if quota.startswith("max"):
        return MachineCheck("cpu-quota", Health.GOOD, f"none (cgroup {identity.get('host.cgroup', '?')})")
    return MachineCheck(
        "cpu-quota", Health.WARNING, f"{quota}: work is throttled past it", "lift the container's CPU limit"
    )


def _clock_source(identity: dict[str, str]) -> MachineCheck:
    source = identity.get("host.clock_source", "unknown")
    if source in ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"):
        return MachineCheck("clock-source", Health.GOOD, source)
    hint = "reading this clock may need a system call; batches are sized for it"
    return MachineCheck("clock-source", Health.WARNING, source, hint)


def _load() -> MachineCheck:
    load = machine_load()
    if load.busy:
        return MachineCheck("load", Health.WARNING, str(load), "end what else is running")
    return MachineCheck("load", Health.GOOD, str(load))


def _virtualisation(identity: dict[str, str]) -> MachineCheck:
    kind = identity.get("host.virtualisation", "unknown")
    text = "a virtual machine: neighbours may steal time (steal is recorded)" if kind == "guest" else kind
    return MachineCheck("virtualisation", Health.GOOD, text)


def _disk() -> MachineCheck:
    free = shutil.disk_usage(os.getcwd()).free
    if free < _LEAST_DISK_BYTES:
        hint = f"free some, or delete {cache_folder()}"
        return MachineCheck("disk", Health.WARNING, f"{free // 2**20} MiB free here", hint)
    return MachineCheck("disk", Health.GOOD, f"{free // 2**20} MiB free here")


def _part(part: Part, needed_by: str = "") -> MachineCheck:
    """Args: *needed_by*, the only use of an optional part."""
    lack = part.missing()
    if lack is None:
        return MachineCheck(part.id, Health.GOOD, f"{part.title} is ready")
    if needed_by:
        return MachineCheck(part.id, Health.WARNING, f"{lack.reason} (needed only for {needed_by})", lack.hint)
    if lack.on_first_use:
        return MachineCheck(
            part.id, Health.WARNING, f"{lack.reason}: the first run does that, and waits for it", lack.hint
        )
    return MachineCheck(part.id, Health.MISSING, lack.reason, lack.hint)


def _lambda() -> MachineCheck:
    """Whether the local Lambda works, found by creating an instance."""
    answer = lambda_local.check()
    if answer.error:
        return MachineCheck("lambda", Health.MISSING, answer.error, answer.hint)
    return MachineCheck("lambda", Health.GOOD, f"function instances can be made (cgroup {answer.cgroup})")
