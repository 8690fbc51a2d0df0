"""A function that reads secrets, as a subject: each reading timed by the function, each call counted at the backend."""

from __future__ import annotations

import hashlib
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from sectax.experiments.on_lambda.reading import InvocationReading
from sectax.experiments.on_lambda.subject import MAX_MEMORY, TOLD_CLOCK, FunctionSpec, FunctionSubject
from sectax.experiments.secrets.levels import ACCESS, FIRST_ACCESS, FIRST_SIDECAR, HIT, PARTS, REFRESH, STUDY
from sectax.experiments.secrets.secret_store import Calls, Secret, SecretStore
from sectax.model.errors import SectaxError
from sectax.model.metric import FIRST
from sectax.model.subject import Observation, Visit, Witnesses, Work

CALLS_WITNESS = "backend_calls"
DELAY_WITNESS = "backend_delay"
_CLOCK_STEP_S = 1e-9  # of perf_counter_ns in Python and of the monotonic clock in Go, on Linux
_QUOTA_CLOCK = "the instance's control group"
# Secrets that an instance fetches again and again, each after its TTL: as many as last a TTL's worth of visits.
SOMETIMES = 32
# A cache counts its TTL from a moment that the function does not tell: at the latest when the invocation is over.
_PAST_TTL_S = 0.05


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
        ttl_s: seconds for which a cache uses what it has, where a refresh is awaited.
        study_hits: hits, each timed by itself, that an instance makes once, in one invocation; 0 for none.
        keeper: of the secrets, open while the subject lives.
    """

    access: str = field(kw_only=True)
    situation: str = field(kw_only=True)
    size: int = field(kw_only=True)
    delay_s: float = field(default=0.0, kw_only=True)
    ttl_s: float = field(default=0.0, kw_only=True)
    study_hits: int = field(default=0, kw_only=True)
    keeper: SecretStore = field(kw_only=True, repr=False)

    def subject(self) -> SecretSubject:
        return SecretSubject(self)


class _Answer(msgspec.Struct):
    times_ns: list[int]
    proof: str
    parts_ns: dict[str, int] = {}
    sidecar_init_ns: int | None = None


class SecretSubject(FunctionSubject):
    """Implements `sectax.model.subject.Subject`: one invocation for each visit, in which secrets are read one by one.

    A miss is the first reading of a secret by a fresh instance, a refresh one after the TTL. Whatever goes wrong fails:
    no answer but the right one is ever timed, and nothing is tried twice.
    """

    def __init__(self, spec: SecretSpec) -> None:
        self._way = ACCESS[spec.access]
        self._secrets = spec
        self._rare = self._rare_ones()
        self._read_last: dict[Secret, float] = {}  # of those that are read again, by the monotonic clock
        self._expected = ""
        self._answer = _Answer([], "")
        self._calls = self._accesses = 0
        super().__init__(spec)

    def open(self) -> Witnesses:
        """As the function's `open`. Its first invocation reads one secret: where it is to be hit, that fills the cache.

        `first` has besides `first.access`: that reading by itself, the instance's Init (a sidecar's too) left out;
        `first.sidecar_init`, the sidecar's part of Init, where it is reported; and the study's statistics.
        """
        witnesses = super().open()
        self.first += (Observation(FIRST_ACCESS, self._answer.times_ns[0] / 1e9, "s", TOLD_CLOCK, 1),)
        if self._answer.sidecar_init_ns is not None:
            init_s = self._answer.sidecar_init_ns / 1e9
            self.first += (Observation(FIRST_SIDECAR, init_s, "s", TOLD_CLOCK, 1),)
        if self._secrets.study_hits:
            self.first += tuple(self._published_observations())
        timed = "in batches" if self._is_batched else "one by one"
        clock: Witnesses = {"clock": TOLD_CLOCK, "clock_granularity_s": _CLOCK_STEP_S}
        keeper = self._secrets.keeper
        delay_s = self._secrets.delay_s
        far: Witnesses = {DELAY_WITNESS: delay_in_words(delay_s, keeper.round_trip_s)} if delay_s else {}
        # The layers' own names hold the hash of the run's own certificate; two runs have the same layers.
        layers = "certificate, agent" if self._way.sidecar else "certificate"
        own: Witnesses = {"backend_tls": keeper.tls, "layers": layers} if keeper.tls else {}
        return witnesses | clock | far | own | {"timed": timed}

    def visit(self, work: Work) -> Visit:
        """Read `work.settle` secrets, which are not told, then `work.count` of them, in one invocation.

        After a TTL an invocation has as many as there are secrets that can be let go, so that there may be several.

        Observations: `access` in seconds by the function's own clock, one for each reading, or one for all of them
        where a single one would be lost in the clock's own time; of each part of a call the seconds of all readings
        together; `held_back`, the share of the quota's periods in which it ran out, in per cent; `max_memory_used` in
        bytes. Telemetry: as of a function, and `backend_calls`.
        """
        repeat = work.count if self._is_batched else 1
        observations: list[Observation] = []
        telemetry = {"spanned_s": 0.0}
        for settle, count in self._portions(work.settle, work.count):
            wanted = self._secrets_to_read(settle + count)
            before = self._backend_calls()
            self._wait()
            answer = self._read(wanted, repeat, settle)
            if self._secrets.situation == REFRESH:
                self._read_last |= dict.fromkeys(wanted, time.monotonic())
            calls = self._calls_since(before)
            if answer.init_s is not None:
                raise self._failure(
                    "its instance was replaced by a new one", "see whether it ended, for want of memory, say"
                )
            self._accesses += settle + count
            amounts = dict(answer.amounts) | {"spanned_s": answer.duration_s}
            if calls is not None:
                self._calls += calls
                amounts["backend_calls"] = float(calls)
            for name, amount in amounts.items():
                telemetry[name] = telemetry.get(name, 0.0) + amount
            observations += self._observed(answer, count)
        return Visit(tuple(observations), telemetry)

    def close(self) -> Witnesses:
        """As the function's, and how often the backend was asked for each reading, where that can be counted."""
        witnesses: Witnesses = {}
        if self._secrets.keeper.calls() is not None:
            witnesses[CALLS_WITNESS] = calls_in_words(self._calls, self._accesses)
        return super().close() | witnesses

    @property
    def _is_batched(self) -> bool:
        return self._way.batched and self._secrets.situation == HIT

    def _portions(self, settle: int, count: int) -> Iterator[tuple[int, int]]:
        """How many readings every invocation of a visit throws away, and how many it tells."""
        if self._secrets.situation != REFRESH or settle + count <= SOMETIMES:
            yield settle, count
            return
        settle = min(settle, SOMETIMES // 2)
        while count:
            number = min(count, SOMETIMES - settle)
            yield settle, number
            settle, count = 0, count - number

    def _observed(self, answer: InvocationReading, count: int) -> Iterator[Observation]:
        times = self._answer.times_ns
        if self._is_batched:
            yield Observation("access", times[0] / 1e9, "s", TOLD_CLOCK, count)
        else:
            yield from (Observation("access", time_s / 1e9, "s", TOLD_CLOCK, 1) for time_s in times)
        for part in PARTS:
            spent_ns = self._answer.parts_ns.get(f"{part}_ns")
            if spent_ns is not None:
                yield Observation(part, spent_ns / 1e9, "s", TOLD_CLOCK, count)
        periods, throttled = answer.amounts.get("periods"), answer.amounts.get("throttled_periods")
        if periods and throttled is not None:
            yield Observation("held_back", 100 * throttled, "%", _QUOTA_CLOCK, round(periods))
        if answer.max_memory_bytes is not None:
            yield Observation(MAX_MEMORY, answer.max_memory_bytes, "B", answer.clock, 1)

    def _published_observations(self) -> Iterator[Observation]:
        """The study's design: so many hits in one invocation, each timed by itself, and its statistics of them."""
        hit = self._secrets.keeper.often(self._secrets.size)
        before = self._backend_calls()
        self._read([hit] * self._secrets.study_hits, 1, 0)
        calls = self._calls_since(before)
        self._accesses += self._secrets.study_hits
        self._calls += calls or 0
        seconds = [time_ns / 1e9 for time_ns in self._answer.times_ns]
        figures = {
            "min": min(seconds),
            "max": max(seconds),
            "mean": statistics.fmean(seconds),
            "median": statistics.median(seconds),
            "p90": statistics.quantiles(seconds, n=10, method="inclusive")[-1],
        }
        yield from (Observation(f"{FIRST}.study_{name}", figures[name], "s", TOLD_CLOCK, 1) for name in STUDY)

    def _backend_calls(self) -> Calls | None:
        try:
            return self._secrets.keeper.calls()
        except SectaxError as error:
            raise self._failure(error.message, error.hint) from error

    def _calls_since(self, before: Calls | None) -> int | None:
        """Calls of the service since then; None where they cannot be counted."""
        after = self._backend_calls()
        if before is None or after is None:
            return None
        refused = after.refused - before.refused
        if refused:
            # A cache may then have answered with what it had.
            raise self._failure(
                f"the service did not answer {refused} of its calls rightly", "no such reading is taken for a fast one"
            )
        return after.all - before.all

    def _rare_ones(self) -> Iterator[Secret]:
        for number in range(self._secrets.keeper.rare_count):
            yield self._secrets.keeper.rare(self._secrets.size, number)

    def _secrets_to_read(self, count: int) -> list[Secret]:
        spec = self._secrets
        if spec.situation == HIT:
            return [spec.keeper.often(spec.size)] * count
        if spec.situation == REFRESH:
            return self._expired_secrets(count)
        wanted = [secret for secret, _ in zip(self._rare, range(count), strict=False)]
        if len(wanted) < count:
            raise self._failure(
                f"it has read all {spec.keeper.rare_count} secrets once", "ask for fewer rounds, or for --pace spaced"
            )
        return wanted

    def _expired_secrets(self, count: int) -> list[Secret]:
        """Secrets that the instance has read, and whose TTL is over; waits until it is."""
        spec = self._secrets
        if not self._read_last:
            every = [spec.keeper.sometimes(spec.size, number) for number in range(SOMETIMES)]
            self._read(every, 1, 0)
            self._read_last = dict.fromkeys(every, time.monotonic())
        oldest = sorted(self._read_last, key=lambda secret: self._read_last[secret])[:count]
        left_s = self._read_last[oldest[-1]] + spec.ttl_s + _PAST_TTL_S - time.monotonic()
        if left_s > 0 and self._way.caches:
            time.sleep(left_s)
        return oldest

    def _read(self, wanted: Sequence[Secret], repeat: int, settle: int) -> InvocationReading:
        answer, _ = self._invoke(self._event(wanted, repeat, settle))
        return answer

    def _event(self, wanted: Sequence[Secret], repeat: int, settle: int) -> bytes:
        nonce = secrets.token_hex(16)
        proven = wanted[:1] if repeat > 1 else wanted[settle:]
        self._expected = hashlib.sha256((nonce + "".join(secret.value for secret in proven)).encode()).hexdigest()
        names = [secret.name for secret in (wanted[:1] if repeat > 1 else wanted)]
        return msgspec.json.encode({"names": names, "repeat": repeat, "settle": settle, "nonce": nonce})

    def _first_events(self) -> list[bytes]:
        first = self._secrets.keeper.rare(self._secrets.size, 0) if self._secrets.situation == REFRESH else None
        return [self._event(self._secrets_to_read(1) if first is None else [first], 1, 0)]

    def _wrong(self, payload: str) -> str | None:
        try:
            self._answer = msgspec.json.decode(payload, type=_Answer)
        except (msgspec.DecodeError, UnicodeError):
            return "it has not the form of this function's answers"
        # What it read is not shown: it would be a secret.
        return None if self._answer.proof == self._expected else "it proves another secret than it was asked for"
