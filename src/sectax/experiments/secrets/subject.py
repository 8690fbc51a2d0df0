"""A function that reads secrets, as a subject: each reading timed by the function, each call counted at the backend."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from sectax.experiments.secrets.levels import ACCESS, FIRST_ACCESS, HIT
from sectax.model.errors import SectaxError
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.stack.secrets_manager.backend import Backend, Secret
from sectax.subjects.function import FunctionSpec
from sectax.subjects.function.reading import Reading
from sectax.subjects.function.subject import MAX_MEMORY, TOLD_CLOCK, FunctionSubject

ACCESS_TIME = "access"
CALLS_WITNESS = "backend_calls"
DELAY_WITNESS = "backend_delay"
_CLOCK_STEP_S = 1e-9  # of Python's perf_counter_ns on Linux
# Secrets that an instance can fetch once each; AWS's agent keeps 1000.
RARE = 900


def calls_in_words(calls: int, accesses: int) -> str:
    """How often the service was asked for each reading."""
    if accesses and calls % accesses == 0:
        return f"{calls // accesses} for each access"
    return f"{calls} for {accesses} accesses"


def delay_in_words(wanted_s: float, seen_s: float) -> str:
    """Whether a round trip took as much longer as was wanted."""
    return f"{wanted_s * 1e3:g} ms at least" if seen_s >= wanted_s else f"{seen_s * 1e3:.1f} ms"


@dataclass(frozen=True)
class SecretSpec(FunctionSpec):
    """A function that reads secrets in one way.

    Attributes:
        access, situation: levels, as in `levels`.
        size: characters of a secret.
        delay_s: how much longer every round trip to the backend is to take.
        backend: what stands in for Secrets Manager, open while the subject lives.
    """

    access: str = field(kw_only=True)
    situation: str = field(kw_only=True)
    size: int = field(kw_only=True)
    delay_s: float = field(default=0.0, kw_only=True)
    backend: Backend = field(kw_only=True, repr=False)

    def subject(self) -> SecretSubject:
        return SecretSubject(self)


class _Answer(msgspec.Struct):
    times_ns: list[int]
    proof: str


class SecretSubject(FunctionSubject):
    """Implements `sectax.model.subject.Subject`: one invocation for each visit, in which secrets are read one by one.

    A miss is the first reading of a secret by a fresh instance. Whatever goes wrong fails: no answer but the right one
    is ever timed, and nothing is tried twice.
    """

    def __init__(self, spec: SecretSpec) -> None:
        self._way = ACCESS[spec.access]
        self._secrets = spec
        self._rare = self._rare_ones()
        self._expected = ""
        self._answer = _Answer([], "")
        self._calls = self._accesses = 0
        super().__init__(spec)

    def open(self) -> Witnesses:
        """As the function's `open`. Its first invocation reads one secret: where it is to be hit, that fills the cache.

        `first` has besides `first.access`: that reading by itself, the instance's Init (a sidecar's too) left out.
        """
        witnesses = super().open()
        self.first += (Observation(FIRST_ACCESS, self._answer.times_ns[0] / 1e9, "s", TOLD_CLOCK, 1),)
        timed = "in batches" if self._is_batched else "one by one"
        clock: Witnesses = {"clock": TOLD_CLOCK, "clock_granularity_s": _CLOCK_STEP_S}
        backend = self._secrets.backend
        delay_s = self._secrets.delay_s
        far: Witnesses = {DELAY_WITNESS: delay_in_words(delay_s, backend.round_trip_s)} if delay_s else {}
        # The layers' own names hold the hash of a certificate that every run makes anew; two runs have the same layers.
        layers = "certificate, agent" if self._way.sidecar else "certificate"
        return witnesses | clock | far | {"timed": timed, "backend_tls": backend.tls, "layers": layers}

    def visit(self, work: Work) -> Visit:
        """Read `work.settle` secrets, which are not told, then `work.count` of them, in one invocation.

        Observations: `access` in seconds by the function's own clock, one for each reading, or one for all of them
        where a single one would be lost in the clock's own time; `max_memory_used` in bytes. Telemetry: as of a
        function, and `backend_calls`.
        """
        wanted = self._wanted(work.settle + work.count)
        repeat = work.count if self._is_batched else 1
        before = self._asked()
        self._wait()
        seen = self._read(wanted, repeat, work.settle)
        calls = self._asked() - before
        if seen.init_s is not None:
            raise self._failure(
                "its instance was replaced by a new one", "see whether it ended, for want of memory, say"
            )
        self._calls += calls
        self._accesses += work.settle + work.count
        telemetry = dict(seen.amounts) | {"spanned_s": seen.duration_s, "backend_calls": float(calls)}
        return Visit(tuple(self._observed(seen, work.count)), telemetry)

    def close(self) -> Witnesses:
        """As the function's, and how often the backend was asked for each reading."""
        return super().close() | {CALLS_WITNESS: calls_in_words(self._calls, self._accesses)}

    @property
    def _is_batched(self) -> bool:
        return self._way.batched and self._secrets.situation == HIT

    def _observed(self, seen: Reading, count: int) -> Iterator[Observation]:
        times = self._answer.times_ns
        if self._is_batched:
            yield Observation(ACCESS_TIME, times[0] / 1e9, "s", TOLD_CLOCK, count)
        else:
            yield from (Observation(ACCESS_TIME, each / 1e9, "s", TOLD_CLOCK, 1) for each in times)
        if seen.max_memory_bytes is not None:
            yield Observation(MAX_MEMORY, seen.max_memory_bytes, "B", seen.clock, 1)

    def _asked(self) -> int:
        try:
            return self._secrets.backend.calls().all
        except SectaxError as error:
            raise self._failure(error.message, error.hint) from error

    def _rare_ones(self) -> Iterator[Secret]:
        for number in range(RARE):
            yield self._secrets.backend.rare(self._secrets.size, number)

    def _wanted(self, count: int) -> list[Secret]:
        spec = self._secrets
        if spec.situation == HIT:
            return [spec.backend.often(spec.size)] * count
        wanted = [secret for secret, _ in zip(self._rare, range(count), strict=False)]
        if len(wanted) < count:
            raise self._failure(f"it has read all {RARE} secrets once", "ask for fewer rounds, or for --pace spaced")
        return wanted

    def _read(self, wanted: Sequence[Secret], repeat: int, settle: int) -> Reading:
        seen, _ = self._invoke(self._event(wanted, repeat, settle))
        return seen

    def _event(self, wanted: Sequence[Secret], repeat: int, settle: int) -> bytes:
        nonce = secrets.token_hex(16)
        told = wanted[:1] if repeat > 1 else wanted[settle:]
        self._expected = hashlib.sha256((nonce + "".join(each.value for each in told)).encode()).hexdigest()
        names = [each.name for each in (wanted[:1] if repeat > 1 else wanted)]
        return msgspec.json.encode({"names": names, "repeat": repeat, "settle": settle, "nonce": nonce})

    def _first_events(self) -> list[bytes]:
        return [self._event(self._wanted(1), 1, 0)]

    def _wrong(self, payload: str) -> str | None:
        try:
            self._answer = msgspec.json.decode(payload, type=_Answer)
        except (msgspec.DecodeError, UnicodeError):
            return "it has not the form of this function's answers"
        # What it read is not shown: it would be a secret.
        return None if self._answer.proof == self._expected else "it proves another secret than it was asked for"
