"""A client process, and the conversation with it (clients/PROTOCOL.md)."""

from __future__ import annotations

import os
import time
from typing import Any, TypeVar

import msgspec

from sectax.sandboxes.hosts import host
from sectax.stack.object_store.server import Access
from sectax.subjects.s3.encryption import SSE_C
from sectax.subjects.s3.spec import S3Spec

PROTOCOL = 1

_Reply = TypeVar("_Reply", bound=msgspec.Struct)

# What one request to a client may take besides its operations.
_GRACE_S = 30.0
# A link that is slower than this is taken for a service that hangs.
_SLOWEST_BYTES_S = 1e6
_HELLO_S = 60.0


class Answered(Exception):
    """The client answered that something went wrong: its kind, as clients/PROTOCOL.md has them, and a text."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Hello(msgspec.Struct, frozen=True):
    """Who a client is; its clock in nanoseconds."""

    client: str
    runtime: str
    libraries: dict[str, str]
    clock: dict[str, str | int]


class Opened(msgspec.Struct, frozen=True):
    """What the first object showed."""

    witnesses: dict[str, str | int | bool]


class Measured(msgspec.Struct, frozen=True):
    """A batch: nanoseconds, one of each for every operation that was sent, or for every GET.

    On a schedule `late` operations began after they were due, `dropped` ones were not sent at all, and `sending_ns` is
    how long it took to send the others.
    """

    elapsed_ns: list[int]
    wall_ns: int
    cpu_ns: int
    peak_bytes: int
    attempts: int
    first_byte_ns: list[int] = []
    check_ns: list[int] = []
    late: int = 0
    dropped: int = 0
    sending_ns: int = 0


class Attempts(msgspec.Struct, frozen=True):
    attempts: int


class _Nothing(msgspec.Struct, frozen=True):
    pass


class _Fault(msgspec.Struct, frozen=True):
    ok: bool
    kind: str = "other"
    reason: str = ""


class ClientProcess:
    """Every method but `kill` may raise `ChildError`, `Answered` and `msgspec.DecodeError`."""

    def __init__(self, spec: S3Spec) -> None:
        self._spec = spec
        self.child = host().start(spec.argv, env=_environment(spec.access))
        self._send({"command": "hello", "protocol": PROTOCOL, "bytes": spec.bytes})

    def hello(self) -> Hello:
        """The answer to what was asked when it was started."""
        return self._receive(Hello, _HELLO_S)

    def open(self, prefix: str, marker: str, objects: int) -> Opened:
        spec, access = self._spec, self._spec.access
        self._send(
            {
                "command": "open",
                "endpoint": access.endpoint,
                "region": access.region,
                "access_key": access.access_key,
                "secret_key": access.secret_key,
                "session_token": access.session_token,
                "ca_pem": access.ca_pem,
                "operation": spec.operation,
                "bytes": spec.bytes,
                "buckets": list(spec.buckets),
                "prefix": prefix,
                "encryption": spec.encryption,
                "key": spec.key if spec.encryption in (SSE_C, "client-aes-gcm") else "",
                "part_bytes": spec.part_bytes,
                "concurrency": spec.concurrency,
                "marker": marker,
                "objects": objects,
                "thorough": spec.thorough,
                "first_bytes": spec.first_bytes,
                "added_ns": round(spec.added_s * 1e9),
                "rate": spec.rate,
            }
        )
        return self._receive(Opened, self._patience_s(2 + objects))

    def stage(self, count: int) -> None:
        self._send({"command": "stage", "count": count})
        self._receive(_Nothing, self._patience_s(count))

    def measure(self, count: int) -> Measured:
        self._send({"command": "measure", "count": count})
        return self._receive(Measured, self._patience_s(count))

    def clear(self, count: int) -> None:
        self._send({"command": "clear"})
        self._receive(_Nothing, self._patience_s(count))

    def close(self) -> int:
        """Have it remove what it stored and end. Returns the requests that it made."""
        self._send({"command": "close"})
        attempts = self._receive(Attempts, self._patience_s(1)).attempts
        self.child.wait(time.monotonic() + _GRACE_S)
        return attempts

    def kill(self) -> None:
        self.child.kill()

    def _patience_s(self, operations: int) -> float:
        scheduled_s = operations / self._spec.rate if self._spec.rate else 0.0
        return _GRACE_S + scheduled_s + operations * (1.0 + 2 * self._spec.bytes / _SLOWEST_BYTES_S)

    def _send(self, request: dict[str, Any]) -> None:
        self.child.send(msgspec.json.encode(request) + b"\n", time.monotonic() + _GRACE_S)

    def _receive(self, kind: type[_Reply], longest_s: float) -> _Reply:
        line = self.child.receive_line(time.monotonic() + longest_s)
        head = msgspec.json.decode(line, type=_Fault)
        if not head.ok:
            raise Answered(head.kind, head.reason)
        return msgspec.json.decode(line, type=kind)


def _environment(access: Access) -> dict[str, str]:
    """Sectax's own, less what would lead the client to another address or other credentials than it is given."""
    own = dict(os.environ)
    if access.access_key:
        own = {name: value for name, value in own.items() if not name.startswith("AWS_")}
        own |= {"AWS_EC2_METADATA_DISABLED": "true"}
    elif access.endpoint:
        own = {name: value for name, value in own.items() if not name.startswith("AWS_ENDPOINT_URL")}
    return own
