"""The secrets of a run, whoever keeps them: a stand-in on this machine, or AWS.

AWS as a keeper has been tried against moto only: nobody has run it on AWS yet.
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


class SecretStore(ABC):
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

    @abstractmethod
    def calls(self) -> Calls | None:
        """What it was asked up to now; None where that cannot be counted. Raises `SectaxError`."""

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
        return Secret(name, secret_value(self._marker, name, size))


def secret_value(marker: str, name: str, size: int) -> str:
    """The secret of this name: *size* characters that begin with the run's marker."""
    digest = hmac.digest(marker.encode(), name.encode(), hashlib.sha256).hex()
    return (marker + digest * (size // len(digest) + 1))[:size]


class NotKept(SectaxError):
    """AWS Secrets Manager did not take a secret."""

    exit_status = ExitStatus.NOTHING_MEASURED


class RealService(SecretStore):
    """AWS as a keeper, and a context manager: the secrets are there inside it.

    Their names begin with `sectax/` and 12 hexadecimal digits of the run's own. What was made is deleted at once and
    for good when it closes; a run that is killed leaves them, and they cost money until somebody deletes them.
    """

    def __init__(self, client: Any, sizes: Sequence[int], rare: int, sometimes: int) -> None:
        """Args:
        client: boto3's, of Secrets Manager.
        sizes: characters of the secrets.
        rare: how many of every size an instance can fetch once each; sometimes: how many again and again.
        """
        super().__init__(f"sectax/{secrets.token_hex(6)}", rare, sometimes)
        self._client = client
        self._wanted = [secret for size in sizes for secret in self._all_secrets(size)]
        self._created: list[str] = []

    def __enter__(self) -> RealService:
        """Make them. Raises `NotKept`; what was made until then is deleted."""
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

        try:
            for secret in self._wanted:
                self._created.append(secret.name)
                self._client.create_secret(
                    Name=secret.name, SecretString=secret.value, Description="made by sectax for a measurement"
                )
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError):
                self._created.pop()  # it said no; without an answer it may have made it
            self._delete()
            raise NotKept(
                f"AWS Secrets Manager did not take a secret: {printable(str(error))}",
                "the credentials of the environment need secretsmanager:CreateSecret and secretsmanager:DeleteSecret",
            ) from error
        except BaseException:
            self._delete()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._delete()

    def calls(self) -> Calls | None:
        """None: AWS reports calls minutes later, and those of everybody."""
        return None

    def _all_secrets(self, size: int) -> Iterator[Secret]:
        yield self.often(size)
        yield from (self.rare(size, number) for number in range(self.rare_count))
        yield from (self.sometimes(size, number) for number in range(self.sometimes_count))

    def _delete(self) -> None:
        while self._created:
            with contextlib.suppress(Exception):
                self._client.delete_secret(SecretId=self._created.pop(), ForceDeleteWithoutRecovery=True)
