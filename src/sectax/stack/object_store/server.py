"""What an S3 server is to the rest of the house, so that another kind can stand beside MinIO."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sectax.model.errors import ExitStatus, SessionOver
from sectax.model.why_not import WhyNot


class ServerFailed(SessionOver):
    """The server did not start, or ended while it was needed."""

    exit_status = ExitStatus.NOTHING_MEASURED


@dataclass(frozen=True)
class Access:
    """Where an S3 service is, and the credentials for it.

    Attributes:
        endpoint: its address; empty for AWS's own.
        access_key, secret_key: empty where the environment or AWS's files have them.
        ca_pem: the certificate to trust besides the system's; empty for none.
    """

    endpoint: str
    region: str = "us-east-1"
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    ca_pem: str = field(default="", repr=False)

    def secrets(self) -> tuple[str, ...]:
        """What may stand in no record, log or message."""
        return tuple(filter(None, (self.access_key, self.secret_key, self.session_token)))


class ObjectServer(Protocol):
    """One server process. It holds no data that is worth keeping.

    Attributes:
        name, version: for reports.
        access: how clients reach it, once it is started.
        data: where it keeps its objects.
    """

    name: str
    version: str
    access: Access
    data: Path

    @property
    def pid(self) -> int:
        """The process whose CPU time is the server's."""

    def start(self) -> None:
        """Start it and wait until it answers. Raises `ServerFailed`."""

    def check(self) -> None:
        """Raises `ServerFailed` with what it said last where it has ended."""

    def stop(self) -> None:
        """End it and remove its data; may be called again and again, never raises."""

    @staticmethod
    def lacks(encryption: str) -> WhyNot | None:
        """Why it cannot encrypt in this way, TLS aside; None where it can."""
