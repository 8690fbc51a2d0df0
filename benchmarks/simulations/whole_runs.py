"""Whole runs that never happened, judged as the program judges: blocks, drop-out, controls, audit, verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.scenarios import BATCH_S, Array
from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.analysis.stopping import find_undecided
from sectax.audit.own.registry import run as audit
from sectax.model.analysed import Analysed
from sectax.model.environment import Environment
from sectax.model.finding import FASTER, SLOWER, UNSETTLED, WITHIN_MARGIN, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics, Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import DEFAULT_MAX_BLOCKS, Calibrated, Calibration, Plan, Stopping, Until
from sectax.model.treatment import Cell, Comparison, Factor, Role, Standing, Treatment
from sectax.stats.batch_shape import process_batches

THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")
COUNT = 1000
CONTROL_EXTRA = 2.0  # of the margin
# A claim whose point is so many times the true effect misleads, though its direction and interval are right.
EXAGGERATED = 1.5


@dataclass(frozen=True)
class Machine:
    """How much processes and batches vary, in logs."""

    process: float = 0.005
    batch: float = 0.005
    rounds: int = 8


@dataclass
class Tally:
    """What came of many whole runs; counts of comparisons, except where runs are named."""

    runs: int = 0
    comparisons: int = 0
    with_verdict: int = 0
    wrong_direction: int = 0
    wrong_within: int = 0
    fired: int = 0
    missed: int = 0
    exaggerated: int = 0
    exaggerated_unmarked: int = 0
    blocks: list[int] = field(default_factory=list)
    verdicts: Counter[VerdictId] = field(default_factory=Counter)


def plan_of(effects: dict[str, float], stopping: Stopping, cells: int = 1) -> Plan:
    """A plan with these treatments in every cell, and one negative and one positive control."""
    levels = ("baseline", *effects)
    made: list[Cell] = []
    treatments: list[Treatment] = []
    comparisons: list[Comparison] = []
    primary = len(effects) * cells
    for number in range(cells):
        cell = f"cell{number}"
        made.append(Cell(cell, {"cell": str(number)}, "family", f"{cell}/baseline"))
        for level in levels:
            role = Role.BASELINE if level == "baseline" else Role.TREATMENT
            treatments.append(Treatment(f"{cell}/{level}", cell, {"level": level}, role))
            if role is Role.TREATMENT:
                comparisons.append(_comparison(cell, level, Standing.PRIMARY, stopping.alpha / primary))
    for suffix, role, standing, extra in (
        ("baseline#negative", Role.NEGATIVE, Standing.NEGATIVE, 0.0),
        ("baseline#positive", Role.POSITIVE, Standing.POSITIVE, CONTROL_EXTRA * stopping.margin),
    ):
        treatments.append(Treatment(f"cell0/{suffix}", "cell0", {"level": "baseline"}, role, extra))
        comparisons.append(_comparison("cell0", suffix, standing, stopping.alpha))
    return Plan(
        experiment="simulation",
        preset="default",
        question="",
        transfers="",
        control="level",
        factors=(Factor("level", levels),),
        metrics=(THROUGHPUT,),
        cells=tuple(made),
        treatments=tuple(treatments),
        comparisons=tuple(comparisons),
        skipped=(),
        stopping=stopping,
        seed=1,
        batch_s=BATCH_S,
    )


def _comparison(cell: str, level: str, standing: Standing, alpha: float) -> Comparison:
    treatment = f"{cell}/{level}"
    return Comparison(f"{treatment}:throughput", cell, treatment, f"{cell}/baseline", THROUGHPUT.name, standing, alpha)


class Run:
    """One run, block by block: `measured` is what the record of such a run would hold."""

    def __init__(self, plan: Plan, costs: dict[str, float], machine: Machine, rng: Generator) -> None:
        """Args: *costs*, the true cost of every treatment as a log ratio."""
        self.plan, self.costs, self.machine, self.rng = plan, costs, machine, rng
        self.live = [treatment.id for treatment in plan.treatments]
        self.blocks: list[int] = []
        self.values: dict[str, dict[int, float]] = {name: {} for name in self.live}
        self.shapes: dict[str, dict[int, BatchShape]] = {name: {} for name in self.live}
        self.visited: dict[str, list[int]] = {name: [] for name in self.live}
        self.calibrated = Calibrated(
            {name: Calibration(name, COUNT, 0, BATCH_S, 0.0, 1e-9, 1e-9) for name in self.live},
            {cell.id: machine.rounds for cell in plan.cells},
        )

    def block(self) -> None:
        """Measure one block of the live treatments."""
        number = len(self.blocks) + 1
        rounds = self.machine.rounds
        places = self.rng.permuted(np.tile(np.arange(len(self.live)), (rounds, 1)), axis=1).T.astype(np.float64)
        for name, place in zip(self.live, places, strict=True):
            logs = self.costs[name] + self.rng.normal(0, self.machine.process)
            times: Array = BATCH_S * np.exp(logs + self.rng.normal(0, self.machine.batch, rounds))
            self.values[name][number] = COUNT * rounds / float(times.sum())
            (batches,) = process_batches(times / COUNT, place, [rounds])
            if batches.shape is not None:
                self.shapes[name][number] = batches.shape
            self.visited[name].append(number)
        self.blocks.append(number)

    def measured(self) -> Measured:
        rounds = self.machine.rounds
        return Measured(
            run_id="simulated",
            started="",
            state="running",
            plan=self.plan,
            calibrated=self.calibrated,
            blocks=tuple(self.blocks),
            values={THROUGHPUT.name: self.values},
            counts={THROUGHPUT.name: {name: rounds * len(seen) for name, seen in self.values.items()}},
            visited={name: tuple(seen) for name, seen in self.visited.items()},
            failures=(),
            witnesses={},
            batches={
                name: BatchStatistics(rounds * len(seen), COUNT * rounds * len(seen), BATCH_S, 0.0)
                for name, seen in self.values.items()
            },
            telemetry={name: {"throttled_s": 0.0} for name in self.values},
            sessions=(Environment({}),),
            block_s=1.0,
            shapes=self.shapes,
        )

    def to_the_end(self) -> Analysed:
        """Go on until nothing is open or the blocks are spent, as the program does."""
        measured = self.measured()
        while self.live and len(self.blocks) < self.plan.stopping.max_blocks:
            self.block()
            measured = self.measured()
            wanted = find_undecided(measured, judge(measured))
            self.live = [name for name in self.live if wanted and name in wanted.treatments]
        findings = judge(measured)
        return analyse(measured, audit(measured, findings), findings)


def whole_runs(
    effects: dict[str, float],
    *,
    seed: int,
    runs: int,
    machine: Machine,
    margin: float = 0.02,
    cells: int = 1,
    until: Until = Until.VERDICT,
) -> Tally:
    """Many whole runs with these true costs, shares of the baseline's (0.05 is 5 %)."""
    tally = Tally()
    plan = plan_of(effects, Stopping(margin, max_blocks=DEFAULT_MAX_BLOCKS, until=until), cells)
    costs = {treatment.id: float(np.log1p(treatment.extra)) for treatment in plan.treatments}
    for cell in plan.cells:
        costs |= {f"{cell.id}/{level}": float(np.log1p(cost)) for level, cost in effects.items()}
    for number in range(runs):
        run = Run(plan, costs, machine, np.random.default_rng([seed, number]))
        _count(tally, run.to_the_end(), costs, margin)
    return tally


def _count(tally: Tally, analysed: Analysed, costs: dict[str, float], margin: float) -> None:
    tally.runs += 1
    tally.blocks.append(len(analysed.measured.blocks))
    tally.fired += any(warning.check == "negative-control" and warning.severity == "F" for warning in analysed.warnings)
    tally.missed += any(
        warning.check == "positive-control" and warning.severity == "F" for warning in analysed.warnings
    )
    marked = {warning.subject for warning in analysed.warnings if warning.check == "barely-found"}
    for finding in analysed.findings:
        if finding.comparison.standing is not Standing.PRIMARY:
            continue
        cost = costs[finding.comparison.treatment]
        tally.comparisons += 1
        tally.verdicts[finding.verdict] += 1
        tally.with_verdict += finding.verdict not in UNSETTLED | {
            VerdictId.WITHDRAWN,
            VerdictId.NOT_MEASURED,
        }
        tally.wrong_direction += (finding.verdict in SLOWER and cost <= 0) or (finding.verdict in FASTER and cost >= 0)
        if finding.effect is not None and finding.verdict in SLOWER | FASTER:
            exaggerated = abs(finding.effect.log_ratio) >= EXAGGERATED * abs(cost)
            tally.exaggerated += exaggerated
            tally.exaggerated_unmarked += exaggerated and finding.comparison.id not in marked
        tally.wrong_within += finding.verdict in WITHIN_MARGIN and abs(cost) >= float(np.log1p(margin))
