"""A Lambda function as a subject: deployed for a block, then invoked."""

from __future__ import annotations

import base64
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from sectax.experiments.on_lambda import EMPTY_EVENT
from sectax.experiments.on_lambda.deployment import DeployedSpec, Deployment
from sectax.experiments.on_lambda.failures import SERVICE_ERRORS, call_failure, function_error
from sectax.experiments.on_lambda.reading import InvocationReading, read_report
from sectax.experiments.on_probe.failures import redaction
from sectax.model.errors import SectaxError, SubjectFailed
from sectax.model.metric import FIRST
from sectax.model.subject import Observation, Referee, Visit, Witnesses, Work
from sectax.text.printable import printable

MAX_MEMORY = "max_memory_used"

FUNCTION_CLOCK = "the function's own clock"
CPU_CLOCK = "CPU time of the instance's control group"

# A service may replace an instance at any time; after so many replacements in a row the subject fails.
_COLD_IN_A_ROW = 3
_LONGEST_WITNESS = 200  # characters
_WRONG_WORK = "only functions that do their work are timed"


@dataclass(frozen=True)
class FunctionSpec(DeployedSpec):
    """A function to deploy and invoke.

    Attributes:
        events: JSON, or paths of files with JSON; invocations take turns.
        gap_s: minimum seconds from an answer to the next event; 0 is back to back.
        expected: JSON that each answer must equal; None for anything but an error.
        referee: judge of the answers; its genuine and tampered artefacts are events. A tampered event must give an
            error or an answer that does not pass.
        parts_in: name of a JSON object in each answer with nanoseconds as `part_ns`. Each becomes an observation named
            `part`; the rest of the answer is judged. Empty for none.
        counts_first: whether all invocations, including the first, are also reported as `invocation`. The referee then
            waits until `close`.
    """

    events: tuple[bytes | str, ...] = field(default=(EMPTY_EVENT,), repr=False)
    gap_s: float = 0.0
    expected: str | None = field(default=None, repr=False)
    referee: Referee | None = field(default=None, repr=False)
    parts_in: str = ""
    counts_first: bool = False

    def subject(self) -> FunctionSubject:
        return FunctionSubject(self)


class FunctionSubject:
    """Implements `sectax.model.subject.Subject` for a function.

    Each subject deploys its own function, so each block has a fresh instance. Any failure deletes it and raises
    `SubjectFailed`.
    """

    def __init__(self, spec: FunctionSpec) -> None:
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._deployment: Deployment | None = None
        self._events: Iterator[bytes] = iter(())
        self._redacted = redaction(spec.environment.values())
        self._answered = 0.0  # monotonic clock
        self._stage = "open"

    def start(self) -> None:
        """Do nothing: functions created together would disturb each other."""

    def open(self) -> Witnesses:
        """Deploy the function, invoke it once, and let the referee check it.

        `first` is the cold start: the sum of the init phase and the first Duration, and both as `first.init` and
        `first.duration`.

        Returns:
            The configuration from GetFunctionConfiguration (`memory_mb`, `timeout_s`, `runtime`, `handler`,
            `architecture`, `code_sha256`, `layers`), the limits in force read from the kernel if reported
            (`cpu_quota`, `cpu_period_us`, `memory_limit_mb`, `cgroup`), `event_bytes` (the largest), `answer_bytes`,
            `clock` and `clock_granularity_s`.
        """
        spec = self._spec
        try:
            events = self._first_events()
            self._events = itertools.cycle(events)
            self._deployment = Deployment(spec)
            witnesses = self._deployment.create()
        except SERVICE_ERRORS as error:
            raise self._failure(*call_failure(error)) from error
        except OSError as error:
            raise self._failure(f"its event cannot be read: {error}", "give a file with JSON") from error
        except SectaxError as error:
            raise self._failure(error.message, error.hint) from error
        cold, answer = self._invoke(next(self._events))
        self.first = tuple(self._cold_observations(cold))
        if not spec.counts_first:
            self._examine()
        self._stage = "visit"
        reported = {name: self._safe(value) if isinstance(value, str) else value for name, value in witnesses.items()}
        sizes: Witnesses = {"event_bytes": max(map(len, events)), "answer_bytes": len(answer)}
        timing: Witnesses = {"clock": cold.clock, "clock_granularity_s": cold.step_s}
        return reported | cold.limits | sizes | timing

    def visit(self, work: Work) -> Visit:
        """Invoke it `work.settle` times without reporting, then `work.count` times.

        Observations per invocation: `duration` and `billed_duration` in seconds by the service's clock; `cpu_time` and
        `after_answer` (the part of Duration after the answer) if reported; each part in the answer. One
        `max_memory_used` in bytes: the instance's highest use so far. Cold starts are dropped and repeated.

        Telemetry of all invocations without the time between them: `cpu_time_s`, `throttled_s`, `throttled_periods`,
        `periods`, the sum of Durations as `spanned_s`, and `cold_starts` if there were any.
        """
        if work.extra:
            raise ValueError("a function's cost is the time of one invocation; others cannot be added to it")
        telemetry: dict[str, float] = {"spanned_s": 0.0}
        for _ in range(work.settle):
            self._warm(telemetry)
        readings = [self._warm(telemetry) for _ in range(work.count)]
        observations = [observation for answer in readings for observation in self._warm_observations(answer)]
        used = [answer.max_memory_bytes for answer in readings if answer.max_memory_bytes is not None]
        if used:
            observations.append(Observation(MAX_MEMORY, max(used), "B", readings[-1].clock, 1))
        return Visit(tuple(observations), telemetry)

    def close(self) -> Witnesses:
        """Let the referee check again, and delete the function."""
        self._stage = "close"
        self._examine()
        try:
            self._running().delete()
        except SERVICE_ERRORS as error:
            raise self._failure(*call_failure(error)) from error
        return {}

    def kill(self) -> None:
        """Delete the function in any state; never raises."""
        if self._deployment is not None:
            self._deployment.abandon()

    def _first_events(self) -> list[bytes]:
        """Return the events, in turns, from the first invocation on."""
        return [Path(event).read_bytes() if isinstance(event, str) else event for event in self._spec.events]

    def _wait(self) -> None:
        """Wait for the gap, less the time in which others were invoked."""
        left_s = self._answered + self._spec.gap_s - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)

    def _cold_observations(self, cold: InvocationReading) -> Iterator[Observation]:
        if cold.init_s is not None:  # an instance that was started in advance reports no init phase
            yield Observation(FIRST, cold.init_s + cold.duration_s, "s", cold.clock, 1)
            yield Observation(f"{FIRST}.init", cold.init_s, "s", cold.clock, 1)
        yield Observation(f"{FIRST}.duration", cold.duration_s, "s", cold.clock, 1)
        if self._spec.counts_first:
            yield Observation("invocation", cold.duration_s, "s", cold.clock, 1)

    def _warm_observations(self, warm: InvocationReading) -> Iterator[Observation]:
        # First, because the record identifies observations of one name by their index.
        if self._spec.counts_first:
            yield Observation("invocation", warm.duration_s, "s", warm.clock, 1)
        yield Observation("duration", warm.duration_s, "s", warm.clock, 1)
        yield Observation("billed_duration", warm.billed_s, "s", warm.clock, 1)
        if "cpu_time_s" in warm.amounts:
            yield Observation("cpu_time", warm.amounts["cpu_time_s"], "s", CPU_CLOCK, 1)
        if "after_answer_s" in warm.amounts:
            yield Observation("after_answer", warm.amounts["after_answer_s"], "s", warm.clock, 1)
        for part, seconds in warm.parts.items():
            yield Observation(part, seconds, "s", FUNCTION_CLOCK, 1)

    def _warm(self, telemetry: dict[str, float]) -> InvocationReading:
        """Invoke a warm instance once, at the pace of the treatment."""
        for _ in range(_COLD_IN_A_ROW):
            self._wait()
            warm, _ = self._invoke(next(self._events))
            for name, amount in warm.amounts.items():
                telemetry[name] = telemetry.get(name, 0.0) + amount
            telemetry["spanned_s"] += warm.duration_s
            if warm.init_s is None:
                if self._spec.parts_in and not warm.parts:
                    raise self._failure(
                        f"its answer has no nanoseconds in `{self._spec.parts_in}`",
                        "check the variable in its environment that enables them",
                    )
                return warm
            telemetry["cold_starts"] = telemetry.get("cold_starts", 0.0) + 1
        raise self._failure(
            f"{_COLD_IN_A_ROW} invocations in a row were cold starts",
            "check whether the function ends its process, or concurrency is limited to 0",
        )

    def _invoke(self, event: bytes) -> tuple[InvocationReading, str]:
        """Invoke once and check the answer."""
        answer, payload = self._call(event)
        if answer.get("FunctionError"):
            log = base64.b64decode(answer.get("LogResult", "")).decode(errors="replace")
            raise self._failure(*function_error(payload, log))
        parts, bare = self._parts(payload)
        wrong = self._wrong(bare)
        if wrong is not None:
            raise self._failure(f"gave a wrong answer: {wrong}", _WRONG_WORK)
        report = read_report(answer)
        if report is None:
            raise self._failure("reported no Duration", "the service must return REPORT lines")
        return replace(report, parts=parts), payload

    def _call(self, event: bytes) -> tuple[dict[str, Any], str]:
        try:
            return self._running().invoke(event)
        except SERVICE_ERRORS as error:
            raise self._failure(*call_failure(error)) from error
        finally:
            self._answered = time.monotonic()

    def _wrong(self, payload: str) -> str | None:
        """Return what is wrong with an answer (without its parts), or None."""
        spec = self._spec
        if spec.expected is not None and not _same_json(payload, spec.expected):
            return f"{printable(payload, _LONGEST_WITNESS)}, not the expected one"
        return None if spec.referee is None else spec.referee.judge(payload)

    def _parts(self, payload: str) -> tuple[dict[str, float], str]:
        """Split an answer into the seconds of its parts and the rest."""
        if not self._spec.parts_in:
            return {}, payload
        try:
            content: dict[str, Any] = msgspec.json.decode(payload, type=dict[str, Any])
            reported = msgspec.convert(content.pop(self._spec.parts_in, {}), dict[str, int])
        except (msgspec.DecodeError, UnicodeError):
            return {}, payload
        parts = {name.removesuffix("_ns"): value / 1e9 for name, value in reported.items() if name.endswith("_ns")}
        return parts, msgspec.json.encode(content).decode()

    def _examine(self) -> None:
        """Check that genuine events are accepted, and tampered ones are not."""
        referee = self._spec.referee
        if referee is None:
            return
        for event in referee.genuine():
            self._invoke(event.encode())
        for event in referee.tampered():
            answer, payload = self._call(event.encode())
            if not answer.get("FunctionError") and self._wrong(self._parts(payload)[1]) is None:
                raise self._failure("accepted a tampered event", _WRONG_WORK)

    def _running(self) -> Deployment:
        if self._deployment is None:
            raise RuntimeError("the subject was not opened")
        return self._deployment

    def _safe(self, text: str) -> str:
        return printable(self._redacted(text), _LONGEST_WITNESS)

    def _failure(self, message: str, hint: str) -> SubjectFailed:
        self.kill()
        safe = self._redacted(f"function {self._spec.name} ({self._spec.memory_mb} MB): {message}")
        return SubjectFailed(printable(safe), printable(self._redacted(hint)), self._stage)


def _same_json(payload: str, expected: str) -> bool:
    try:
        return bool(msgspec.json.decode(payload) == msgspec.json.decode(expected))
    except (msgspec.DecodeError, UnicodeError):
        return payload == expected
