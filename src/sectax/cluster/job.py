"""Jobs for hosts of a cluster, their results, and the program that does them.

A job is one line on the stdin of a fresh process, and its result one line on stdout: MessagePack in Base64, the result
compressed. It may contain the run's keys, so it is never an argument, in the environment, or printed.
"""

from __future__ import annotations

import base64
import contextlib
import os
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Annotated, Any

import msgspec

from sectax.design.planning import RunRequest
from sectax.engines.engine import BlockFinished, BlockUpdate
from sectax.experiments import registry
from sectax.hosts.process.processors import move_threads
from sectax.model.environment import Environment
from sectax.model.errors import SectaxError
from sectax.model.machine import Machine
from sectax.model.plan import Calibrated, Plan
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, PlannedBlock, Trial
from sectax.run.environment import take_environment
from sectax.run.execution import LocalExecution
from sectax.run.machine import machine_snapshot

MODULE = "sectax.cluster.job"
# Inputs of at least this length may be keys; hiding shorter ones would garble every reason.
_SHORTEST_INPUT = 6
LONGEST_S = 1e9
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=LONGEST_S)]


class PackedEvents(msgspec.Struct, array_like=True):
    """Events by kind; `order` has the initial of each: Opened, Trial, Closed, Dropped."""

    order: str
    opened: list[Opened]
    trials: list[Trial]
    closed: list[Closed]
    dropped: list[Dropped]


class MachineJob(msgspec.Struct, tag=True):
    """Take the machine snapshot for a plan."""

    experiment: str
    request: RunRequest


class EnvironmentJob(msgspec.Struct, tag=True):
    """Read the environment for a plan."""

    plan: Plan


class PilotJob(msgspec.Struct, tag=True):
    """Run the pilot within `left_s` seconds."""

    plan: Plan
    inputs: dict[str, str]
    left_s: float


class BlockJob(msgspec.Struct, tag=True):
    """Measure one block."""

    plan: Plan
    inputs: dict[str, str]
    calibrated: Calibrated
    block: PlannedBlock


Job = MachineJob | EnvironmentJob | PilotJob | BlockJob


class MachineResult(msgspec.Struct, tag=True):
    machine: Machine


class EnvironmentResult(msgspec.Struct, tag=True):
    environment: Environment


class PilotResult(msgspec.Struct, tag=True):
    """The result of the pilot.

    Attributes:
        gaps: seconds between two operations, by treatment.
        ready_s: seconds from the start of the process until its services were ready.
    """

    calibrated: Calibrated
    gaps: dict[str, _Seconds]
    ready_s: _Seconds
    events: PackedEvents
    notes: list[str] = []


class BlockResult(msgspec.Struct, tag=True):
    """A finished block; `sectax` is the version that measured it."""

    block: int
    seconds: _Seconds
    sectax: str
    events: PackedEvents
    notes: list[str] = []


class JobRefused(msgspec.Struct, tag=True):
    """Why there is no result."""

    reason: str
    hint: str = ""


Answer = MachineResult | EnvironmentResult | PilotResult | BlockResult | JobRefused

_JOBS: msgspec.msgpack.Decoder[Job] = msgspec.msgpack.Decoder(Job)
_ANSWERS: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
# Bytes of a result, unpacked: what a plan can give at most is a few times less.
_ANSWER_BYTES = 4 << 20  # facts and notes
_TREATMENT_BYTES = 64 << 10  # opened and closed, with witnesses
_VISIT_BYTES = 8 << 10  # with telemetry
_OPERATION_BYTES = 1 << 10  # its observations, if it is timed by itself
_PILOT_BYTES = 16 << 20
# A note is a sentence, and a block gives a few.
_MOST_NOTES, _LONGEST_NOTE = 100, 10_000


def encode_job(job: Job) -> bytes:
    return base64.b64encode(msgspec.msgpack.encode(job))


def largest_result(block: PlannedBlock) -> int:
    """The size in bytes, unpacked, that the result of a block cannot exceed."""
    visits = [visit.work for cell in block.cells for visit in cell.visits]
    operations = sum(work.count + work.extra for work in visits if work.each)
    treatments = sum(len(cell.opening) for cell in block.cells)
    return _ANSWER_BYTES + treatments * _TREATMENT_BYTES + len(visits) * _VISIT_BYTES + operations * _OPERATION_BYTES


def decode_answer(line: bytes, largest: int = _PILOT_BYTES) -> Answer:
    """Decode the result of a job.

    Args:
        largest: the most bytes that it may have, unpacked.
    Raises:
        ValueError: it is invalid, or larger than its job can make it.
    """
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(base64.b64decode(line, validate=True), largest)
        if unpacking.unconsumed_tail:
            raise ValueError(f"invalid answer: it is larger than {largest >> 20} MiB")
        answer = _ANSWERS.decode(content)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"invalid answer: {error}") from error
    notes = answer.notes if isinstance(answer, PilotResult | BlockResult) else []
    if len(notes) > _MOST_NOTES or any(len(note) > _LONGEST_NOTE for note in notes):
        raise ValueError("invalid answer: too many notes")
    return answer


def unpack_events(answer: PilotResult | BlockResult) -> Iterator[BlockEvent]:
    """The events in order. Raises `ValueError` if some are missing."""
    events = answer.events
    kinds: dict[str, Iterator[BlockEvent]] = {
        "O": iter(events.opened),
        "T": iter(events.trials),
        "C": iter(events.closed),
        "D": iter(events.dropped),
    }
    try:
        for letter in events.order:
            yield next(kinds[letter])
    except (KeyError, StopIteration) as error:
        raise ValueError("invalid answer: events are missing") from error


class _Notes:
    """An `EventSink` that collects the notes for the answer."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def say(self, text: str) -> None:
        """The note says the same."""

    def waiting(self, what: str) -> AbstractContextManager[None]:
        return contextlib.nullcontext()


def do(job: Job) -> Answer:
    """Do a job on this machine; errors become `JobRefused`."""
    try:
        match job:
            case MachineJob(name, request):
                experiment = registry.load(name)
                return MachineResult(machine_snapshot(experiment, request, lambda text: None))
            case EnvironmentJob(plan):
                return EnvironmentResult(take_environment(registry.load(plan.experiment).bench(plan)))
            case PilotJob(plan, inputs, left_s):
                return _try(plan, inputs, left_s)
            case BlockJob(plan, inputs, calibrated, block):
                return _measure(plan, inputs, calibrated, block)
    except SectaxError as error:
        return JobRefused(error.message, error.hint)
    except Exception as error:  # the run continues on other hosts
        return JobRefused(f"{type(error).__name__}: {error}")


def _try(plan: Plan, inputs: Mapping[str, str], left_s: float) -> PilotResult:
    events: list[BlockEvent] = []
    with _started(plan, inputs) as (execution, notes):
        ready_s = _age_s()
        calibrated = execution.calibrate(events.append, lambda: left_s, lambda treatment, operation_s: None)
        return PilotResult(calibrated, execution.gaps(calibrated), ready_s, _packed(events, inputs), notes.notes)


def _measure(plan: Plan, inputs: Mapping[str, str], calibrated: Calibrated, block: PlannedBlock) -> BlockResult:
    from sectax import __version__

    events: list[BlockEvent] = []
    with _started(plan, inputs) as (execution, notes):
        for event in execution.engine(calibrated).run([block]):
            match event:
                case BlockUpdate(_, update):
                    events.append(update)
                case BlockFinished(number, seconds):
                    return BlockResult(number, seconds, __version__, _packed(events, inputs), notes.notes)
    raise AssertionError("a block on this machine always ends")


@contextlib.contextmanager
def _started(plan: Plan, inputs: Mapping[str, str]) -> Iterator[tuple[LocalExecution, _Notes]]:
    notes = _Notes()
    with registry.load(plan.experiment).bench(plan) as bench, contextlib.ExitStack() as pinned:
        execution = LocalExecution(bench, inputs, notes)
        pinned.callback(execution.release)
        allowed = os.sched_getaffinity(0)
        execution.start()
        # The waiting worker wakes up often: move its threads to other processors.
        if plan.one_processor and (processors := allowed - os.sched_getaffinity(0)):
            move_threads(os.getppid(), processors)
        yield execution, notes


def _age_s() -> float:
    with open("/proc/self/stat", "rb") as file:
        began = int(file.read().rpartition(b")")[2].split()[19])  # starttime, proc_pid_stat(5)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began / os.sysconf("SC_CLK_TCK")


def _packed(events: Iterable[BlockEvent], inputs: Mapping[str, str]) -> PackedEvents:
    """Pack events, with the run's inputs hidden in reasons."""
    packed = PackedEvents("", [], [], [], [])
    lists: dict[type, list[Any]] = {
        Opened: packed.opened,
        Trial: packed.trials,
        Closed: packed.closed,
        Dropped: packed.dropped,
    }
    for event in events:
        lists[type(event)].append(_without_inputs(event, inputs))
        packed.order += type(event).__name__[0]
    return packed


def _without_inputs(event: BlockEvent, inputs: Mapping[str, str]) -> BlockEvent:
    if not isinstance(event, Trial | Dropped) or not (event.reason or event.hint):
        return event
    return replace(event, reason=hide_inputs(event.reason, inputs), hint=hide_inputs(event.hint, inputs))


def hide_inputs(text: str, inputs: Mapping[str, str]) -> str:
    """Hide the run's inputs in a text."""
    for value in inputs.values():
        if len(value) >= _SHORTEST_INPUT:
            text = text.replace(value, "[input]")
    return text


def main() -> None:
    """Read a job from stdin, write its result to stdout, other output to stderr."""
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    job = _JOBS.decode(base64.b64decode(sys.stdin.buffer.readline()))
    answer = do(job)
    if isinstance(answer, JobRefused) and isinstance(job, PilotJob | BlockJob):
        answer = JobRefused(hide_inputs(answer.reason, job.inputs), hide_inputs(answer.hint, job.inputs))
    packed = base64.b64encode(zlib.compress(msgspec.msgpack.encode(answer), 1))
    with os.fdopen(answers, "wb") as out:
        out.write(packed + b"\n")


if __name__ == "__main__":
    main()
