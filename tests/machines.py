"""Machines that nobody has: a plan is a function of the request and of such a snapshot, and needs nothing installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sectax.experiments import registry
from sectax.experiments.interface import Experiment, RunRequest
from sectax.model.machine import HostState, Machine, ProbeState
from sectax.model.plan import Plan, Stopping
from sectax.model.why_not import WhyNot

# As a host with a processor of 8 MiB of cache says it.
FACTS = {"host.cpu_model": "a processor", "host.cpus": "4", "host.last_level_cache": "8192K"}


def complete(experiment: Experiment, request: RunRequest, folder: str = "/home/somebody") -> Machine:
    """A machine that has all that the experiment wants for this request."""
    wanted = experiment.wants(request)
    return Machine(
        folder=folder,
        parts=dict.fromkeys(wanted.parts),
        probes={name: ProbeState(name.upper(), None, cpu_clock=True) for name in wanted.probes},
        hosts={name: HostState(None, FACTS, dict.fromkeys(wanted.programs)) for name in wanted.hosts},
    )


def without(machine: Machine, *parts: str, why_not: WhyNot | None = None) -> Machine:
    """The same machine, where these parts are missing."""
    reason = why_not or WhyNot("it is not installed", "sectax setup")
    return replace(machine, parts={**machine.parts, **dict.fromkeys(parts, reason)})


def planned(experiment: Experiment, request: RunRequest, folder: str = "/home/somebody") -> Plan:
    """The plan for a machine that has everything."""
    return experiment.plan(request, complete(experiment, request, folder))


Words = Mapping[str, tuple[str, ...]]


def request_for(preset: str = "default", levels: Words | None = None, options: Words | None = None) -> RunRequest:
    """A request of somebody who says no more than that."""
    return RunRequest(preset, levels or {}, Stopping(0.02), 1, options or {})


def plan_of(
    experiment: str, preset: str = "default", levels: Words | None = None, options: Words | None = None
) -> Plan:
    """The plan of an experiment by its name, for a machine that has everything."""
    return planned(registry.load(experiment), request_for(preset, levels, options))
