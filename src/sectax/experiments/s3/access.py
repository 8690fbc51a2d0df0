"""Address and credentials of an S3 service."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class S3Access:
    """Address and credentials of an S3 service.

    Attributes:
        endpoint: empty for AWS.
        access_key, secret_key: empty to use the environment or AWS's files.
        ca_pem: additional certificate to trust; empty for none.
    """

    endpoint: str
    region: str = "us-east-1"
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    ca_pem: str = field(default="", repr=False)

    def secrets(self) -> tuple[str, ...]:
        """Strings to redact."""
        return tuple(filter(None, (self.access_key, self.secret_key, self.session_token)))
