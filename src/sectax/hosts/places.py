"""Hosts of client processes: this machine, or a worker of a cluster."""

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
    """Changes of a client's environment; `without`: patterns of removed names."""

    without: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict, repr=False)

    def of(self, own: Mapping[str, str]) -> dict[str, str]:
        def is_removed(name: str) -> bool:
            return any(fnmatchcase(name.upper(), pattern) for pattern in self.without)

        return {name: own[name] for name in own if not is_removed(name)} | dict(self.more)


class Process(Protocol):
    """A started client; methods as of `Child`."""

    def send(self, data: bytes, deadline: float) -> None: ...

    def receive_line(self, deadline: float) -> bytes: ...

    def wait(self, deadline: float) -> int: ...

    def kill(self) -> object: ...


class ClientHost(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def processors(self) -> int:
        """Number of processors that all clients on the host share."""

    @property
    def is_here(self) -> bool:
        """Whether this machine's loopback is reachable."""

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
