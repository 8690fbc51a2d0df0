"""AWS's caching library for Python, with its defaults (a TTL of an hour, 1024 secrets)."""

from __future__ import annotations

from aws_secretsmanager_caching import SecretCache

from secrets_reader import service
from secrets_reader.timing import handler

_CACHE = SecretCache(client=service.client())


def read(name: str) -> str:
    text: str = _CACHE.get_secret_string(name)
    return text


lambda_handler = handler(read)
