"""Where subjects run: this machine, or a place that somebody else's host reaches. Only a host starts a child."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, Unpack

from sectax.hosts import facts
from sectax.hosts.process.child import Child, How
from sectax.hosts.process.host import LocalHost
from sectax.hosts.process.processors import Chosen
from sectax.hosts.process.telemetry import TelemetryReading
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

GROUP = "sectax.hosts"


class Telemetry(Protocol):
    """Reads what a host knows of one child, again and again."""

    def read(self, just_now: bool = False) -> TelemetryReading:
        """The counters now, for `telemetry.difference`; what cannot be read is None. Never raises.

        Args:
            just_now: what other processes share may be a millisecond old.
        """

    def processors(self) -> int:
        """How many processors the child may use."""

    def close(self) -> None:
        """Later readings are empty."""


class Host(Protocol):
    """A place to run. One object serves a whole run; it is used from one thread.

    Attributes:
        name: by which specs, plans and records name it: its kind, and behind a colon what the kind needs
            (`ssh://user@host`).
    """

    name: str

    def start(self, argv: Sequence[str], **how: Unpack[How]) -> Child:
        """Start a program there, with pipes to sectax. The arguments, and what is raised, are those of `Child`."""

    def telemetry(self, child: Child) -> Telemetry:
        """Of a child that this host has started."""

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        """The path of a program there. Arguments and errors are those of `process.host.find_program`."""

    def put(self, file: Path) -> str:
        """The path there of a program of sectax's own that lies here; it is sent once.

        Raises:
            ChildNotStarted: it is not available there.
        """

    def on_one_processor(self, claims: Path) -> AbstractContextManager[Chosen | None]:
        """Start children on one of its processors from now on; None where they share this machine's processors.

        Args:
            claims: a folder of this user, here, for the locks of processors that are in use.
        """

    def identity(self) -> dict[str, str]:
        """What it is, as names (`host.cpu_model`) and values that may not change within a run."""

    def circumstances(self) -> dict[str, str]:
        """What may change while a run goes on, such as `host.load`."""


_known: dict[str, Host] = {}


def host(name: str = LOCAL_HOST) -> Host:
    """The host of this name. Its kind, the part before the first colon, is an entry point of the group `sectax.hosts`
    that takes the whole name; `local` is always there.

    Raises:
        WrongUse: there is no such kind of host.
    """
    if name not in _known:
        _known[name] = LocalHost() if name == LOCAL_HOST else _of_entry_point(name)
    return _known[name]


_local: dict[str, str] = {}


def host_facts(name: str) -> dict[str, str]:
    """What a host says of itself by the script of `hosts.facts`; asked once.

    Raises:
        ChildError: it cannot be reached, or does not answer.
    """
    if name != LOCAL_HOST:
        return host(name).identity()
    if not _local:
        _local.update(facts.ask(host()))
    return host().identity() | _local


def _of_entry_point(name: str) -> Host:
    kind = name.partition(":")[0]
    points = entry_points(group=GROUP, name=kind)
    if not points:
        kinds = (LOCAL_HOST, *sorted(entry_points(group=GROUP).names))
        raise WrongUse(f"there is no kind of host {kind!r}", did_you_mean(kind, kinds))
    host: Host = next(iter(points)).load()(name)
    return host
