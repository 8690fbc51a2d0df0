"""Immutable snapshot of a machine, taken once before planning or written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sectax.model.why_not import WhyNot

_State = TypeVar("_State")


@dataclass(frozen=True)
class Wanted:
    """What a plan must know of a machine; nothing else is examined or started.

    Attributes:
        parts: what must be installed or built, by the names in `sectax setup`.
        probes: probe names; each that can run is started and queried.
        hosts: hosts to connect to and query for their facts.
        programs: programs looked for on each of the hosts.
    """

    parts: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbeState:
    """A probe on the machine.

    Attributes:
        title: title from its manifest.
        lack: reason why it cannot run; None where it can.
        cpu_clock: whether it reports CPU time; None where it could not be queried.
        open_s: seconds from its start to its first reply; 0 where it did not reply.
    """

    title: str
    lack: WhyNot | None = None
    cpu_clock: bool | None = None
    open_s: float = 0.0


@dataclass(frozen=True)
class HostState:
    """A host that can be reached, this machine included.

    Attributes:
        lack: reason why it cannot be reached; None where it can.
        facts: facts by name (`host.cpu_model`).
        programs: program -> reason why it cannot be used there; None where it can.
    """

    lack: WhyNot | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, WhyNot | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Machine:
    """Facts about the machine of a plan, limited to the experiment's `wants`.

    The methods raise `LookupError` for what the experiment's `wants` does not name.

    Attributes:
        folder: base folder of the user's relative paths.
        parts: part -> reason why it cannot be used; None where it can.
    """

    folder: str = "."
    parts: Mapping[str, WhyNot | None] = field(default_factory=dict)
    probes: Mapping[str, ProbeState] = field(default_factory=dict)
    hosts: Mapping[str, HostState] = field(default_factory=dict)

    @property
    def min_open_s(self) -> float:
        """Seconds of the fastest start of a probe; 0 where none replied."""
        return min((probe.open_s for probe in self.probes.values() if probe.open_s), default=0.0)

    def lacks(self, part: str) -> WhyNot | None:
        return _find_state(self.parts, part, "part")

    def probe(self, name: str) -> ProbeState:
        return _find_state(self.probes, name, "probe")

    def host(self, name: str) -> HostState:
        return _find_state(self.hosts, name, "host")

    def host_lacks(self, name: str, program: str = "") -> WhyNot | None:
        """Reason why a host, or a program on it, cannot be used; None where it can."""
        host = self.host(name)
        if host.lack is not None or not program:
            return host.lack
        return _find_state(host.programs, program, "program")


def _find_state(states: Mapping[str, _State], name: str, kind: str) -> _State:
    try:
        return states[name]
    except KeyError:
        raise LookupError(f"the design asks for the {kind} {name!r}, which `wants` does not name") from None
