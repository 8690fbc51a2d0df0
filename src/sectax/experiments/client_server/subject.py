"""Base class of subjects measured through a client process."""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.client_server.load import GENERATIONS
from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.on_probe.failures import redaction
from sectax.hosts.process.errors import ChildDied, ChildError, ChildSilent
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Telemetry
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Visit, Witness, Witnesses, Work
from sectax.text.printable import printable

_Trouble = (ChildError, ClientFailure, msgspec.DecodeError)
_Answer = TypeVar("_Answer")
# Failure kind of a client's protocol -> meaning and hint.
Meanings = Mapping[str, tuple[str, str]]


class ClientSubject(ABC):
    """Base class of a `Subject` whose operations a client process does.

    Attributes:
        whose: the client's name in messages.
        meanings: meaning and hint by failure kind.
        other: meaning and hint of any other kind; `{kind}` is replaced.
    """

    whose = "the client"
    meanings: Meanings = MappingProxyType({})
    other = ("it failed", "report it")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Args: strings to redact from messages."""
        self.first: tuple[Observation, ...] = ()
        self._telemetry: Telemetry = NoTelemetry()
        self._stage = "open"
        self._clock = ""
        self._redacted = redaction(secrets)

    @abstractmethod
    def _title(self) -> str:
        """Prefix of messages."""

    @abstractmethod
    def _batch(self, count: int) -> object:
        """Do *count* operations, and check the reported times."""

    @abstractmethod
    def _measure(self, count: int) -> Visit:
        """Measure *count* operations."""

    def visit(self, work: Work) -> Visit:
        """Do `work.settle` operations unrecorded, then measure `work.count`."""
        if work.extra:
            raise ValueError("extra operations are not supported; a known cost is the spec's added_s")
        if work.settle:
            self._batch(work.settle)
        return self._measure(work.count)

    @abstractmethod
    def _leave(self) -> None:
        """Leave the client at once; never raises."""

    def _check_server(self) -> None:  # noqa: B027 - optional
        """Raise `ServerFailed` if the run's own server ended."""

    def _skipped(self, error: ClientFailure) -> SubjectSkipped | None:
        """Convert an error that means "not supported" into a skip."""
        return None

    def kill(self) -> None:
        """Release the arm at once; never raises."""
        self._telemetry.close()
        self._leave()

    @contextlib.contextmanager
    def _readable_errors(self, doing: str) -> Iterator[None]:
        """Convert client errors into readable ones, and release the arm."""
        try:
            yield
        except _Trouble as error:
            raise self._failed(error, doing) from error

    def _begin_visits(self, clock: Mapping[str, str | int], telemetry: Telemetry) -> Witnesses:
        """Note clock and telemetry for the visits; returns the clock's witnesses."""
        self._clock, self._telemetry, self._stage = str(clock["name"]), telemetry, "visit"
        return {
            "clock": self._clock,
            "clock_granularity_s": int(clock["granularity_ns"]) * 1e-9,
            "clock_read_s": int(clock["read_ns"]) * 1e-9,
        }

    def _watched(self, ask: Callable[[], _Answer]) -> tuple[_Answer, float, dict[str, float]]:
        """Ask the client; returns its answer, the seconds elapsed, and telemetry."""
        before, began = self._telemetry.read(), time.monotonic()
        answer = ask()
        spanned_s, after = time.monotonic() - began, self._telemetry.read()
        return answer, spanned_s, difference(before, after) | {"spanned_s": spanned_s}

    def _times(self, metric: str, nanoseconds: Sequence[int]) -> list[Observation]:
        return [Observation(metric, elapsed * 1e-9, "s", self._clock, 1) for elapsed in nanoseconds]

    def _failed(self, error: Exception, doing: str) -> Exception:
        if isinstance(error, ClientFailure) and (skipped := self._skipped(error)):
            self.kill()
            return skipped
        try:
            self._check_server()
        except ServerFailed as ended:
            self.kill()
            return ended
        return self._failure(*self._explain(error, doing))

    def _explain(self, error: Exception, doing: str) -> tuple[str, str]:
        """Message and hint for an error."""
        match error:
            case ClientFailure():
                other = (self.other[0].format(kind=error.kind), self.other[1])
                meaning, hint = self.meanings.get(error.kind, other)
                return f"{meaning} ({error.reason})", hint
            case ChildDied(out_of_memory=True):
                return f"{self.whose} was killed for memory ({doing})", "free some memory, or lower the concurrency"
            case ChildSilent():
                silent = f"{self.whose} did not answer to {doing} within {error.seconds:.0f} s"
                return silent, "check whether the machine is overloaded"
            case ChildDied():
                last = f"; {error.last_line}" if error.last_line else ""
                return f"{self.whose} ended ({doing}): {error}{last}", "report it"
        return f"{self.whose} failed ({doing}): {error}", "report it"

    def _failure(self, message: str, hint: str) -> SubjectFailed:
        self.kill()
        safe = printable(self._redacted(f"{self._title()}: {message}"))
        return SubjectFailed(safe, self._redacted(hint), self._stage)

    def _safe(self, value: Witness) -> Witness:
        return printable(self._redacted(value), 200) if isinstance(value, str) else value


class SharesLoad(ABC):
    """Mixin of specs: concurrency, schedule and clients of a load."""

    concurrency: int
    rate: float

    @property
    @abstractmethod
    def clients(self) -> int:
        """Client processes that share the load."""

    @property
    def ramp(self) -> int:
        """Uncounted operations at either end of a batch, where fewer are in flight."""
        return self.concurrency if self.concurrency > 1 and not self.rate else 0

    @property
    def fewest(self) -> int:
        """Minimum number of operations of a batch."""
        return max(1, GENERATIONS * self.ramp, self.clients)
