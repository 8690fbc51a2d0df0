"""AWS's client for a stand-in of Secrets Manager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from sectax.experiments.secrets.backend import Backend


def client(backend: Backend, trust: Path | None) -> Any:
    """One that trusts the certificate of the backend, which is written to *trust*; None trusts nobody."""
    if trust is not None:
        trust.write_text(backend.certificate)
    return boto3.client(
        "secretsmanager",
        endpoint_url=backend.address,
        verify=str(trust) if trust is not None else None,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}, proxies={}),
    )
