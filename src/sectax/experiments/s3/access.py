"""Where an S3 service is, and the credentials for it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class S3Access:
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
