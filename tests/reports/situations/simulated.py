"""Runs of simulated subjects with known costs, planned, executed, recorded and judged by sectax."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sectax.design.order import plan_block
from sectax.design.planning import Design, RunRequest, make_plan
from sectax.engines.block import run_block
from sectax.model.analysed import Analysed
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import SubjectFailed
from sectax.model.metric import Metric
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.model.treatment import Role, Treatment
from sectax.model.trial import Dropped, Opened
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from sectax.run.analyse import analyse_measured

ENVIRONMENT = Environment(
    {
        "host.cpu_model": "AMD EPYC 7B13",
        "host.cpus": "2",
        "host.kernel": "6.1.0-18-amd64",
        "probe.php": "PHP 8.2.7, OpenSSL 3.0.11",
        "sectax": "0.1.0",
    },
    {"host.name": "bench-07"},
)
BATCH_S = 0.02
_OPEN_S = 0.05


@dataclass(frozen=True)
class Fault:
    """When a treatment fails, and why: `open` fails at once, `visit` after the first batches."""

    reason: str
    hint: str = ""
    stage: str = "open"
    blocks: Collection[int] = range(1, 1000)


@dataclass
class Case:
    """A run to simulate.

    Attributes:
        truth: treatment id, or `id:observed` -> cost of an operation without noise, in the observed unit.
        noise: treatment id -> standard deviation between its processes, as a share; default `usual_noise`.
        moves: treatment id -> extra cost in a block, as a log ratio.
        witnesses: treatment id -> witnesses of its subjects.
        telemetry: treatment id -> totals over its batches.
        operations: treatment id -> operations per batch; default as many as take 20 ms.
        hosts: other hosts, by name; `order` is the host of each block.
        pace: host -> extra cost of everything there, as a log ratio.
    """

    design: Design
    truth: dict[str, float]
    experiment: str = "jwt"
    question: str = "Which signature algorithm for a JWT, in my language?"
    preset: str = "default"
    stopping: Stopping = field(default_factory=lambda: Stopping(0.02))
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    usual_noise: float = 0.003
    moves: dict[str, Callable[[int], float]] = field(default_factory=dict)
    witnesses: dict[str, Witnesses] = field(default_factory=dict)
    telemetry: dict[str, dict[str, float]] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    pilot: tuple[Dropped, ...] = ()
    empty_s: dict[str, float] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)
    blocks: int = 14
    rounds: int = 8
    block_s: float = 4.4
    state: str = "finished"
    notes: tuple[str, ...] = ()
    hosts: Mapping[str, Environment] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    pace: Mapping[str, float] = field(default_factory=dict)

    def host(self, block: int) -> str:
        return self.order[block - 1] if self.order else LOCAL_HOST

    def build(self) -> Analysed:
        plan = self.plan()
        lost = {comparison.treatment for comparison in self.pilot}
        live = [treatment for treatment in plan.treatments if treatment.id not in lost]
        calibration = self.calibrated(plan, live)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.sectax"
            with RunWriter.create(
                path, plan, replace(ENVIRONMENT, hosts=dict(self.hosts)), "7f3a91c2d4e5f607", "0.1.0"
            ) as writer:
                for dropped in self.pilot:
                    writer.event(0, dropped)
                writer.calibrate(calibration)
                for note in self.notes:
                    writer.note(note)
                for number in range(1, self.blocks + 1):
                    planned = plan_block(plan, calibration, number, [treatment.id for treatment in live])
                    block = replace(planned, host=self.host(number))
                    specs = {
                        treatment.id: _Spec(self, plan, treatment, number, calibration.rounds[treatment.cell])
                        for treatment in live
                    }
                    writer.begin_block(block)
                    for event in run_block(block, specs):
                        # The only time from the real clock.
                        is_open = isinstance(event, Opened)
                        writer.event(number, replace(event, open_s=_OPEN_S) if is_open else event)
                    writer.finish_block(number, self.block_s)
                writer.finish(self.state)
            with RunReader.open(path) as reader:
                measured = reader.measured()
        # The real start time is not reproducible.
        return analyse_measured(replace(measured, started="2026-03-02T09:14:05Z"))

    def plan(self) -> Plan:
        request = RunRequest(self.preset, {}, self.stopping, seed=42, options=self.options)
        return make_plan(self.experiment, self.question, self.design, request)

    def calibrated(self, plan: Plan, live: Sequence[Treatment]) -> Calibrated:
        """The calibration of a pilot: batches of 20 ms by the first metric of time."""
        timed = next((metric for metric in plan.metrics if metric.unit in ("s", "operations/s")), plan.metrics[0])
        calibrations = {}
        for treatment in live:
            operation_s = self.costs(plan, treatment, timed)
            count = self.operations.get(treatment.id.partition("#")[0]) or max(1, round(BATCH_S / operation_s))
            empty_s = self.empty_s.get(treatment.id)
            calibrations[treatment.id] = Calibration(
                treatment.id, count, 4, count * operation_s, 0.05, 2.4e-8, 3.1e-8, empty_s
            )
        return Calibrated(calibrations, dict.fromkeys((treatment.cell for treatment in live), self.rounds))

    def costs(self, plan: Plan, treatment: Treatment, metric: Metric) -> float:
        """One operation without noise; a control costs what its baseline does."""
        name = treatment.id.partition("#")[0]
        return self.truth[name if metric.observed == plan.metrics[0].observed else f"{name}:{metric.observed}"]


@dataclass(frozen=True)
class _Spec:
    """Implements `SubjectSpec`: one treatment's process in one block."""

    case: Case
    plan: Plan
    treatment: Treatment
    block: int
    rounds: int

    def subject(self) -> _Subject:
        return _Subject(self)


class _Subject:
    """Implements `Subject`."""

    def __init__(self, spec: _Spec) -> None:
        self._spec, self._case, self._id = spec, spec.case, spec.treatment.id
        self._random = random.Random(f"{self._id} {spec.block}")
        process = self._random.gauss(0, self._case.noise.get(self._id, self._case.usual_noise))
        move = self._case.moves.get(self._id)
        pace = self._case.pace.get(self._case.host(spec.block), 0.0)
        self._factor = math.exp(process + (move(spec.block) if move else 0.0) + pace)
        self._fault = self._case.faults.get(self._id)
        once = [metric for metric in spec.plan.metrics if metric.once_per_process]
        self.first = tuple(self._observed(treatment, Work(1)) for treatment in once)

    def start(self) -> None:
        pass

    def open(self) -> Witnesses:
        self._fail("open")
        return self._case.witnesses.get(self._id, {})

    def visit(self, work: Work) -> Visit:
        self._fail("visit")
        metrics_by_name = {metric.observed: metric for metric in self._spec.plan.metrics if not metric.once_per_process}
        batches = self._case.blocks * self._spec.rounds
        telemetry = {name: total / batches for name, total in self._case.telemetry.get(self._id, {}).items()}
        return Visit(tuple(self._observed(item, work) for item in metrics_by_name.values()), telemetry)

    def close(self) -> Witnesses:
        return {}

    def kill(self) -> None:
        pass

    def _fail(self, stage: str) -> None:
        fault = self._fault
        if fault is not None and fault.stage == stage and self._spec.block in fault.blocks:
            raise SubjectFailed(fault.reason, fault.hint)

    def _observed(self, metric: Metric, work: Work) -> Observation:
        cost = self._case.costs(self._spec.plan, self._spec.treatment, metric)
        if metric.unit == "B":  # in whole pages, of the process and not of an operation
            pages = 4096.0 * round(cost * self._factor * math.exp(self._random.gauss(0, 0.001)) / 4096)
            return Observation(metric.observed, pages, "B", "rusage", 1)
        extra = work.extra
        if self._spec.treatment.role is Role.POSITIVE and not self._spec.treatment.extra:
            cost *= 1 + 2 * self._spec.plan.stopping.margin
        seconds = cost * (work.count + extra) * self._factor * math.exp(self._random.gauss(0, 0.002))
        clock = "rusage" if metric.cpu else "monotonic"
        return Observation(metric.observed, seconds, "s", clock, work.count)


def calibrated(plan: Plan, operations: int = 33) -> Calibrated:
    """A calibration for any plan."""
    return Calibrated(
        {
            treatment.id: Calibration(treatment.id, operations, 4, BATCH_S, 0.05, 2.4e-8, 3.1e-8)
            for treatment in plan.treatments
        },
        {cell.id: 8 for cell in plan.cells},
    )
