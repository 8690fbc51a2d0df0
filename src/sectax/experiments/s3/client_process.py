"""A client process, and the conversation with it (clients/PROTOCOL.md)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from sectax.experiments.s3.access import Access
from sectax.experiments.s3.failures import Answered
from sectax.hosts.registry import host

PROTOCOL = 3

_Reply = TypeVar("_Reply", bound=msgspec.Struct)

# What one request to a client may take besides its operations.
_GRACE_S = 30.0
# A link that is slower than this is taken for a service that hangs.
_SLOWEST_BYTES_S = 1e6
_HELLO_S = 60.0
# Two clocks of one machine may differ so much over a batch.
_CLOCKS_AGREE = 1.02
_CLOCKS_AGREE_S = 2e-3


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
    """A batch: nanoseconds, one of each for every operation that was sent and counts, or for every GET.

    `buckets` has the place of its bucket for every time.
    `wall_ns`, `cpu_ns`, `peak_bytes` and `attempts` are of the ramp too; `in_flight` operations overlapped on average.
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
    in_flight: float = 0.0
    buckets: list[int] = []

    def complaint(self, count: int, spanned_s: float, at_once: int = 0) -> str | None:
        """What cannot be of a batch of so many operations, answered within so many seconds; None where nothing is."""
        longest_s = spanned_s * _CLOCKS_AGREE + _CLOCKS_AGREE_S
        if not self.elapsed_ns or len(self.elapsed_ns) + self.dropped != count:
            return f"{len(self.elapsed_ns)} times came for {count} operations"
        if self.buckets and len(self.buckets) != len(self.elapsed_ns):
            return f"{len(self.buckets)} buckets came for {count} operations"
        if self.wall_ns * 1e-9 > longest_s or max(self.elapsed_ns) > self.wall_ns:
            return "reports times that cannot be: longer than it took to get them"
        if at_once and not 0 < self.in_flight <= at_once * _CLOCKS_AGREE:
            return f"reports {self.in_flight:.3g} operations at once, and was to have {at_once}"
        if any(check > elapsed for check, elapsed in zip(self.check_ns, self.elapsed_ns, strict=False)):
            return "reports times that cannot be: the check takes longer than the whole"
        return None

    def load(self, count: int, rate: float, processors: int, at_once: int) -> dict[str, float]:
        """What the load did to its client, which may use so many processors and begins so many operations at once."""
        load = {"load_cpu_s": self.cpu_ns * 1e-9, "load_quota_s": self.wall_ns * 1e-9 * processors}
        if rate:
            load |= {"load_scheduled": float(count), "load_schedule_s": count / rate}
            load |= {"load_dropped": float(self.dropped), "load_late": float(self.late)}
            load["load_sending_s"] = self.sending_ns * 1e-9
        else:
            load |= {"load_at_once": float(at_once), "load_in_flight": self.in_flight}
        return load


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

    def __init__(self, argv: Sequence[str], access: Access, size: int, rate: float, seed: str = "") -> None:
        """Args: how it is started; the service; bytes of an object; operations per second on schedule, 0 for none; the
        seed of its first body, which it makes meanwhile.
        """
        self._size, self._rate = size, rate
        self.child = host().start(argv, env=_environment(access))
        self._send({"command": "hello", "protocol": PROTOCOL, "bytes": size, "seed": seed})

    def hello(self) -> Hello:
        """The answer to what was asked when it was started."""
        return self._receive(Hello, _HELLO_S)

    def open(self, wanted: Mapping[str, Any], objects: int) -> Opened:
        """Args: what the protocol has as members of `open`, and how many objects a client goes round."""
        self._send({"command": "open", **wanted, "objects": objects})
        return self._receive(Opened, self._patience_s(2 + objects))

    def stage(self, count: int) -> None:
        self._send({"command": "stage", "count": count})
        self._receive(_Nothing, self._patience_s(count))

    def measure(self, count: int, ramp: int = 0) -> Measured:
        """Args: how many operations; how many of them at either end do not count."""
        self._send({"command": "measure", "count": count, "ramp": ramp})
        return self._receive(Measured, self._patience_s(count))

    def clear(self, count: int) -> None:
        self._send({"command": "clear"})
        self._receive(_Nothing, self._patience_s(count))

    def close(self, left: int = 0) -> int:
        """Have it remove what it stored and end. Returns the requests that it made.

        Args:
            left: about how many objects it has not been told to remove yet.
        """
        self._send({"command": "close"})
        attempts = self._receive(Attempts, self._patience_s(1 + left)).attempts
        self.child.wait(time.monotonic() + _GRACE_S)
        return attempts

    def kill(self) -> None:
        self.child.kill()

    def _patience_s(self, operations: int) -> float:
        scheduled_s = operations / self._rate if self._rate else 0.0
        return _GRACE_S + scheduled_s + operations * (1.0 + 2 * self._size / _SLOWEST_BYTES_S)

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
