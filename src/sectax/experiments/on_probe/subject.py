"""A probe process as a subject: one fresh process with one operation made ready."""

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
from sectax.experiments.on_probe.failures import ProbeTrouble, advice, redaction, story
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

# Characters of a witness that are kept: versions and curves are short, and what a probe says is not to be trusted.
_LONGEST_TEXT = 200


@runtime_checkable
class Weighs(Referee, Protocol):
    """What a referee has besides where the size of an artefact stands beside its time."""

    def sizes(self, artefact: str) -> dict[str, int]:
        """Bytes, by the names of metrics."""


@dataclass(frozen=True)
class ProbeSpec:
    """How a probe is started and what it is to make ready; data that can travel to another machine.

    Attributes:
        name: of the probe, for messages.
        argv, cwd: the command that starts it, and where.
        operation, parameters, inputs: as in `prepare`. Inputs are secret and never shown.
        referee: judges what the operation makes and what it accepts; None where there is nothing to judge (`empty`).
        deadline_s: seconds that any reply may take.
        stop_grace_s: seconds that the process may take to exit once it was asked to.
        first: time the very first operation of the process, before anything else has run it.
        host: where it runs, by the name of a host (`sectax.hosts.registry`).
        longest_warmup_s: seconds of work after which a fresh process is as fast as it gets, at most: the JVM's compiler
            needs one to three. least_warmup_s: seconds before which it may look so, and is not.
        peak_memory: observe the most memory that the process has had when its first operation is done, as
            `first.peak_bytes`; a process of another host has none.
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

    `start`, `open`, any number of `visit`, `close`; whatever fails kills the process and raises `SubjectFailed`.
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
        """Of the probe's process; None before it was started."""
        return None if self._conversation is None else self._conversation.child.pid

    def start(self) -> None:
        """Start the process and greet it, without waiting for its answer."""
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
        """Make the operation ready and check that it is what it claims to be.

        Returns:
            The probe's own witnesses (`key_bits`, `alg`, …), and `probe`, `runtime`, `library_*`, `clock`,
            `clock_granularity_s`, `clock_read_s`; of a probe with a CPU clock `cpu_clock` and the same figures of it.
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
                before = telemetry.read(just_now=True)
                reply = conversation.measure(1)
                process_s = difference(before, telemetry.read()).get("cpu_time_s")
                first_s = self._checked(conversation, reply, process_s=process_s)
                self.first = (self._observation(FIRST, first_s, 1), *self._peak_memory(conversation.child.pid))
            doing = "witness"
            witnesses = self._witness(conversation)
        except AnsweredSkipped as error:
            self.kill()
            raise SubjectSkipped(self._safe_text(error.reason), self._safe_text(error.hint)) from error
        except ProbeTrouble as error:
            raise self._failed(error, doing) from error
        self._stage = "visit"
        return self._safe(prepared.witnesses) | witnesses | self._safe(_identity(hello))

    def visit(self, work: Work) -> Visit:
        """Have the operations run, and say how long they took by the probe's own clock.

        Observations: `batch_time` in seconds, one for the batch, or with `work.each` one per operation; beside the
        one of a batch `batch_cpu`, where the probe has a CPU clock. Operations that are `extra` lengthen the batch and
        are not counted.
        Telemetry is of the whole request, the operations that settle too; `spanned_s` says how many seconds that took.
        """
        if work.each and work.extra:
            raise ValueError("extra operations lengthen a batch; they cannot be added to single ones")
        conversation, before = self._running(), self._telemetry.read(just_now=True)
        began = time.monotonic()
        try:
            reply = conversation.measure(work.count + work.extra, work.settle, work.each)
        except ProbeTrouble as error:
            raise self._failed(error, "measure") from error
        after = self._telemetry.read()
        spanned_s = time.monotonic() - began
        ridden = difference(before, after) | {"spanned_s": spanned_s}
        elapsed_s = self._checked(conversation, reply, work.settle, ridden.get("cpu_time_s"))
        if work.each:
            observations = tuple(self._observation(BATCH_TIME, elapsed * 1e-9, 1) for elapsed in reply.elapsed_ns)
        else:
            observations = (self._observation(BATCH_TIME, elapsed_s, work.count),)
        if self._cpu_watch is not None and not work.each:
            cpu_s = self._checked_cpu(self._cpu_watch, reply, work.settle, ridden.get("cpu_time_s"))
            observations += (Observation(BATCH_CPU, cpu_s, "s", self._cpu_clock, work.count),)
        return Visit(observations, ridden)

    def close(self) -> Witnesses:
        """Check once more, and have the process end of itself.

        Returns:
            What the probe witnessed after the measurement, and `exit_status`.
        """
        self._stage = "close"
        conversation = self._running()
        doing = "witness"
        try:
            witnesses = self._witness(conversation)
            doing = "stop"
            conversation.stop()
        except ProbeTrouble as error:
            raise self._failed(error, doing) from error
        witnesses["exit_status"] = self._wait_for_exit(conversation)
        self.kill()
        return witnesses

    def kill(self) -> None:
        """End the process at once; never raises."""
        self._telemetry.close()
        if self._conversation is not None:
            with contextlib.suppress(OSError):
                self._conversation.child.kill()

    def _wait_for_exit(self, conversation: Conversation) -> int:
        grace_s = self._spec.stop_grace_s
        try:
            exit_status = conversation.child.wait(time.monotonic() + grace_s)
        except ChildSilent as error:
            message = f"said that it stops, and still ran {grace_s:.1f} s later"
            raise self._failure(message, advice(error, self._spec.name)) from error
        if exit_status != 0:
            message = f"stopped with {describe_exit(exit_status)} instead of 0"
            raise self._failure(message, advice(None, self._spec.name))
        return exit_status

    def _peak_memory(self, pid: int) -> tuple[Observation, ...]:
        if not self._spec.peak_memory or self._spec.host != LOCAL_HOST:
            return ()
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:  # a kernel without /proc says nothing of it
            return ()
        match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
        return () if match is None else (Observation(f"{FIRST}.peak_bytes", 1024 * int(match[1]), "B", "VmHWM", 1),)

    def _sizes(self, artefact: str | None) -> tuple[Observation, ...]:
        """What the artefact that was made, or is looked at, weighs, where the referee can tell."""
        referee = self._spec.referee
        if not isinstance(referee, Weighs):
            return ()
        sizes = referee.sizes(referee.genuine()[0] if artefact is None else artefact)
        return tuple(Observation(f"{FIRST}.{name}", size, "B", "counted", 1) for name, size in sizes.items())

    def _witness(self, conversation: Conversation) -> dict[str, Witness]:
        spec = self._spec
        witnessed = witness(conversation, spec.operation, spec.referee)
        if witnessed.flaws:
            raise self._failure(
                "; ".join(witnessed.flaws.values()),
                "nothing is timed that does not do its work; sectax probe check names each step that fails",
            )
        if self._stage == "open" and self.first:
            self.first += self._sizes(witnessed.reply.artefact)
        return self._safe(witnessed.reply.witnesses)

    def _checked(
        self, conversation: Conversation, reply: MeasureReply, settle: int = 0, process_s: float | None = None
    ) -> float:
        """The seconds of a measurement that can be believed."""
        if reply.failures:
            message = f"got {reply.failures} wrong results in {reply.count} operations"
            raise self._failure(message, "its times are not those of the operation and are thrown away")
        elapsed_s = sum(reply.elapsed_ns) * 1e-9
        timed_share = reply.count / (reply.count + settle)
        complaint = self._watch.complaint(elapsed_s, conversation.wall_s, timed_share, process_s)
        if complaint is not None:
            raise self._failure(f"reports times that cannot be: {complaint}", advice(None, self._spec.name))
        return elapsed_s

    def _checked_cpu(self, watch: CpuWatch, reply: MeasureReply, settle: int, process_s: float | None) -> float:
        """The CPU time of a batch that can be believed, in seconds."""
        if reply.cpu_ns is None:
            message = f"named the CPU clock {self._cpu_clock} and reported no cpu_ns"
            raise self._failure(message, advice(None, self._spec.name))
        cpu_s = reply.cpu_ns * 1e-9
        timed_share = reply.count / (reply.count + settle)
        complaint = watch.complaint(cpu_s, sum(reply.elapsed_ns) * 1e-9, timed_share, process_s)
        if complaint is not None:
            raise self._failure(f"reports CPU times that cannot be: {complaint}", advice(None, self._spec.name))
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
        return self._failure(story(error, doing), advice(error, self._spec.name))

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
        """Witnesses as they may be shown and recorded: text from a probe can hold anything, its inputs too."""
        return {
            self._safe_text(name): self._safe_text(value) if isinstance(value, str) else value
            for name, value in witnesses.items()
        }


def _identity(hello: HelloReply) -> dict[str, Witness]:
    """Who the probe is, as flat names. The clock's figures are sectax's to name, so they go last and win."""
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
