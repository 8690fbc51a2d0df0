"""Takes the snapshot of this machine that a plan is made for: what the experiment wants to know, and no more."""

from __future__ import annotations

import os
from collections.abc import Callable

from sectax.experiments.interface import Experiment, Request
from sectax.model.errors import SectaxError
from sectax.model.machine import HostState, Machine, ProbeState, Wanted
from sectax.model.why_not import WhyNot
from sectax.parts.installer import SetUpFailed


def machine_for(experiment: Experiment, request: Request) -> Machine:
    """This machine, as far as a plan of the request must know it. Raises `WrongUse` as `Experiment.wants` does."""
    return take(experiment.wants(request))


def set_up_on_first_use(experiment: Experiment, request: Request, say: Callable[[str], None]) -> None:
    """Make what a run of the request makes by itself. What cannot be made is missing then, with its reason."""
    from sectax.parts import probes

    for name in experiment.wants(request).probes:
        try:
            probes.set_up_on_first_use(probes.load(name), say)
        except (SetUpFailed, OSError) as error:
            say(f"probe {name} cannot be set up: {error}")


def take(wanted: Wanted) -> Machine:
    """Look at this machine: programs are started, hosts reached, a function instance is made, where that is wanted."""
    return Machine(
        folder=os.getcwd(),
        parts={name: _part(name) for name in wanted.parts},
        probes={name: _probe(name) for name in wanted.probes},
        hosts={name: _host(name, wanted.programs) for name in wanted.hosts},
    )


def _part(name: str) -> WhyNot | None:
    from sectax.parts import registry as parts

    lack = parts.load(name).missing()
    return None if lack is None or lack.on_first_use else lack


def _probe(name: str) -> ProbeState:
    from sectax.experiments.on_probe.experiment import empty_subject, has_cpu_clock
    from sectax.parts import probes

    probe = probes.load(name)
    lack = probes.missing(probe)
    if lack is not None:
        return ProbeState(probe.manifest.title, WhyNot(lack.reason, lack.hint))
    return ProbeState(probe.manifest.title, None, has_cpu_clock(empty_subject(name)))


def _host(name: str, programs: tuple[str, ...]) -> HostState:
    """Logs in, or starts a container."""
    from sectax.hosts.process.errors import ChildError, ChildNotStarted
    from sectax.hosts.process.host import NotFound
    from sectax.hosts.registry import facts_of, host

    def program(word: str) -> WhyNot | None:
        try:
            host(name).find_program(word, None, {})
        except NotFound as error:
            return WhyNot(f"there is no {word} on {name}", error.hint)
        return None

    try:
        return HostState(None, facts_of(name), {word: program(word) for word in programs})
    except ChildNotStarted as error:
        hint = "sectax setup confidential" if "is not installed" in error.reason else ""
        return HostState(WhyNot(f"{name}: {error.reason}", hint))
    except ChildError as error:
        return HostState(WhyNot(f"{name} cannot be used: {error.last_line or error}"))
    except SectaxError as error:
        return HostState(error.why_not)
