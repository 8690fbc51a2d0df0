"""An S3 client process (clients/PROTOCOL.md)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sectax.experiments.client_server.client import (
    GRACE_S,
    HELLO_S,
    ArmOpened,
    Batch,
    ClientConversation,
    EmptyReply,
    RuntimeHello,
)
from sectax.experiments.s3.access import S3Access
from sectax.hosts.places import HERE, ClientHost, Variables

PROTOCOL = 4

# Bodies and objects are staged for many batches at once.
_READY, _READY_BYTES = 32, 8 * 1024 * 1024
# A slower service is considered hanging.
_SLOWEST_BYTES_S = 1e6


class ObjectBatch(Batch, frozen=True, kw_only=True):
    """A batch of operations on objects.

    Attributes:
        attempts: requests sent, with the ramp.
        check_ns: one per GET.
        buckets: index of the bucket of every time.
    """

    attempts: int
    check_ns: list[int] = msgspec.field(default_factory=list)
    buckets: list[int] = msgspec.field(default_factory=list)

    def complaint(self, count: int, spanned_s: float, at_once: int = 0) -> str | None:
        if self.buckets and len(self.buckets) != len(self.elapsed_ns):
            return f"reported {len(self.buckets)} buckets for {count} operations"
        if any(check > elapsed for check, elapsed in zip(self.check_ns, self.elapsed_ns, strict=False)):
            return "reported impossible times: the check is longer than the operation"
        return super().complaint(count, spanned_s, at_once)


class S3Greeting(RuntimeHello, frozen=True):
    libraries: dict[str, str]


class Attempts(msgspec.Struct, frozen=True):
    attempts: int


class ClientProcess(ClientConversation):
    """Raises as `ClientConversation`."""

    def __init__(
        self, argv: Sequence[str], access: S3Access, size: int, rate: float, seed: str = "", place: ClientHost = HERE
    ) -> None:
        """Args: command; service; object bytes; operations per second, 0 for a closed loop; seed of the body; host."""
        super().__init__(argv, _variables(access), place)
        self._size, self._rate = size, rate
        self._ready = 0  # staged operations
        self.send({"command": "hello", "protocol": PROTOCOL, "bytes": size, "seed": seed})

    def hello(self) -> S3Greeting:
        return self.receive(S3Greeting, HELLO_S)

    def open(self, wanted: Mapping[str, Any], objects: int) -> ArmOpened:
        """Args: members of `open`; number of objects used in turn."""
        return self.reply(ArmOpened, self._time_limit_s(2 + objects), command="open", **wanted, objects=objects)

    def make_ready(self, count: int, ramp: int = 0) -> None:
        """Stage the operations of the next batch, and some more."""
        if self._ready < count:
            ahead = max(1, min(_READY, _READY_BYTES // max(1, self._size)))
            more = max(count - self._ready, ahead)
            self.reply(EmptyReply, self._time_limit_s(more), command="stage", count=more)
            self._ready += more

    def measure(self, count: int, ramp: int = 0) -> ObjectBatch:
        self.ask(count, ramp)
        return self.sent(count)

    def ask(self, count: int, ramp: int, start_ns: int = 0) -> None:
        """Start a batch, at *start_ns* of the client's clock, without waiting for it."""
        self.send({"command": "measure", "count": count, "ramp": ramp, "start_ns": start_ns})
        self._ready -= count

    def sent(self, count: int) -> ObjectBatch:
        return self.receive(ObjectBatch, self._time_limit_s(count))

    def clear(self, count: int) -> None:
        self.reply(EmptyReply, self._time_limit_s(count), command="clear")

    def close(self, left: int = 0) -> int:
        """Remove its objects and end; returns the number of requests.

        Args:
            left: objects to remove in addition to staged ones, for the time limit.
        """
        attempts = self.reply(Attempts, self._time_limit_s(1 + left + self._ready), command="close").attempts
        self.child.wait(time.monotonic() + GRACE_S)
        return attempts

    def _time_limit_s(self, operations: int) -> float:
        scheduled_s = operations / self._rate if self._rate else 0.0
        return GRACE_S + scheduled_s + operations * (1.0 + 2 * self._size / _SLOWEST_BYTES_S)


def _variables(access: S3Access) -> Variables:
    """Environment without other addresses or credentials."""
    if access.access_key:
        return Variables(("AWS_*",), {"AWS_EC2_METADATA_DISABLED": "true"})
    return Variables(("AWS_ENDPOINT_URL*",) if access.endpoint else ())
