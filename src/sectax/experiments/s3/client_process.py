"""A client process, and the conversation with it (clients/PROTOCOL.md)."""

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
    Nothing,
    RuntimeHello,
)
from sectax.experiments.s3.access import S3Access
from sectax.hosts.places import HERE, ClientHost, Variables

PROTOCOL = 4

# Bodies and objects are made ready for many turns at once: between two turns there is nothing else to do.
_READY, _READY_BYTES = 32, 8 * 1024 * 1024
# A link that is slower than this is taken for a service that hangs.
_SLOWEST_BYTES_S = 1e6


class ObjectBatch(Batch, frozen=True, kw_only=True):
    """A batch of operations on objects.

    `check_ns` has one for every GET, `buckets` the place of its bucket for every time; `peak_bytes` and `attempts` are
    of the ramp too.
    """

    attempts: int
    check_ns: list[int] = msgspec.field(default_factory=list)
    buckets: list[int] = msgspec.field(default_factory=list)

    def complaint(self, count: int, spanned_s: float, at_once: int = 0) -> str | None:
        if self.buckets and len(self.buckets) != len(self.elapsed_ns):
            return f"{len(self.buckets)} buckets came for {count} operations"
        if any(check > elapsed for check, elapsed in zip(self.check_ns, self.elapsed_ns, strict=False)):
            return "reports times that cannot be: the check takes longer than the whole"
        return super().complaint(count, spanned_s, at_once)


class S3Greeting(RuntimeHello, frozen=True):
    libraries: dict[str, str]


class Attempts(msgspec.Struct, frozen=True):
    attempts: int


class ClientProcess(ClientConversation):
    """Every method but `kill` may raise `ChildError`, `Answered` and `msgspec.DecodeError`."""

    def __init__(
        self, argv: Sequence[str], access: S3Access, size: int, rate: float, seed: str = "", place: ClientHost = HERE
    ) -> None:
        """Args: how it is started; the service; bytes of an object; operations per second on schedule, 0 for none; the
        seed of its first body, which it makes meanwhile; where it runs.
        """
        super().__init__(argv, _variables(access), place)
        self._size, self._rate = size, rate
        self._ready = 0  # operations that are staged
        self.send({"command": "hello", "protocol": PROTOCOL, "bytes": size, "seed": seed})

    def hello(self) -> S3Greeting:
        """The answer to what was asked when it was started."""
        return self.receive(S3Greeting, HELLO_S)

    def open(self, wanted: Mapping[str, Any], objects: int) -> ArmOpened:
        """Args: what the protocol has as members of `open`, and how many objects a client goes round."""
        return self.reply(ArmOpened, self._patience_s(2 + objects), command="open", **wanted, objects=objects)

    def make_ready(self, count: int, ramp: int = 0) -> None:
        """Have as many operations staged as the next batch has, and some more."""
        if self._ready < count:
            ahead = max(1, min(_READY, _READY_BYTES // max(1, self._size)))
            more = max(count - self._ready, ahead)
            self.reply(Nothing, self._patience_s(more), command="stage", count=more)
            self._ready += more

    def measure(self, count: int, ramp: int = 0) -> ObjectBatch:
        """Args: how many operations; how many of them at either end do not count."""
        self.ask(count, ramp)
        return self.sent(count)

    def ask(self, count: int, ramp: int, start_ns: int = 0) -> None:
        """Have a batch run, from when the client's clock shows *start_ns*, without waiting for it."""
        self.send({"command": "measure", "count": count, "ramp": ramp, "start_ns": start_ns})
        self._ready -= count

    def sent(self, count: int) -> ObjectBatch:
        """The batch that was asked for."""
        return self.receive(ObjectBatch, self._patience_s(count))

    def clear(self, count: int) -> None:
        self.reply(Nothing, self._patience_s(count), command="clear")

    def close(self, left: int = 0) -> int:
        """Have it remove what it stored and end. Returns the requests that it made.

        Args:
            left: about how many of its objects were not removed yet, besides those that are staged.
        """
        attempts = self.reply(Attempts, self._patience_s(1 + left + self._ready), command="close").attempts
        self.child.wait(time.monotonic() + GRACE_S)
        return attempts

    def _patience_s(self, operations: int) -> float:
        scheduled_s = operations / self._rate if self._rate else 0.0
        return GRACE_S + scheduled_s + operations * (1.0 + 2 * self._size / _SLOWEST_BYTES_S)


def _variables(access: S3Access) -> Variables:
    """Without what would lead the client to another address or other credentials than it is given."""
    if access.access_key:
        return Variables(("AWS_*",), {"AWS_EC2_METADATA_DISABLED": "true"})
    return Variables(("AWS_ENDPOINT_URL*",) if access.endpoint else ())
