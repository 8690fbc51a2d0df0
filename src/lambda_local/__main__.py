"""The server as a process of its own: settings as one line on stdin, one line back when it is ready, gone with stdin.

It is started by `local.LocalLambda`.
"""

from __future__ import annotations

import os
import sys

import msgspec

from lambda_local.settings import Ready, Settings
from sectax.model.errors import SectaxError


def _line() -> bytes:
    """Read unbuffered: what follows the line belongs to the event loop."""
    line = b""
    while not line.endswith(b"\n"):
        read = os.read(0, 1)
        if not read:
            sys.exit(0)
        line += read
    return line


def _say(ready: Ready) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(ready) + b"\n")
    sys.stdout.flush()


def _serve() -> None:
    # asyncio takes TLS along where it finds it, and does without elsewhere: 1 MB that loopback has no use for.
    sys.modules["ssl"] = None  # type: ignore[assignment]
    from lambda_local.main import serve

    try:
        serve(
            msgspec.json.decode(_line(), type=Settings),
            lambda endpoint: _say(Ready(endpoint)),
            until_stdin_ends=True,
        )
    except SectaxError as error:
        _say(Ready("", error.message, error.hint))


if __name__ == "__main__":
    _serve()
