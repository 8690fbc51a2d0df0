"""The service itself, through a client that is made anew for every reading."""

from __future__ import annotations

from secrets_reader import service
from secrets_reader.timing import handler


def read(name: str) -> str:
    text: str = service.client().get_secret_value(SecretId=name)["SecretString"]
    return text


lambda_handler = handler(read)
