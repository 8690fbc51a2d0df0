"""A boto3 client of Secrets Manager. AWS's own variables say where it is and whom to trust; nothing is tried twice."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config

_CONFIG = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=10)


def client() -> Any:
    return boto3.client("secretsmanager", config=_CONFIG)
