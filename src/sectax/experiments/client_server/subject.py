"""What the subjects of a client process have in common: how it is asked, and the words where something went wrong."""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from sectax.experiments.client_server.client import Answered
from sectax.experiments.client_server.load import GENERATIONS
from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.on_probe.failures import redaction
from sectax.hosts.process.errors import ChildDied, ChildError, ChildSilent
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Telemetry
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Visit, Witness, Witnesses, Work
from sectax.text.printable import printable

_Trouble = (ChildError, Answered, msgspec.DecodeError)
_Answer = TypeVar("_Answer")
# Of what a client's protocol calls its kinds of failures: what each means, and what to do.
Meanings = Mapping[str, tuple[str, str]]


class ClientSubject(ABC):
    """A part of a `Subject`: the other part says how it is called, and what is special about its failures.

    Attributes:
        whose: failures are, for messages.
        meanings: of the kinds of failures of the client's protocol. other: of any other kind; `{kind}` stands for it.
    """

    whose = "the client"
    meanings: Meanings = MappingProxyType({})
    other = ("it failed", "report it")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Args: *secrets* are in no message."""
        self.first: tuple[Observation, ...] = ()
        self._telemetry: Telemetry = NoTelemetry()
        self._stage = "open"
        self._clock = ""
        self._redacted = redaction(secrets)

    @abstractmethod
    def _title(self) -> str:
        """What messages begin with."""

    @abstractmethod
    def _batch(self, count: int) -> object:
        """Have so many operations done, and see that what comes of them can be."""

    @abstractmethod
    def _measured(self, count: int) -> Visit:
        """What so many operations took."""

    def visit(self, work: Work) -> Visit:
        """Have operations done: `work.settle` of them thrown away, then `work.count`, as `_measured` says."""
        if work.extra:
            raise ValueError("a known cost is the spec's added_s; other operations cannot be added")
        if work.settle:
            self._batch(work.settle)
        return self._measured(work.count)

    @abstractmethod
    def _leave(self) -> None:
        """Let the client go at once; never raises."""

    def _check_server(self) -> None:  # noqa: B027 - others have no server of their own
        """Raise `ServerFailed` where a server of the run's own has ended."""

    def _skipped(self, error: Answered) -> SubjectSkipped | None:
        """Why this treatment cannot be measured here; None where the answer says something else."""
        return None

    def kill(self) -> None:
        """Let the arm go at once; never raises."""
        self._telemetry.close()
        self._leave()

    @contextlib.contextmanager
    def _asking(self, doing: str) -> Iterator[None]:
        """Raise what went wrong with the client in words for a person, and let it go."""
        try:
            yield
        except _Trouble as error:
            raise self._failed(error, doing) from error

    def _begin_visits(self, clock: Mapping[str, str | int], telemetry: Telemetry) -> Witnesses:
        """What the client says of its clock; from here on it is visited."""
        self._clock, self._telemetry, self._stage = str(clock["name"]), telemetry, "visit"
        return {
            "clock": self._clock,
            "clock_granularity_s": int(clock["granularity_ns"]) * 1e-9,
            "clock_read_s": int(clock["read_ns"]) * 1e-9,
        }

    def _watched(self, ask: Callable[[], _Answer]) -> tuple[_Answer, float, dict[str, float]]:
        """The client's answer, how many seconds it took, and what the kernel counted of it meanwhile."""
        before, began = self._telemetry.read(), time.monotonic()
        answer = ask()
        spanned_s, after = time.monotonic() - began, self._telemetry.read()
        return answer, spanned_s, difference(before, after) | {"spanned_s": spanned_s}

    def _times(self, metric: str, nanoseconds: Sequence[int]) -> list[Observation]:
        """One observation for each, by the client's clock."""
        return [Observation(metric, elapsed * 1e-9, "s", self._clock, 1) for elapsed in nanoseconds]

    def _failed(self, error: Exception, doing: str) -> Exception:
        if isinstance(error, Answered) and (skipped := self._skipped(error)):
            self.kill()
            return skipped
        try:
            self._check_server()
        except ServerFailed as ended:
            self.kill()
            return ended
        return self._failure(*self._story(error, doing))

    def _story(self, error: Exception, doing: str) -> tuple[str, str]:
        """What happened, and what to do; what the client says of it stands behind."""
        match error:
            case Answered():
                other = (self.other[0].format(kind=error.kind), self.other[1])
                meaning, hint = self.meanings.get(error.kind, other)
                return f"{meaning} ({error.reason})", hint
            case ChildDied(out_of_memory=True):
                return f"{self.whose} was killed for memory ({doing})", "free some memory, or ask for less at once"
            case ChildSilent():
                silent = f"{self.whose} did not answer to {doing} within {error.seconds:.0f} s"
                return silent, "is the machine overloaded?"
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
    """A part of a spec: how many operations run at once, or on which schedule, and how many clients share them."""

    concurrency: int
    rate: float

    @property
    @abstractmethod
    def clients(self) -> int:
        """Client processes that share the load."""

    @property
    def ramp(self) -> int:
        """Operations at either end of a batch that do not count, since fewer are under way with them."""
        return self.concurrency if self.concurrency > 1 and not self.rate else 0

    @property
    def fewest(self) -> int:
        """Operations that a batch has at least."""
        return max(1, GENERATIONS * self.ramp, self.clients)
