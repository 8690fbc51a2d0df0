"""A boto3 client of Secrets Manager. AWS's own variables say where it is and whom to trust; nothing is tried twice."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config

from secrets_reader.timing import NotRead

_CONFIG = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=10)


def client() -> Any:
    return boto3.client("secretsmanager", config=_CONFIG)


def secret_of(answer: dict[str, Any]) -> str:
    """The secret in an answer of GetSecretValue. boto3 takes half an answer for one, in which there is none."""
    text = answer.get("SecretString")
    if not isinstance(text, str):
        raise NotRead("the service's answer holds no secret")
    return text
