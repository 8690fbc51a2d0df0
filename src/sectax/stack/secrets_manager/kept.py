"""The secrets of a run, whoever keeps them: a stand-in on this machine, or AWS."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

import msgspec

_MARKER_BYTES = 8


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


class Keeper:
    """Keeps the secrets of a run while it is open, under names that begin with its prefix.

    What it keeps is made of a random marker that exists in the memory of this process, of who answers and of whoever
    fetches a secret, and nowhere else.

    Attributes:
        rare_count: how many secrets of every size an instance can fetch once each.
        sometimes_count: how many of every size it can fetch whenever its cache has let them go.
        tls: the library that answers; empty where it is not known.
        round_trip_s: what a call took that asks for nothing; 0 where it was not measured.
    """

    def __init__(self, prefix: str, rare: int, sometimes: int) -> None:
        self.rare_count, self.sometimes_count = rare, sometimes
        self.tls = ""
        self.round_trip_s = 0.0
        self._prefix = prefix
        self._marker = secrets.token_hex(_MARKER_BYTES)

    def calls(self) -> Calls | None:
        """What it was asked up to now; None where that cannot be counted. Raises `SectaxError`."""
        raise NotImplementedError

    def often(self, size: int) -> Secret:
        """The secret that is fetched again and again."""
        return self._secret(size, "hit")

    def rare(self, size: int, number: int) -> Secret:
        """A secret that an instance has not fetched yet."""
        return self._secret(size, f"miss/{range(self.rare_count)[number]}")

    def sometimes(self, size: int, number: int) -> Secret:
        """A secret that an instance fetches again after its TTL."""
        return self._secret(size, f"refresh/{range(self.sometimes_count)[number]}")

    def _secret(self, size: int, which: str) -> Secret:
        name = f"{self._prefix}/{size}/{which}"
        return Secret(name, value_of(self._marker, name, size))


def value_of(marker: str, name: str, size: int) -> str:
    """The secret of this name: *size* characters that begin with the run's marker."""
    digest = hmac.digest(marker.encode(), name.encode(), hashlib.sha256).hex()
    return (marker + digest * (size // len(digest) + 1))[:size]
