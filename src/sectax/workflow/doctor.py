"""What this machine can measure, what on it disturbs measuring, and the installing of what it lacks.

One part that cannot be installed does not stop the others.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

import msgspec

from sectax.experiments import registry
from sectax.experiments.interface import SetsUpLevels
from sectax.hosts.process.host import host_identity
from sectax.model.errors import SectaxError, WrongUse
from sectax.parts import lambda_local, probes
from sectax.parts import registry as parts
from sectax.parts.cache import cache_folder
from sectax.parts.registry import Part
from sectax.workflow.environment import machine_load

_AT_ONCE = 3
_LEAST_DISK_BYTES = 200 * 1024 * 1024


def required(
    experiments: Iterable[str] = (), levels: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> tuple[parts.Part, ...]:
    """What the experiments named can use, or all of them; each part once.

    Args:
        experiments: managed runtimes of Lambda too, e.g. `nodejs20.x`.
        levels: set up what these need alone.
    Raises:
        WrongUse: there are levels, and not one experiment whose levels need something.
    """
    if levels:
        named = [registry.load(name) for name in experiments]
        able = [experiment for experiment in named if isinstance(experiment, SetsUpLevels)]
        if len(named) != 1 or not able:
            raise WrongUse("--level takes one experiment whose levels need parts", "as in jwt --level language=go")
        return tuple(map(parts.load, able[0].requirements_of(levels)))
    wanted: dict[str, None] = {}
    for name in tuple(experiments) or registry.names():
        needed = (f"lambda-runtime:{name}",) if lambda_local.is_runtime(name) else registry.load(name).requirements()
        wanted.update(dict.fromkeys(needed))
    return tuple(parts.load(requirement) for requirement in wanted)


def set_up(
    experiments: tuple[str, ...],
    say: Callable[[str], None],
    levels: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> list[SectaxError]:
    """Set up what the experiments named need, or all of them, or these levels of one.

    Returns:
        What could not be set up, with the command that a person must run. What is optional is left out instead.
    """
    wanted = required(experiments, levels)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # Probes need nothing of each other, and much of their time is downloading.
        begun = {part.id: pool.submit(_set_up, part, say) for part in wanted if part.id.startswith("probe-")}
        failures = [begun[part.id].result() if part.id in begun else _set_up(part, say) for part in wanted]
    return [failure for failure in failures if failure is not None]


def _set_up(part: Part, say: Callable[[str], None]) -> SectaxError | None:
    try:
        parts.set_up(part, say)
    except SectaxError as error:
        if not part.optional:
            return error
        say(f"{error.message}; it is left out\nhint: {error.hint}")
    else:
        say(f"{part.title} is ready")
    return None


class Health(StrEnum):
    """How what was looked at is."""

    GOOD = "good"
    WARNING = "warning"
    MISSING = "missing"


class Symptom(msgspec.Struct, frozen=True):
    """One thing that was looked at: a stable identifier, how it is, what was seen, what would help."""

    id: str
    health: Health
    saw: str
    hint: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was looked at; as JSON it is the document of `sectax doctor`."""

    symptoms: list[Symptom]
    schema: Literal["sectax/doctor/2"] = "sectax/doctor/2"


def examine(waiting: Callable[[str], AbstractContextManager[None]]) -> list[Symptom]:
    """Look at the machine, then at everything that the experiments can use.

    Args:
        waiting: is entered with what is being looked at.
    """
    identity = host_identity()
    checks = [
        Symptom("cpu", Health.GOOD, f"{identity.get('host.cpu_model', 'unknown')}, {identity['host.cpus']} usable"),
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
    # The other languages, which are measured by name.
    by_name = (f"probe:{name}" for name in probes.names())
    for part in (part for part in map(parts.load, by_name) if part.id not in {need.id for need in needed}):
        with waiting(f"looking at {part.title}"):
            checks.append(_part(part, "runs in this language"))
    # No experiment of sectax's own needs these: without one, functions of that name are refused.
    checks += [
        _part(parts.load(f"lambda-runtime:{name}"), f"functions in {name}") for name in lambda_local.others_here()
    ]
    with waiting("making a function instance"):
        checks.append(_lambda())
    return checks


def _governor(identity: dict[str, str]) -> Symptom:
    governor = identity.get("host.governor")
    if governor in (None, "performance"):
        return Symptom("governor", Health.GOOD, governor or "no frequency governor is visible (a virtual machine?)")
    hint = "cpupower frequency-set -g performance (as root)"
    return Symptom("governor", Health.WARNING, f"{governor}: the frequency follows the load", hint)


def _quota(identity: dict[str, str]) -> Symptom:
    quota = identity.get("host.cpu_quota")
    if quota is None:
        return Symptom("cpu-quota", Health.GOOD, "no CPU quota is visible")
    if quota.startswith("max"):
        return Symptom("cpu-quota", Health.GOOD, f"none (cgroup {identity.get('host.cgroup', '?')})")
    return Symptom("cpu-quota", Health.WARNING, f"{quota}: work is throttled past it", "lift the container's CPU limit")


def _clock_source(identity: dict[str, str]) -> Symptom:
    source = identity.get("host.clock_source", "unknown")
    if source in ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"):
        return Symptom("clock-source", Health.GOOD, source)
    hint = "reading this clock may need a system call; batches are sized for it"
    return Symptom("clock-source", Health.WARNING, source, hint)


def _load() -> Symptom:
    load = machine_load()
    if load.busy:
        return Symptom("load", Health.WARNING, str(load), "end what else is running")
    return Symptom("load", Health.GOOD, str(load))


def _virtualisation(identity: dict[str, str]) -> Symptom:
    kind = identity.get("host.virtualisation", "unknown")
    text = "a virtual machine: neighbours may steal time (steal is recorded)" if kind == "guest" else kind
    return Symptom("virtualisation", Health.GOOD, text)


def _disk() -> Symptom:
    free = shutil.disk_usage(os.getcwd()).free
    if free < _LEAST_DISK_BYTES:
        hint = f"free some, or delete {cache_folder()}"
        return Symptom("disk", Health.WARNING, f"{free // 2**20} MiB free here", hint)
    return Symptom("disk", Health.GOOD, f"{free // 2**20} MiB free here")


def _part(part: Part, needed_by: str = "") -> Symptom:
    """Args: *needed_by*, where not everybody needs it."""
    lack = part.missing()
    if lack is None:
        return Symptom(part.id, Health.GOOD, f"{part.title} is ready")
    if needed_by:
        return Symptom(part.id, Health.WARNING, f"{lack.reason} (needed only for {needed_by})", lack.hint)
    if lack.on_first_use:
        return Symptom(part.id, Health.WARNING, f"{lack.reason}: the first run does that, and waits for it", lack.hint)
    return Symptom(part.id, Health.MISSING, lack.reason, lack.hint)


def _lambda() -> Symptom:
    """Whether instances of the local Lambda can be made, found out by making one."""
    answer = lambda_local.check()
    if answer.error:
        return Symptom("lambda", Health.MISSING, answer.error, answer.hint)
    return Symptom("lambda", Health.GOOD, f"function instances can be made (cgroup {answer.cgroup})")
