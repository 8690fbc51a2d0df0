"""The service itself, through a client that is made anew for every reading."""

from __future__ import annotations

from secrets_reader import service
from secrets_reader.timing import handler


def read(name: str) -> str:
    return service.secret_of(service.client().get_secret_value(SecretId=name))


lambda_handler = handler(read)
