"""How the server is configured."""

from __future__ import annotations

import platform
from dataclasses import dataclass

PAYLOAD_BYTES = 6 * 1024 * 1024  # of an invocation, in each direction: AWS Lambda quotas
ACCOUNT, REGION = "000000000000", "us-east-1"  # what ARNs and the functions' environment say
# Where the programs of an instance find the Runtime API and the Extensions API: the address that Lambda uses.
API_HOST, API_PORT = "127.0.0.1", 9001
NAME = "lambda-local"  # of the folders and control groups by which a later server finds what a dead one left


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a local Lambda runs.

    Attributes:
        port: 0 takes a free one.
        instances: the most that may be there at once, over all functions and those that end, too; past it callers get
            TooManyRequests.
        idle_s: seconds after which an instance that nobody calls is ended.
        init_s: seconds that a new instance has before its first event.
        allow: host and port of what functions may connect to, at 127.0.0.1 and the same port.
    """

    port: int = 0
    instances: int = 10
    idle_s: float = 300.0
    init_s: float = 10.0
    allow: tuple[tuple[str, int], ...] = ()


def architecture() -> str:
    """The machine's processor as Lambda names it: `x86_64`, or `arm64` for the kernel's aarch64."""
    machine = platform.machine()
    return "arm64" if machine == "aarch64" else machine
