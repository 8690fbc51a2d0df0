"""The protocol of hosts, and hosts by name; only hosts start children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, Unpack

from sectax.hosts import facts
from sectax.hosts.process.child import Child, StartOptions
from sectax.hosts.process.host import LocalHost
from sectax.hosts.process.processors import ChosenProcessor
from sectax.hosts.process.telemetry import TelemetryReading
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

GROUP = "sectax.hosts"


class Telemetry(Protocol):
    """Counters of a child."""

    def read(self, allow_cached: bool = False) -> TelemetryReading:
        """Read the counters, perhaps a millisecond old if allowed. Never raises."""

    def processors(self) -> int:
        """Number of processors available to the child."""

    def close(self) -> None:
        """Close files; later readings are empty."""


class Host(Protocol):
    """A host, used for a whole run from one thread.

    Attributes:
        name: its name in plans and records: kind, colon, address (`ssh://user@host`).
    """

    name: str

    def start(self, argv: Sequence[str], **how: Unpack[StartOptions]) -> Child:
        """Start a program; arguments and errors as of `Child`."""

    def telemetry(self, child: Child) -> Telemetry: ...

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        """Path of a program; arguments and errors as of `process.host.find_program`."""

    def put(self, file: Path) -> str:
        """Send a program once; returns its path there. Raises `ChildNotStarted`."""

    def on_one_processor(self, claims: Path) -> AbstractContextManager[ChosenProcessor | None]:
        """Start children on one processor; None if the host does not choose one.

        Args:
            claims: local folder for the locks of used processors.
        """

    def identity(self) -> dict[str, str]:
        """Facts that must not change during a run, such as `host.cpu_model`."""

    def circumstances(self) -> dict[str, str]:
        """Facts that may change during a run, such as `host.load`."""


_known: dict[str, Host] = {}


def host(name: str = LOCAL_HOST) -> Host:
    """The host of this name, by entry point `sectax.hosts`. Raises `WrongUse`."""
    if name not in _known:
        _known[name] = LocalHost() if name == LOCAL_HOST else _load(name)
    return _known[name]


_local: dict[str, str] = {}


def host_facts(name: str) -> dict[str, str]:
    """Facts about a host, cached (`hosts.facts`). Raises `ChildError`."""
    if name != LOCAL_HOST:
        return host(name).identity()
    if not _local:
        _local.update(facts.collect(host()))
    return host().identity() | _local


def _load(name: str) -> Host:
    kind = name.partition(":")[0]
    points = entry_points(group=GROUP, name=kind)
    if not points:
        kinds = (LOCAL_HOST, *sorted(entry_points(group=GROUP).names))
        raise WrongUse(f"there is no kind of host {kind!r}", did_you_mean(kind, kinds))
    host: Host = next(iter(points)).load()(name)
    return host
