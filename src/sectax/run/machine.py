"""Take the snapshot of this machine that a plan is made for."""

from __future__ import annotations

import os
from collections.abc import Callable

from sectax.experiments.interface import Experiment, RunRequest
from sectax.model.errors import SectaxError
from sectax.model.machine import HostState, Machine, ProbeState, Wanted
from sectax.model.why_not import WhyNot
from sectax.parts.installer import SetUpFailed


def machine_snapshot(experiment: Experiment, request: RunRequest, say: Callable[[str], None] | None = None) -> Machine:
    """Take the facts of this machine that a plan of the request needs.

    Args:
        say: reports progress of a run, which builds parts on first use; without it, such parts count as present.
    Raises:
        WrongUse: as `Experiment.wants`.
    """
    wanted = experiment.wants(request)
    if say is not None:
        _make(wanted, say)
    return take(wanted, will_make=say is None, experiment=experiment.name)


def _make(wanted: Wanted, say: Callable[[str], None]) -> None:
    """Build parts on first use; one that fails is missing, with its reason."""
    from sectax.parts import probes
    from sectax.parts import registry as parts

    for part in map(parts.load, wanted.parts):
        lack = part.missing()
        if lack is not None and lack.on_first_use:
            try:
                parts.set_up(part, say)
            except (SectaxError, OSError) as error:
                say(f"{part.title} cannot be set up: {error}")
    for name in wanted.probes:
        try:
            probes.set_up_on_first_use(probes.load(name), say)
        except (SetUpFailed, OSError) as error:
            say(f"probe {name} cannot be set up: {error}")


def take(wanted: Wanted, *, will_make: bool = True, experiment: str = "jwt") -> Machine:
    """Look at this machine, its hosts and its function service."""
    return Machine(
        folder=os.getcwd(),
        parts={name: _part(name, will_make) for name in wanted.parts},
        probes={name: _probe(name, experiment) for name in wanted.probes},
        hosts={name: _host(name, wanted.programs) for name in wanted.hosts},
    )


def _part(name: str, will_make: bool) -> WhyNot | None:
    from sectax.parts import registry as parts

    lack = parts.load(name).missing()
    return None if lack is None or (will_make and lack.on_first_use) else lack


def _probe(name: str, experiment: str) -> ProbeState:
    from sectax.experiments.on_probe.experiment import ask_probe, empty_subject
    from sectax.parts import probes

    probe = probes.load(name)
    lack = probes.missing(probe, experiment=experiment)
    if lack is not None:
        return ProbeState(probe.manifest.title, WhyNot(lack.reason, lack.hint))
    return ProbeState(probe.manifest.title, None, *ask_probe(empty_subject(name)))


def _host(name: str, programs: tuple[str, ...]) -> HostState:
    """The state of a host, found by logging in or starting a container."""
    from sectax.hosts.process.errors import ChildError, ChildNotStarted
    from sectax.hosts.process.host import NotFound
    from sectax.hosts.registry import host, host_facts

    def program(word: str) -> WhyNot | None:
        try:
            host(name).find_program(word, None, {})
        except NotFound as error:
            return WhyNot(f"there is no {word} on {name}", error.hint)
        return None

    try:
        return HostState(None, host_facts(name), {word: program(word) for word in programs})
    except ChildNotStarted as error:
        hint = "sectax setup confidential" if "is not installed" in error.reason else ""
        return HostState(WhyNot(f"{name}: {error.reason}", hint))
    except ChildError as error:
        return HostState(WhyNot(f"{name} cannot be used: {error.last_line or error}"))
    except SectaxError as error:
        return HostState(error.why_not)
