"""AWS Secrets Manager itself: the secrets of a run are made there, and deleted when it ends.

This has been tried against moto only: nobody has run it on AWS yet.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from sectax.model.errors import ExitStatus, SectaxError
from sectax.model.printable import printable
from sectax.stack.secrets_manager.kept import Calls, Keeper, Secret


class NotKept(SectaxError):
    """AWS Secrets Manager did not take a secret."""

    exit_status = ExitStatus.NOTHING_MEASURED


class RealService(Keeper):
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
        self._wanted = [secret for size in sizes for secret in self._every(size)]
        self._made: list[str] = []

    def __enter__(self) -> RealService:
        """Make them. Raises `NotKept`; what was made until then is deleted."""
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

        try:
            for each in self._wanted:
                self._made.append(each.name)
                self._client.create_secret(
                    Name=each.name, SecretString=each.value, Description="made by sectax for a measurement"
                )
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError):
                self._made.pop()  # it said no; without an answer it may have made it
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
        """None: AWS tells of calls minutes later, and of those of everybody."""
        return None

    def _every(self, size: int) -> Iterator[Secret]:
        yield self.often(size)
        yield from (self.rare(size, number) for number in range(self.rare_count))
        yield from (self.sometimes(size, number) for number in range(self.sometimes_count))

    def _delete(self) -> None:
        while self._made:
            with contextlib.suppress(Exception):
                self._client.delete_secret(SecretId=self._made.pop(), ForceDeleteWithoutRecovery=True)
