"""How the service is configured."""

from __future__ import annotations

import msgspec

PAYLOAD_BYTES = 6 * 1024 * 1024  # of a synchronous invocation, in each direction: AWS Lambda quotas
STREAM_BYTES = 200 * 1024 * 1024  # of an answer that is streamed: AWS Lambda quotas, since July 2025
ACCOUNT = "000000000000"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a local Lambda runs.

    Attributes:
        host: a loopback address. port: 0 takes a free one.
        instances: the most that may be alive at once, over all functions; past it callers get TooManyRequests.
        idle_s: seconds after which an instance that nobody calls is ended.
        region: what ARNs and the functions' AWS_REGION say.
        init_s: seconds that a new instance has before its first event.
        state: a folder that functions and layers are kept in; empty where they end with the server.
        logs: a file for what functions write, or `-` for stdout; empty for none.
        allow: host and port of what functions may connect to, at 127.0.0.1 and the same port.
        retry_s: seconds before an `Event` invocation is repeated; twice as many before the second repetition.
        cpu_share: whether instances get their CPU quota; False only where this machine has none to give.
        exact_share: whether answers are held until an exact quota would have let the function give them. The kernel's
            own, which AWS's figures show too, lets short work have several milliseconds more.
    """

    host: str = "127.0.0.1"
    port: int = 0
    instances: int = 10
    idle_s: float = 300.0
    region: str = "us-east-1"
    init_s: float = 10.0
    state: str = ""
    logs: str = ""
    allow: tuple[tuple[str, int], ...] = ()
    retry_s: float = 1.0
    cpu_share: bool = True
    exact_share: bool = False


class Ready(msgspec.Struct):
    """What a server in a process of its own says when it has started, or could not."""

    endpoint: str
    error: str = ""
    hint: str = ""
