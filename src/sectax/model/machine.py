"""A machine as a plan sees it: an immutable snapshot, taken once before planning, or written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sectax.model.why_not import WhyNot

_State = TypeVar("_State")


@dataclass(frozen=True)
class Wanted:
    """What a plan must know of a machine. Nothing else is looked at, so that nothing else is started.

    Attributes:
        parts: what must be installed or built, by the names that `sectax setup` knows.
        probes: by name; each that can run is started and asked what it is.
        hosts: reached, and asked for their facts.
        programs: looked for on each of the hosts.
    """

    parts: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbeState:
    """A probe on the machine.

    Attributes:
        title: in words, from its manifest.
        lack: why it cannot run; None where it can.
        cpu_clock: whether it reports CPU time; None where it could not be asked.
        open_s: seconds from its start to its first answer; 0 where it did not answer.
    """

    title: str
    lack: WhyNot | None = None
    cpu_clock: bool | None = None
    open_s: float = 0.0


@dataclass(frozen=True)
class HostState:
    """A host that the machine may reach, itself among them.

    Attributes:
        lack: why it cannot be reached; None where it can.
        facts: what it says of itself, by name (`host.cpu_model`).
        programs: by name, why a program cannot be used there; None where it can.
    """

    lack: WhyNot | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, WhyNot | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Machine:
    """What is known of the machine that a plan is for: what the experiment wanted to know, and no more.

    The methods raise `LookupError` for what the experiment did not name in its `wants`.

    Attributes:
        folder: from where the user's paths count.
        parts: by name, why a part cannot be used; None where it can.
    """

    folder: str = "."
    parts: Mapping[str, WhyNot | None] = field(default_factory=dict)
    probes: Mapping[str, ProbeState] = field(default_factory=dict)
    hosts: Mapping[str, HostState] = field(default_factory=dict)

    @property
    def min_open_s(self) -> float:
        """Seconds of the fastest opening of a probe; 0 where none answered."""
        return min((probe.open_s for probe in self.probes.values() if probe.open_s), default=0.0)

    def lacks(self, part: str) -> WhyNot | None:
        return _find_state(self.parts, part, "part")

    def probe(self, name: str) -> ProbeState:
        return _find_state(self.probes, name, "probe")

    def host(self, name: str) -> HostState:
        return _find_state(self.hosts, name, "host")

    def host_lacks(self, name: str, program: str = "") -> WhyNot | None:
        """Why a host, or a program on it, cannot be used; None where it can."""
        host = self.host(name)
        if host.lack is not None or not program:
            return host.lack
        return _find_state(host.programs, program, "program")


def _find_state(states: Mapping[str, _State], name: str, kind: str) -> _State:
    try:
        return states[name]
    except KeyError:
        raise LookupError(f"the design asks for the {kind} {name!r}, which `wants` does not name") from None
