"""A function that reads secrets, as a subject; the backend counts."""

from __future__ import annotations

import hashlib
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from sectax.experiments.on_lambda.reading import InvocationReading
from sectax.experiments.on_lambda.subject import FUNCTION_CLOCK, MAX_MEMORY, FunctionSpec, FunctionSubject
from sectax.experiments.secrets.levels import ACCESS, FIRST_ACCESS, FIRST_SIDECAR, HIT, PARTS, REFRESH, STUDY
from sectax.experiments.secrets.secret_store import Calls, Secret, SecretStore
from sectax.model.errors import SectaxError
from sectax.model.metric import FIRST
from sectax.model.subject import Observation, Visit, Witnesses, Work

CALLS_WITNESS = "backend_calls"
DELAY_WITNESS = "backend_delay"
_CLOCK_STEP_S = 1e-9  # of perf_counter_ns in Python and of the monotonic clock in Go, on Linux
_QUOTA_CLOCK = "the instance's control group"
# Expiring secrets per size: enough for the visits of one TTL.
EXPIRING = 32
# A cache starts its TTL at an unknown moment, at the latest when the invocation ends.
_PAST_TTL_S = 0.05


def calls_in_words(calls: int, accesses: int) -> str:
    """Describe the calls to the service per reading."""
    if accesses and calls % accesses == 0:
        return f"{calls // accesses} for each access"
    return f"{calls} for {accesses} accesses"


def delay_in_words(wanted_s: float, seen_s: float) -> str:
    """Describe whether a round trip had at least the wanted delay."""
    return f"{wanted_s * 1e3:g} ms at least" if seen_s >= wanted_s else f"{seen_s * 1e3:.1f} ms"


@dataclass(frozen=True)
class SecretSpec(FunctionSpec):
    """A function that reads secrets with one access.

    Attributes:
        access, situation: levels, as in `levels`.
        size: length of a secret in characters.
        delay_s: seconds added to each round trip to the backend.
        ttl_s: TTL of a cache in seconds, if refreshes are measured.
        study_hits: hits to time one by one in a single invocation at the start; 0 for none.
        store: the secrets, open while the subject exists.
    """

    access: str = field(kw_only=True)
    situation: str = field(kw_only=True)
    size: int = field(kw_only=True)
    delay_s: float = field(default=0.0, kw_only=True)
    ttl_s: float = field(default=0.0, kw_only=True)
    study_hits: int = field(default=0, kw_only=True)
    store: SecretStore = field(kw_only=True, repr=False)

    def subject(self) -> SecretSubject:
        return SecretSubject(self)


class _Answer(msgspec.Struct):
    times_ns: list[int]
    proof: str
    parts_ns: dict[str, int] = {}
    sidecar_init_ns: int | None = None


class SecretSubject(FunctionSubject):
    """Implements `Subject`: one invocation per visit reads secrets.

    A miss is the first reading of a secret by a fresh instance, a refresh one after the TTL. Any error fails the
    visit; there are no retries.
    """

    def __init__(self, spec: SecretSpec) -> None:
        self._access = ACCESS[spec.access]
        self._secrets = spec
        self._rare = self._rare_ones()
        self._last_read: dict[Secret, float] = {}  # expiring secrets -> monotonic clock
        self._expected = ""
        self._answer = _Answer([], "")
        self._calls = self._accesses = 0
        super().__init__(spec)

    def open(self) -> Witnesses:
        """Open the function; the first reading fills the cache for hits.

        Adds to `first`: `first.access`, that reading without Init; `first.sidecar_init`, the sidecar's part of Init if
        reported; and the study's statistics.
        """
        witnesses = super().open()
        self.first += (Observation(FIRST_ACCESS, self._answer.times_ns[0] / 1e9, "s", FUNCTION_CLOCK, 1),)
        if self._answer.sidecar_init_ns is not None:
            init_s = self._answer.sidecar_init_ns / 1e9
            self.first += (Observation(FIRST_SIDECAR, init_s, "s", FUNCTION_CLOCK, 1),)
        if self._secrets.study_hits:
            self.first += tuple(self._published_observations())
        timed = "in batches" if self._is_batched else "one by one"
        clock: Witnesses = {"clock": FUNCTION_CLOCK, "clock_granularity_s": _CLOCK_STEP_S}
        store = self._secrets.store
        delay_s = self._secrets.delay_s
        delay: Witnesses = {DELAY_WITNESS: delay_in_words(delay_s, store.round_trip_s)} if delay_s else {}
        # The real names of layers contain the hash of the run's certificate, which would make two runs differ.
        layers = "certificate, agent" if self._access.sidecar else "certificate"
        own: Witnesses = {"backend_tls": store.tls, "layers": layers} if store.tls else {}
        return witnesses | clock | delay | own | {"timed": timed}

    def visit(self, work: Work) -> Visit:
        """Read `work.settle` secrets unreported, then `work.count`.

        Refreshes may need several invocations, since each reads at most all expiring secrets.

        Observations: `access` in seconds by the function's own clock, one per reading, or one for a batch of readings
        that are too short; seconds of all readings per part of a call; `held_back`, the share of quota periods that
        were throttled, in per cent; `max_memory_used` in bytes. Telemetry: that of a function, and `backend_calls`.
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
                self._last_read |= dict.fromkeys(wanted, time.monotonic())
            calls = self._calls_since(before)
            if answer.init_s is not None:
                raise self._failure("its instance was replaced by a new one", "check whether it ran out of memory")
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
        """Close the function; add the backend's calls per reading."""
        witnesses: Witnesses = {}
        if self._secrets.store.calls() is not None:
            witnesses[CALLS_WITNESS] = calls_in_words(self._calls, self._accesses)
        return super().close() | witnesses

    @property
    def _is_batched(self) -> bool:
        return self._access.batched and self._secrets.situation == HIT

    def _portions(self, settle: int, count: int) -> Iterator[tuple[int, int]]:
        """Yield the unreported and reported readings of each invocation of a visit."""
        if self._secrets.situation != REFRESH or settle + count <= EXPIRING:
            yield settle, count
            return
        settle = min(settle, EXPIRING // 2)
        while count:
            number = min(count, EXPIRING - settle)
            yield settle, number
            settle, count = 0, count - number

    def _observed(self, answer: InvocationReading, count: int) -> Iterator[Observation]:
        times = self._answer.times_ns
        if self._is_batched:
            yield Observation("access", times[0] / 1e9, "s", FUNCTION_CLOCK, count)
        else:
            yield from (Observation("access", time_s / 1e9, "s", FUNCTION_CLOCK, 1) for time_s in times)
        for part in PARTS:
            spent_ns = self._answer.parts_ns.get(f"{part}_ns")
            if spent_ns is not None:
                yield Observation(part, spent_ns / 1e9, "s", FUNCTION_CLOCK, count)
        periods, throttled = answer.amounts.get("periods"), answer.amounts.get("throttled_periods")
        if periods and throttled is not None:
            yield Observation("held_back", 100 * throttled, "%", _QUOTA_CLOCK, round(periods))
        if answer.max_memory_bytes is not None:
            yield Observation(MAX_MEMORY, answer.max_memory_bytes, "B", answer.clock, 1)

    def _published_observations(self) -> Iterator[Observation]:
        """Time hits one by one in a single invocation, and yield the study's statistics."""
        hit = self._secrets.store.cached(self._secrets.size)
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
        yield from (Observation(f"{FIRST}.study_{name}", figures[name], "s", FUNCTION_CLOCK, 1) for name in STUDY)

    def _backend_calls(self) -> Calls | None:
        try:
            return self._secrets.store.calls()
        except SectaxError as error:
            raise self._failure(error.message, error.hint) from error

    def _calls_since(self, before: Calls | None) -> int | None:
        """Return the calls to the service since then; None if they cannot be counted."""
        after = self._backend_calls()
        if before is None or after is None:
            return None
        refused = after.refused - before.refused
        if refused:
            # A cache may have answered with an old value.
            raise self._failure(f"{refused} of its calls to the service failed", "such readings are not counted")
        return after.all - before.all

    def _rare_ones(self) -> Iterator[Secret]:
        for number in range(self._secrets.store.uncached_count):
            yield self._secrets.store.uncached(self._secrets.size, number)

    def _secrets_to_read(self, count: int) -> list[Secret]:
        spec = self._secrets
        if spec.situation == HIT:
            return [spec.store.cached(spec.size)] * count
        if spec.situation == REFRESH:
            return self._expired_secrets(count)
        wanted = [secret for secret, _ in zip(self._rare, range(count), strict=False)]
        if len(wanted) < count:
            raise self._failure(
                f"it has read all {spec.store.uncached_count} secrets once", "use fewer rounds, or --pace spaced"
            )
        return wanted

    def _expired_secrets(self, count: int) -> list[Secret]:
        """Return secrets that the instance has read, after waiting for their TTL."""
        spec = self._secrets
        if not self._last_read:
            initial = [spec.store.expiring(spec.size, number) for number in range(EXPIRING)]
            self._read(initial, 1, 0)
            self._last_read = dict.fromkeys(initial, time.monotonic())
        oldest = sorted(self._last_read, key=lambda secret: self._last_read[secret])[:count]
        left_s = self._last_read[oldest[-1]] + spec.ttl_s + _PAST_TTL_S - time.monotonic()
        if left_s > 0 and self._access.caches:
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
        first = self._secrets.store.uncached(self._secrets.size, 0) if self._secrets.situation == REFRESH else None
        return [self._event(self._secrets_to_read(1) if first is None else [first], 1, 0)]

    def _wrong(self, payload: str) -> str | None:
        try:
            self._answer = msgspec.json.decode(payload, type=_Answer)
        except (msgspec.DecodeError, UnicodeError):
            return "it is not an answer of this function"
        # The answer is not shown: it may contain a secret.
        return None if self._answer.proof == self._expected else "it read another secret than requested"
