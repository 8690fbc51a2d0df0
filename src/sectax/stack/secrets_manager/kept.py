"""The secrets of a run, whoever keeps them: a stand-in on this machine, or AWS."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Protocol

import msgspec


class Calls(msgspec.Struct, frozen=True):
    """What the backend was asked since its start.

    Attributes:
        connections: finished TLS handshakes.
        refused: calls that were not answered rightly; they are among the others too.
    """

    get: int = msgspec.field(name="GetSecretValue")
    describe: int = msgspec.field(name="DescribeSecret")
    other: int
    refused: int
    connections: int

    @property
    def all(self) -> int:
        return self.get + self.describe + self.other


@dataclass(frozen=True)
class Secret:
    """The name of a secret, and what it holds."""

    name: str
    value: str


class Keeper(Protocol):
    """Keeps the secrets of a run while it is open.

    Attributes:
        rare_count: how many secrets of every size an instance can fetch once each.
        tls: the library that answers; empty where it is not known.
        round_trip_s: what a call took that asks for nothing; 0 where it was not measured.
    """

    rare_count: int
    tls: str
    round_trip_s: float

    def calls(self) -> Calls | None:
        """What it was asked up to now; None where that cannot be counted. Raises `SectaxError`."""

    def often(self, size: int) -> Secret:
        """The secret that is fetched again and again."""

    def rare(self, size: int, number: int) -> Secret:
        """A secret that an instance has not fetched yet."""

    def sometimes(self, size: int, number: int) -> Secret:
        """A secret that an instance fetches again after its TTL."""


def value_of(marker: str, name: str, size: int) -> str:
    """The secret of this name: *size* characters that begin with the run's marker."""
    digest = hmac.digest(marker.encode(), name.encode(), hashlib.sha256).hex()
    return (marker + digest * (size // len(digest) + 1))[:size]
