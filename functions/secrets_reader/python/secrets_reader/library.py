"""AWS's caching library for Python, with its defaults (a TTL of an hour, 1024 secrets) or a TTL of SECRETS_TTL seconds.

It asks again after half of its TTL at the earliest, by the time of day.
"""

from __future__ import annotations

from aws_secretsmanager_caching import SecretCache, SecretCacheConfig

from secrets_reader import service
from secrets_reader.timing import handler
from secrets_reader.ttl import ttl_s

_TTL_S = ttl_s()
_CONFIG = SecretCacheConfig() if _TTL_S is None else SecretCacheConfig(secret_refresh_interval=_TTL_S)
_CACHE = SecretCache(config=_CONFIG, client=service.client())


def read(name: str) -> str:
    return service.secret_of({"SecretString": _CACHE.get_secret_string(name)})


lambda_handler = handler(read)
