"""A client as a process of its own, the conversation with it in lines of JSON, and the times of a batch of requests."""

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
# What one request to a client may take besides its operations.
GRACE_S = 30.0
HELLO_S = 60.0
# Two clocks of one machine may differ so much over a batch.
_CLOCKS_AGREE = 1.02
_CLOCKS_AGREE_S = 2e-3


class Answered(Exception):
    """A client answered that something went wrong: its kind, as the client's protocol has them, and a text."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Times in nanoseconds, one for every operation that was sent and counts.

    `wall_ns` and `cpu_ns` are of the ramp too; `in_flight` operations overlapped on average. On a schedule `late`
    operations began after they were due, `dropped` ones were not sent at all, and `sending_ns` is how long it took to
    send the others. `started_ns` is when it began, by the clock of `now`; with `one_thread` no second processor could
    have helped. Of several clients (`together`): how long after the agreed start the last one
    began at most, how many used up
    their part of the processors, and the processors that they could use; `hosts` has what was counted of each host's.
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
        """What cannot be of a batch of so many operations, answered within so many seconds; None where nothing is."""
        longest_s = spanned_s * _CLOCKS_AGREE + _CLOCKS_AGREE_S
        if not self.elapsed_ns or len(self.elapsed_ns) + self.dropped != count:
            return f"{len(self.elapsed_ns)} times came for {count} operations"
        if self.wall_ns * 1e-9 > longest_s or max(self.elapsed_ns) > self.wall_ns:
            return "reports times that cannot be: longer than it took to get them"
        if at_once and not 0 < self.in_flight <= at_once * _CLOCKS_AGREE:
            return f"reports {self.in_flight:.3g} operations at once, and was to have {at_once}"
        return None

    def load(self, count: int, rate: float, at_once: int) -> dict[str, float]:
        """What the load did to its client, which begins so many operations at once."""
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
    """How many of these processors a client can use."""
    return min(1.0, processors) if one_thread else processors


class Overlap:
    """What batches showed of a load: for the witnesses of a subject that is closed."""

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
            so_far = self._hosts.setdefault(name, dict.fromkeys(counts, 0))
            self._hosts[name] = {what: so_far[what] + count for what, count in counts.items()}

    def witnesses(self) -> Witnesses:
        """Of several at once, `in_flight`; of several clients, how many, and the most that went wrong in one batch."""
        witnesses: Witnesses = {"in_flight": round(statistics.fmean(self._in_flight), 2)} if self._in_flight else {}
        if self._clients > 1:
            witnesses |= {"clients": self._clients, "clients_saturated": self._saturated}
            witnesses |= {"latest_start_s": round(self._late_start_s, 6)}
        for name, counts in self._hosts.items():
            witnesses |= {f"{what} on {name}": count for what, count in counts.items()}
        return witnesses


class ClientGreeting(msgspec.Struct, frozen=True):
    """Who a client is; its clock in nanoseconds."""

    client: str
    clock: dict[str, str | int]


class RuntimeHello(ClientGreeting, frozen=True):
    """A client that runs on something whose version matters."""

    runtime: str


class ArmOpened(msgspec.Struct, frozen=True):
    """What the first operation showed."""

    witnesses: Witnesses


class Now(msgspec.Struct, frozen=True):
    """What a client's own clock shows."""

    now_ns: int


class Nothing(msgspec.Struct, frozen=True):
    """A reply without members."""


class _Fault(msgspec.Struct, frozen=True):
    ok: bool
    kind: str = "other"
    reason: str = ""


class ClientConversation:
    """A client process that answers one line with one line. Every method but `kill` may raise `ChildError`.

    `receive` may raise `Answered` and `msgspec.DecodeError` too.
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
            raise Answered(head.kind, head.reason)
        return msgspec.json.decode(line, type=kind)

    def reply(self, kind: type[_Reply], longest_s: float, **request: Any) -> _Reply:
        """Send a request, and wait for what it answers."""
        self.send(request)
        return self.receive(kind, longest_s)

    def now_ns(self) -> int:
        """What its clock shows."""
        return self.reply(Now, GRACE_S, command="now").now_ns

    def telemetry(self) -> Telemetry:
        """What the kernel knows of it, where it is this machine's."""
        return host().telemetry(self.child) if isinstance(self.child, Child) else NoTelemetry()

    def kill(self) -> None:
        self.child.kill()


class SharedProcess(Generic[_Hello]):
    """One client process for all arms of a cell: started with the first, ended with the last.

    What its methods raise is what `ClientConversation` does.

    Attributes:
        kind: how it is spoken to.
    """

    kind: type[ClientConversation] = ClientConversation

    def __init__(self, argv: Sequence[str], greeting: type[_Hello], place: ClientHost = HERE) -> None:
        """Args: its command; what it answers to `hello`; where it runs."""
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
        # Proxies, certificates and resolvers that an environment names are not those of the arms.
        return Variables(without=("*_PROXY", "SSLKEYLOGFILE", "GODEBUG"))

    def join(self, arm: str) -> None:
        """Start the process for this arm, unless it runs for another one already."""
        if self._conversation is None:
            self._conversation = self.kind(self._argv, self.variables(), self._place)
            self._conversation.send({"command": "hello"})
        self._arms.add(arm)

    def hello(self) -> _Hello:
        """Who it is; its answer is awaited once."""
        if self._hello is None:
            self._hello = self.conversation.receive(self._greeting, HELLO_S)
        return self._hello

    def leave(self, arm: str) -> None:
        """Forget an arm; the process ends with the last one. Never raises."""
        self._arms.discard(arm)
        if not self._arms and self._conversation is not None:
            self._conversation.kill()
            self._conversation = self._hello = None
