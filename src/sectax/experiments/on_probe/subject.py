"""A probe process as a subject: a fresh process with one prepared operation."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

from sectax.experiments.on_probe.conversation import Conversation, witness
from sectax.experiments.on_probe.failures import PROBE_ERRORS, describe_failure, failure_hint, redaction
from sectax.experiments.on_probe.plausibility import ClockWatch, CpuWatch
from sectax.hosts.process.errors import ChildError, ChildSilent, describe_exit
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Telemetry, host
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Referee, Visit, Witness, Witnesses, Work
from sectax.protocol.messages import MAX_LINE_BYTES, Clock, HelloReply, MeasureReply
from sectax.protocol.session import AnsweredSkipped
from sectax.text.printable import printable

BATCH_TIME = "batch_time"
BATCH_CPU = "batch_cpu"
FIRST = "first"

# Text from a probe is not trusted; versions and names of curves are short.
_LONGEST_TEXT = 200  # characters


@runtime_checkable
class ReportsSizes(Referee, Protocol):
    """Optional: implement in a referee to report the sizes of an artefact."""

    def sizes(self, artefact: str) -> dict[str, int]:
        """Return bytes by metric."""


@dataclass(frozen=True)
class ProbeSpec:
    """A probe's command and operation; plain data for another machine.

    Attributes:
        name: the probe's name, for messages.
        argv, cwd: the command and its working directory.
        operation, parameters, inputs: as in `prepare`. Inputs are secret and never shown.
        referee: judge of the operation's results; None for `empty`.
        deadline_s: seconds per reply.
        stop_grace_s: seconds from the reply to `stop` to the exit.
        first: whether to time the first operation of the process.
        host: name of its host (`sectax.hosts.registry`).
        longest_warmup_s: seconds of work after which a process is certainly warm; a JVM's compiler needs one to three.
        least_warmup_s: seconds before which a process only looks warm.
        peak_memory: whether to observe the peak memory after the first operation as `first.peak_bytes`; on this
            machine only.
    """

    name: str
    argv: tuple[str, ...]
    cwd: str
    operation: str
    parameters: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict, repr=False)
    referee: Referee | None = field(default=None, repr=False)
    deadline_s: float = 30.0
    stop_grace_s: float = 5.0
    first: bool = True
    host: str = LOCAL_HOST
    longest_warmup_s: float = 5.0
    least_warmup_s: float = 0.0
    peak_memory: bool = False

    def subject(self) -> ProbeSubject:
        return ProbeSubject(self)


class ProbeSubject:
    """Implements `sectax.model.subject.Subject` for a probe.

    Any failure kills the process and raises `SubjectFailed`.
    """

    def __init__(self, spec: ProbeSpec) -> None:
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._host = host(spec.host)
        self._conversation: Conversation | None = None
        self._telemetry: Telemetry = NoTelemetry()
        self._clock = ""
        self._watch = ClockWatch()
        self._cpu_clock = ""
        self._cpu_watch: CpuWatch | None = None
        self._stage = "open"

    @property
    def pid(self) -> int | None:
        """The process id; None before the start."""
        return None if self._conversation is None else self._conversation.child.pid

    def start(self) -> None:
        """Start the process and send `hello`, without waiting for the reply."""
        if self._conversation is not None:
            return
        spec = self._spec
        try:
            child = self._host.start(spec.argv, cwd=spec.cwd, line_limit=MAX_LINE_BYTES)
            self._conversation = Conversation(child, spec.deadline_s)
            self._conversation.send_hello()
        except ChildError as error:
            raise self._failed(error, "hello") from error

    def open(self) -> Witnesses:
        """Prepare the operation and check that it does its work.

        Returns:
            The probe's witnesses (`key_bits`, `alg`, …), and `probe`, `runtime`, `library_*`, `clock`,
            `clock_granularity_s`, `clock_read_s`; for a CPU clock `cpu_clock` and the same figures.
        """
        self.start()
        spec, conversation = self._spec, self._running()
        doing = "hello"
        try:
            hello = conversation.receive_hello()
            self._clock = printable(hello.clock.name, _LONGEST_TEXT)
            self._telemetry = telemetry = self._host.telemetry(conversation.child)
            if hello.cpu_clock is not None:
                self._cpu_clock = printable(hello.cpu_clock.name, _LONGEST_TEXT)
                self._cpu_watch = CpuWatch(hello.cpu_clock.granularity_ns * 1e-9, telemetry.processors())
            doing = "prepare"
            prepared = conversation.prepare(spec.operation, spec.parameters, spec.inputs)
            if spec.first:
                doing = "measure"
                before = telemetry.read(allow_cached=True)
                reply = conversation.measure(1)
                process_s = difference(before, telemetry.read()).get("cpu_time_s")
                first_s = self._checked(conversation, reply, process_s=process_s)
                self.first = (self._observation(FIRST, first_s, 1), *self._peak_memory(conversation.child.pid))
            doing = "witness"
            witnesses = self._witness(conversation)
        except AnsweredSkipped as error:
            self.kill()
            raise SubjectSkipped(self._safe_text(error.reason), self._safe_text(error.hint)) from error
        except PROBE_ERRORS as error:
            raise self._failed(error, doing) from error
        self._stage = "visit"
        return self._safe(prepared.witnesses) | witnesses | self._safe(_identity(hello))

    def visit(self, work: Work) -> Visit:
        """Run the operations, timed by the probe's own clock.

        Observations: `batch_time` in seconds, for the batch or with `work.each` per operation, and for a batch
        `batch_cpu` if the probe has a CPU clock. `extra` operations lengthen the batch without being counted.
        Telemetry covers the whole request, including settling; `spanned_s` is its duration.
        """
        if work.each and work.extra:
            raise ValueError("extra operations lengthen a batch; they cannot be added to single ones")
        conversation, before = self._running(), self._telemetry.read(allow_cached=True)
        start = time.monotonic()
        try:
            reply = conversation.measure(work.count + work.extra, work.settle, work.each)
        except PROBE_ERRORS as error:
            raise self._failed(error, "measure") from error
        after = self._telemetry.read()
        spanned_s = time.monotonic() - start
        telemetry = difference(before, after) | {"spanned_s": spanned_s}
        elapsed_s = self._checked(conversation, reply, work.settle, telemetry.get("cpu_time_s"))
        if work.each:
            observations = tuple(self._observation(BATCH_TIME, elapsed * 1e-9, 1) for elapsed in reply.elapsed_ns)
        else:
            observations = (self._observation(BATCH_TIME, elapsed_s, work.count),)
        if self._cpu_watch is not None and not work.each:
            cpu_s = self._checked_cpu(self._cpu_watch, reply, work.settle, telemetry.get("cpu_time_s"))
            observations += (Observation(BATCH_CPU, cpu_s, "s", self._cpu_clock, work.count),)
        return Visit(observations, telemetry)

    def close(self) -> Witnesses:
        """Check again and stop the process.

        Returns:
            The probe's witnesses after the measurement, and `exit_status`.
        """
        self._stage = "close"
        conversation = self._running()
        doing = "witness"
        try:
            witnesses = self._witness(conversation)
            doing = "stop"
            conversation.stop()
        except PROBE_ERRORS as error:
            raise self._failed(error, doing) from error
        witnesses["exit_status"] = self._wait_for_exit(conversation)
        self.kill()
        return witnesses

    def kill(self) -> None:
        """Kill the process; never raises."""
        self._telemetry.close()
        if self._conversation is not None:
            with contextlib.suppress(OSError):
                self._conversation.child.kill()

    def _wait_for_exit(self, conversation: Conversation) -> int:
        grace_s = self._spec.stop_grace_s
        try:
            exit_status = conversation.child.wait(time.monotonic() + grace_s)
        except ChildSilent as error:
            message = f"replied to stop and still ran {grace_s:.1f} s later"
            raise self._failure(message, failure_hint(error, self._spec.name)) from error
        if exit_status != 0:
            message = f"stopped with {describe_exit(exit_status)} instead of 0"
            raise self._failure(message, failure_hint(None, self._spec.name))
        return exit_status

    def _peak_memory(self, pid: int) -> tuple[Observation, ...]:
        if not self._spec.peak_memory or self._spec.host != LOCAL_HOST:
            return ()
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:  # no /proc
            return ()
        match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
        return () if match is None else (Observation(f"{FIRST}.peak_bytes", 1024 * int(match[1]), "B", "VmHWM", 1),)

    def _sizes(self, artefact: str | None) -> tuple[Observation, ...]:
        """Return the artefact's sizes, if the referee knows them."""
        referee = self._spec.referee
        if not isinstance(referee, ReportsSizes):
            return ()
        sizes = referee.sizes(referee.genuine()[0] if artefact is None else artefact)
        return tuple(Observation(f"{FIRST}.{name}", size, "B", "counted", 1) for name, size in sizes.items())

    def _witness(self, conversation: Conversation) -> dict[str, Witness]:
        spec = self._spec
        witnessed = witness(conversation, spec.operation, spec.referee)
        if witnessed.flaws:
            raise self._failure(
                "; ".join(witnessed.flaws.values()),
                "only operations that do their work are timed; sectax probe check names each failing step",
            )
        if self._stage == "open" and self.first:
            self.first += self._sizes(witnessed.reply.artefact)
        return self._safe(witnessed.reply.witnesses)

    def _checked(
        self, conversation: Conversation, reply: MeasureReply, settle: int = 0, process_s: float | None = None
    ) -> float:
        """Return the seconds of a plausible measurement."""
        if reply.failures:
            message = f"got {reply.failures} wrong results in {reply.count} operations"
            raise self._failure(message, "times of wrong results are not used")
        elapsed_s = sum(reply.elapsed_ns) * 1e-9
        timed_share = reply.count / (reply.count + settle)
        complaint = self._watch.complaint(elapsed_s, conversation.wall_s, timed_share, process_s)
        if complaint is not None:
            raise self._failure(f"reports impossible times: {complaint}", failure_hint(None, self._spec.name))
        return elapsed_s

    def _checked_cpu(self, watch: CpuWatch, reply: MeasureReply, settle: int, process_s: float | None) -> float:
        """Return the plausible CPU time of a batch in seconds."""
        if reply.cpu_ns is None:
            message = f"has the CPU clock {self._cpu_clock} but reported no cpu_ns"
            raise self._failure(message, failure_hint(None, self._spec.name))
        cpu_s = reply.cpu_ns * 1e-9
        timed_share = reply.count / (reply.count + settle)
        complaint = watch.complaint(cpu_s, sum(reply.elapsed_ns) * 1e-9, timed_share, process_s)
        if complaint is not None:
            raise self._failure(f"reports impossible CPU times: {complaint}", failure_hint(None, self._spec.name))
        return cpu_s

    def _observation(self, metric: str, seconds: float, count: int) -> Observation:
        return Observation(metric, seconds, "s", self._clock, count)

    def _running(self) -> Conversation:
        if self._conversation is None:
            raise RuntimeError("the subject was not started")
        return self._conversation

    def _title(self) -> str:
        """`probe php (algorithm=RS256, operation=verify)`"""
        levels = sorted((self._spec.parameters | {"operation": self._spec.operation}).items())
        return f"probe {self._spec.name} ({', '.join(f'{name}={level}' for name, level in levels)})"

    def _failed(self, error: Exception, doing: str) -> SubjectFailed:
        return self._failure(describe_failure(error, doing), failure_hint(error, self._spec.name))

    def _failure(self, message: str, hint: str) -> SubjectFailed:
        self.kill()
        safe = printable(self._redacted(f"{self._title()} {message}"))
        return SubjectFailed(safe, self._redacted(hint), self._stage)

    @cached_property
    def _redacted(self) -> Callable[[str], str]:
        return redaction(self._spec.inputs.values())

    def _safe_text(self, text: str) -> str:
        return printable(self._redacted(text), _LONGEST_TEXT)

    def _safe(self, witnesses: Witnesses) -> dict[str, Witness]:
        """Redact witnesses: a probe's text can contain its inputs."""
        return {
            self._safe_text(name): self._safe_text(value) if isinstance(value, str) else value
            for name, value in witnesses.items()
        }


def _identity(hello: HelloReply) -> dict[str, Witness]:
    """Return the probe's versions, then its clocks, which nothing replaces."""
    libraries: dict[str, Witness] = {f"library_{library.name}": library.version for library in hello.libraries}
    itself: dict[str, Witness] = {
        "probe": f"{hello.probe.name} {hello.probe.version}",
        "runtime": f"{hello.runtime.name} {hello.runtime.version}",
    }
    cpu_clock = {} if hello.cpu_clock is None else _clock("cpu_clock", hello.cpu_clock)
    return libraries | itself | _clock("clock", hello.clock) | cpu_clock


def _clock(name: str, clock: Clock) -> dict[str, Witness]:
    return {
        name: clock.name,
        f"{name}_granularity_s": clock.granularity_ns * 1e-9,
        f"{name}_read_s": clock.read_ns * 1e-9,
    }
