"""Settings and constants of the server."""

from __future__ import annotations

import platform
from dataclasses import dataclass

PAYLOAD_BYTES = 6 * 1024 * 1024  # of an invocation, in each direction: AWS Lambda quotas
ACCOUNT, REGION = "000000000000", "us-east-1"  # in ARNs and the functions' environment
# The address of the Runtime API and the Extensions API in an instance, as on Lambda.
API_HOST, API_PORT = "127.0.0.1", 9001
NAME = "lambda-local"  # prefix of folders and control groups, by which a later server finds leftovers


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a local Lambda.

    Attributes:
        port: 0 chooses a free one.
        instances: maximum over all functions, including those that are stopping; above it callers get TooManyRequests.
        idle_s: seconds without an event after which an instance is stopped.
        init_s: seconds of a new instance before its first event.
        allow: host and port that functions may connect to, as 127.0.0.1 and the same port.
    """

    port: int = 0
    instances: int = 10
    idle_s: float = 300.0
    init_s: float = 10.0
    allow: tuple[tuple[str, int], ...] = ()


def architecture() -> str:
    """Return Lambda's name of this machine's architecture: `x86_64` or `arm64`."""
    machine = platform.machine()
    return "arm64" if machine == "aarch64" else machine
