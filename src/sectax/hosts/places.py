"""Where a client process of a shared load runs: on this machine, or on a worker of a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol

from sectax.hosts.registry import host
from sectax.model.environment import LOCAL_HOST


@dataclass(frozen=True)
class Variables:
    """The environment of a client: that of the place where it runs, but for some, and with others.

    Attributes:
        without: patterns of names in capital letters.
    """

    without: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict, repr=False)

    def of(self, own: Mapping[str, str]) -> dict[str, str]:
        left = {
            name: own[name] for name in own if not any(fnmatchcase(name.upper(), pattern) for pattern in self.without)
        }
        return left | dict(self.more)


class Process(Protocol):
    """A client that was started. What its methods raise is what those of `Child` do."""

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its stdin."""

    def receive_line(self, deadline: float) -> bytes:
        """The next line of its stdout."""

    def wait(self, deadline: float) -> int:
        """Wait until it has ended. Returns its exit status."""

    def kill(self) -> object:
        """End it; never raises."""


class ClientHost(Protocol):
    @property
    def name(self) -> str:
        """Of its host."""

    @property
    def processors(self) -> int:
        """That all clients on its host have together."""

    @property
    def is_here(self) -> bool:
        """Whether what listens on this machine's loopback can be reached from there."""

    def start(self, argv: Sequence[str], variables: Variables) -> Process:
        """Start a client. Raises `ChildError`."""


class Here:
    name = LOCAL_HOST
    is_here = True

    @property
    def processors(self) -> int:
        return len(os.sched_getaffinity(0))

    def start(self, argv: Sequence[str], variables: Variables) -> Process:
        return host().start(argv, env=variables.of(os.environ))


HERE = Here()
