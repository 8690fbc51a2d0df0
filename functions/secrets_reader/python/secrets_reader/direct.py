"""The service itself, through a client that is kept."""

from __future__ import annotations

from secrets_reader import service
from secrets_reader.timing import handler

_CLIENT = service.client()


def read(name: str) -> str:
    return service.secret_of(_CLIENT.get_secret_value(SecretId=name))


lambda_handler = handler(read)
