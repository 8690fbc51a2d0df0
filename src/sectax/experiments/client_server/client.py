"""Client processes, their JSON-lines protocol, and the times of a batch."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from sectax.hosts.places import HERE, ClientHost, Variables
from sectax.hosts.process.child import Child
from sectax.hosts.process.telemetry import NoTelemetry
from sectax.hosts.registry import Telemetry, host
from sectax.model.subject import Witnesses

_Reply = TypeVar("_Reply", bound=msgspec.Struct)
_Hello = TypeVar("_Hello", bound=msgspec.Struct)

_ALL = Variables()
# Time for a request to a client on top of its operations.
GRACE_S = 30.0
HELLO_S = 60.0
# Tolerated difference between two clocks of one machine over a batch.
_CLOCKS_AGREE = 1.02
_CLOCKS_AGREE_S = 2e-3


class ClientFailure(Exception):
    """An error reply of a client; `kind` is defined by the client's protocol."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one batch, in nanoseconds.

    Attributes:
        elapsed_ns, first_byte_ns: one per counted operation.
        wall_ns, cpu_ns: of the whole batch, with its ramp.
        in_flight: mean number of concurrent operations.
        late, dropped, sending_ns: on a schedule, operations sent late or never, and the time to send the others.
        started_ns: start by the clock of `now`.
        one_thread: whether the client can use one processor only.
        late_start_ns, saturated, processors: of several clients, the latest start after the agreed one, clients
            limited by their CPU share, and processors available.
        hosts: counts by host.
    """

    elapsed_ns: list[int]
    wall_ns: int
    cpu_ns: int
    first_byte_ns: list[int] = []
    late: int = 0
    dropped: int = 0
    sending_ns: int = 0
    in_flight: float = 0.0
    peak_bytes: int = 0
    started_ns: int = 0
    one_thread: bool = False
    late_start_ns: int = 0
    saturated: int = 0
    processors: float = 0.0
    hosts: dict[str, dict[str, int]] = {}

    def complaint(self, count: int, spanned_s: float, at_once: int = 0) -> str | None:
        """Reason why these times are impossible, or None."""
        longest_s = spanned_s * _CLOCKS_AGREE + _CLOCKS_AGREE_S
        if not self.elapsed_ns or len(self.elapsed_ns) + self.dropped != count:
            return f"reported {len(self.elapsed_ns)} times for {count} operations"
        if self.wall_ns * 1e-9 > longest_s or max(self.elapsed_ns) > self.wall_ns:
            return "reported impossible times: longer than the batch took"
        if at_once and not 0 < self.in_flight <= at_once * _CLOCKS_AGREE:
            return f"reported {self.in_flight:,.6g} concurrent operations instead of {at_once}"
        return None

    def load(self, count: int, rate: float, at_once: int) -> dict[str, float]:
        """Telemetry of the load generator."""
        processors = self.processors or usable(HERE.processors, self.one_thread)
        load = {"load_cpu_s": self.cpu_ns * 1e-9, "load_quota_s": self.wall_ns * 1e-9 * processors}
        if rate:
            load |= {"load_scheduled": float(count), "load_schedule_s": count / rate}
            load |= {"load_dropped": float(self.dropped), "load_late": float(self.late)}
            load["load_sending_s"] = self.sending_ns * 1e-9
        else:
            load |= {"load_at_once": float(at_once), "load_in_flight": self.in_flight}
        return load


def usable(processors: float, one_thread: bool) -> float:
    """Processors that a client can use."""
    return min(1.0, processors) if one_thread else processors


class Overlap:
    """Load statistics over all batches, for the witnesses at close."""

    def __init__(self, clients: int) -> None:
        self._clients = clients
        self._in_flight: list[float] = []
        self._late_start_s, self._saturated = 0.0, 0
        self._hosts: dict[str, dict[str, int]] = {}

    def add(self, batch: Batch, ramp: int) -> None:
        if ramp:
            self._in_flight.append(batch.in_flight)
        self._late_start_s = max(self._late_start_s, batch.late_start_ns * 1e-9)
        self._saturated = max(self._saturated, batch.saturated)
        for name, counts in batch.hosts.items():
            totals = self._hosts.setdefault(name, dict.fromkeys(counts, 0))
            self._hosts[name] = {key: totals[key] + count for key, count in counts.items()}

    def witnesses(self) -> Witnesses:
        witnesses: Witnesses = {"in_flight": round(statistics.fmean(self._in_flight), 2)} if self._in_flight else {}
        if self._clients > 1:
            witnesses |= {"clients": self._clients, "clients_saturated": self._saturated}
            witnesses |= {"latest_start_s": round(self._late_start_s, 6)}
        for name, counts in self._hosts.items():
            witnesses |= {f"{key} on {name}": count for key, count in counts.items()}
        return witnesses


class ClientGreeting(msgspec.Struct, frozen=True):
    """A client's name, and its clock (in nanoseconds)."""

    client: str
    clock: dict[str, str | int]


class RuntimeHello(ClientGreeting, frozen=True):
    """Greeting with the version of the client's runtime."""

    runtime: str


class ArmOpened(msgspec.Struct, frozen=True):
    """Witnesses of the first operation."""

    witnesses: Witnesses


class Now(msgspec.Struct, frozen=True):
    """Reading of a client's clock."""

    now_ns: int


class EmptyReply(msgspec.Struct, frozen=True):
    """A reply without members."""


class _Fault(msgspec.Struct, frozen=True):
    ok: bool
    kind: str = "other"
    reason: str = ""


class ClientConversation:
    """A client process that answers each line with one line.

    Raises:
        ChildError: from every method but `kill`.
        Answered, msgspec.DecodeError: from `receive`.
    """

    def __init__(self, argv: Sequence[str], variables: Variables = _ALL, place: ClientHost = HERE) -> None:
        self.child = place.start(argv, variables)

    def send(self, request: dict[str, Any]) -> None:
        self.send_line(msgspec.json.encode(request))

    def send_line(self, line: bytes) -> None:
        self.child.send(line + b"\n", time.monotonic() + GRACE_S)

    def receive(self, kind: type[_Reply], longest_s: float) -> _Reply:
        line = self.child.receive_line(time.monotonic() + longest_s)
        head = msgspec.json.decode(line, type=_Fault)
        if not head.ok:
            raise ClientFailure(head.kind, head.reason)
        return msgspec.json.decode(line, type=kind)

    def reply(self, kind: type[_Reply], longest_s: float, **request: Any) -> _Reply:
        """Send a request and wait for the answer."""
        self.send(request)
        return self.receive(kind, longest_s)

    def now_ns(self) -> int:
        return self.reply(Now, GRACE_S, command="now").now_ns

    def telemetry(self) -> Telemetry:
        """Kernel telemetry of a local process; nothing for a remote one."""
        return host().telemetry(self.child) if isinstance(self.child, Child) else NoTelemetry()

    def kill(self) -> None:
        self.child.kill()


class SharedProcess(Generic[_Hello]):
    """A client process shared by all arms of a cell; ends with the last one.

    Raises as `ClientConversation`.
    """

    kind: type[ClientConversation] = ClientConversation

    def __init__(self, argv: Sequence[str], greeting: type[_Hello], place: ClientHost = HERE) -> None:
        """Args: its command; the type of its reply to `hello`; its host."""
        self._argv, self._greeting, self._place = tuple(argv), greeting, place
        self._arms: set[str] = set()
        self._conversation: ClientConversation | None = None
        self._hello: _Hello | None = None

    @property
    def conversation(self) -> ClientConversation:
        if self._conversation is None:
            raise RuntimeError("the client was not started")
        return self._conversation

    def telemetry(self) -> Telemetry:
        return self.conversation.telemetry()

    def variables(self) -> Variables:
        # A user's proxies, key logs and Go settings would change the measurement.
        return Variables(without=("*_PROXY", "SSLKEYLOGFILE", "GODEBUG"))

    def join(self, arm: str) -> None:
        """Start the process unless another arm did."""
        if self._conversation is None:
            self._conversation = self.kind(self._argv, self.variables(), self._place)
            self._conversation.send({"command": "hello"})
        self._arms.add(arm)

    def hello(self) -> _Hello:
        """Reply to `hello`, read once."""
        if self._hello is None:
            self._hello = self.conversation.receive(self._greeting, HELLO_S)
        return self._hello

    def leave(self, arm: str) -> None:
        """Drop an arm, and end the process after the last one; never raises."""
        self._arms.discard(arm)
        if not self._arms and self._conversation is not None:
            self._conversation.kill()
            self._conversation = self._hello = None
