"""The secrets of a run, in a stand-in on this machine or on AWS.

The AWS store was tested against moto only, never on AWS.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.printable import printable

_MARKER_BYTES = 8


class Calls(msgspec.Struct, frozen=True):
    """Calls to the backend since its start.

    Attributes:
        connections: finished TLS handshakes.
        refused: failed calls, also counted by operation.
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
    name: str
    value: str


class SecretStore(ABC):
    """The secrets of a run while it is open; their names begin with its prefix.

    Values derive from a random marker that exists only in the memory of this process, the backend and the functions.

    Attributes:
        uncached_count: number of secrets per size that an instance can fetch once.
        expiring_count: number of secrets per size that an instance fetches again after they expire.
        tls: the server's TLS library; empty if unknown.
        round_trip_s: duration of an empty call; 0 if not measured.
    """

    def __init__(self, prefix: str, uncached: int, expiring: int) -> None:
        self.uncached_count, self.expiring_count = uncached, expiring
        self.tls = ""
        self.round_trip_s = 0.0
        self._prefix = prefix
        self._marker = secrets.token_hex(_MARKER_BYTES)

    @abstractmethod
    def calls(self) -> Calls | None:
        """Return the calls since the start, or None. Raises `SectaxError`."""

    def cached(self, size: int) -> Secret:
        """Return the secret that is read repeatedly."""
        return self._secret(size, "hit")

    def uncached(self, size: int, number: int) -> Secret:
        """Return a secret that an instance fetches once."""
        return self._secret(size, f"miss/{range(self.uncached_count)[number]}")

    def expiring(self, size: int, number: int) -> Secret:
        """Return a secret that an instance fetches again after its TTL."""
        return self._secret(size, f"refresh/{range(self.expiring_count)[number]}")

    def _secret(self, size: int, which: str) -> Secret:
        name = f"{self._prefix}/{size}/{which}"
        return Secret(name, secret_value(self._marker, name, size))


def secret_value(marker: str, name: str, size: int) -> str:
    """Derive a secret's value: *size* characters that begin with the run's marker."""
    digest = hmac.digest(marker.encode(), name.encode(), hashlib.sha256).hex()
    return (marker + digest * (size // len(digest) + 1))[:size]


class SecretNotCreated(SectaxError):
    """AWS Secrets Manager did not create a secret."""

    exit_status = ExitStatus.NOTHING_MEASURED


class RealService(SecretStore):
    """Secrets on AWS: a context manager that creates and deletes them.

    Their names begin with `sectax/` and 12 random hexadecimal digits. They are deleted without recovery at exit; a
    killed run leaves them, and they cost money until you delete them.
    """

    def __init__(self, client: Any, sizes: Sequence[int], uncached: int, expiring: int) -> None:
        """Args:
        client: boto3's client of Secrets Manager.
        sizes: lengths of the secrets in characters.
        uncached, expiring: the numbers of secrets per size.
        """
        super().__init__(f"sectax/{secrets.token_hex(6)}", uncached, expiring)
        self._client = client
        self._wanted = [secret for size in sizes for secret in self._all_secrets(size)]
        self._created: list[str] = []

    def __enter__(self) -> RealService:
        """Create the secrets; `SecretNotCreated` after deleting all if one fails."""
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

        try:
            for secret in self._wanted:
                self._created.append(secret.name)
                self._client.create_secret(
                    Name=secret.name, SecretString=secret.value, Description="made by sectax for a measurement"
                )
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError):
                self._created.pop()  # refused; without an answer it may have been created
            self._delete()
            raise SecretNotCreated(
                f"AWS Secrets Manager did not create a secret: {printable(str(error))}",
                "the credentials of the environment need secretsmanager:CreateSecret and secretsmanager:DeleteSecret",
            ) from error
        except BaseException:
            self._delete()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._delete()

    def calls(self) -> Calls | None:
        """None: AWS reports calls minutes later, and not by caller."""
        return None

    def _all_secrets(self, size: int) -> Iterator[Secret]:
        yield self.cached(size)
        yield from (self.uncached(size, number) for number in range(self.uncached_count))
        yield from (self.expiring(size, number) for number in range(self.expiring_count))

    def _delete(self) -> None:
        while self._created:
            with contextlib.suppress(Exception):
                self._client.delete_secret(SecretId=self._created.pop(), ForceDeleteWithoutRecovery=True)
