"""Runs of ours that never happened, with something wrong in them or nothing, for the audit to look at.

    python -m benchmarks.simulations.audited_runs [--runs 1000]

prints how often each check speaks on healthy runs, and how often it finds faults of growing size.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.figures import Share
from benchmarks.simulations.scenarios import ARMS, BATCH_S, SCENARIOS, Array, batch_times
from benchmarks.simulations.whole_runs import COUNT, Machine, Run, plan_of
from sectax.analysis.findings import judge
from sectax.audit.own.registry import run as audit
from sectax.model.environment import Environment
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics, Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.stats.batch_shape import process_batches

BASELINE, TREATMENT, NEGATIVE, POSITIVE = (
    "cell0/baseline",
    "cell0/t",
    "cell0/baseline#negative",
    "cell0/baseline#positive",
)
# What these simulations are about; the other checks have fixtures of their own.
CHECKS = ("first-trial", "drift", "modes", "zero-event-run")
# The latency of a batch by its median, for the check of medians.
LATENCY = Metric("latency", "s", Better.LOWER, Summary.MEDIAN, "batch_time")


@dataclass
class Draft:
    """A run before it is judged: logs of the seconds of every batch, and their places, of shape (blocks, rounds)."""

    plan: Plan
    logs: dict[str, Array]
    places: dict[str, Array]

    @property
    def blocks(self) -> int:
        return len(next(iter(self.logs.values())))

    def measured(self) -> Measured:
        """What the record of the run would hold."""
        (metric,) = self.plan.metrics
        times = {name: BATCH_S * np.exp(logs) for name, logs in self.logs.items()}
        rounds = {name: seconds.shape[1] for name, seconds in times.items()}
        blocks = tuple(range(1, self.blocks + 1))
        shapes, repeated = {}, {}
        for name, seconds in times.items():
            made = process_batches(seconds.ravel() / COUNT, self.places[name].ravel(), [rounds[name]] * len(blocks))
            repeated[name] = 1 - sum(one.distinct for one in made) / seconds.size
            shapes[name] = {block: one.shape for block, one in zip(blocks, made, strict=True) if one.shape is not None}
        return Measured(
            run_id="simulated",
            started="",
            state="finished",
            plan=self.plan,
            calibrated=Calibrated(
                {name: Calibration(name, COUNT, 0, BATCH_S, 0.0, 1e-9, 1e-9) for name in times},
                {"cell0": max(rounds.values())},
            ),
            blocks=blocks,
            values={
                metric.name: {
                    name: dict(zip(blocks, _values(metric, seconds).tolist(), strict=True))
                    for name, seconds in times.items()
                }
            },
            counts={metric.name: {name: seconds.size for name, seconds in times.items()}},
            visited=dict.fromkeys(times, blocks),
            failures=(),
            witnesses={},
            batches={
                name: BatchStatistics(seconds.size, COUNT * seconds.size, float(seconds.min()), repeated[name])
                for name, seconds in times.items()
            },
            telemetry={name: {"throttled_s": 0.0} for name in times},
            sessions=(Environment({}),),
            block_s=1.0,
            shapes=shapes,
        )


def _values(metric: Metric, seconds: Array) -> Array:
    if metric.summary is Summary.RATE:
        rates: Array = COUNT * seconds.shape[1] / seconds.sum(axis=1)
        return rates
    return np.median(seconds, axis=1) / COUNT


def healthy(
    rng: Generator, *, cost: float = 0.05, blocks: int = 20, rounds: int = 16, machine: Machine | None = None
) -> Draft:
    """A run in which nothing is wrong: normal effects of processes and batches, in logs."""
    how = machine or Machine()
    plan = plan_of({"t": cost}, Stopping(0.02, max_blocks=max(blocks, 40)))
    costs = {BASELINE: 0.0, TREATMENT: float(np.log1p(cost)), NEGATIVE: 0.0, POSITIVE: float(np.log1p(0.04))}
    logs = {
        name: effect + rng.normal(0, how.process, (blocks, 1)) + rng.normal(0, how.batch, (blocks, rounds))
        for name, effect in costs.items()
    }
    return Draft(plan, logs, _places(rng, tuple(costs), blocks, rounds))


def of_scenario(index: int, rng: Generator, blocks: int, rounds: int) -> Draft:
    """A run on one of the machines of `scenarios`, in which all arms are alike."""
    seconds = batch_times(SCENARIOS[index], rng, runs=1, blocks=blocks, rounds=rounds, effect=0.0)[0]
    names = (BASELINE, TREATMENT, NEGATIVE)
    assert len(names) == ARMS
    plan = plan_of({"t": 0.0}, Stopping(0.02, max_blocks=max(blocks, 40)))
    logs = {name: np.log(seconds[:, :, arm] / BATCH_S) for arm, name in enumerate(names)}
    return Draft(plan, logs, _places(rng, names, blocks, rounds))


def _places(rng: Generator, names: tuple[str, ...], blocks: int, rounds: int) -> dict[str, Array]:
    drawn = rng.permuted(np.tile(np.arange(len(names), dtype=np.float64), (blocks, rounds, 1)), axis=2)
    return {name: drawn[:, :, arm] for arm, name in enumerate(names)}


def cold_first_batch(draft: Draft, size: float) -> None:
    draft.logs[TREATMENT][:, 0] += size


def drifting_process(draft: Draft, size: float) -> None:
    draft.logs[TREATMENT] += np.linspace(0, size, draft.logs[TREATMENT].shape[1])


def drifting_run(draft: Draft, size: float) -> None:
    for name in draft.logs:
        draft.logs[name] += np.linspace(0, size, draft.blocks)[:, None]


def place_matters(draft: Draft, size: float) -> None:
    draft.logs[TREATMENT] += size * draft.places[TREATMENT] / (len(draft.logs) - 1)


def wandering(draft: Draft, rng: Generator, rho: float, deviation: float = 0.02) -> None:
    """The treatment alone wanders from block to block: AR(1)."""
    now, along = rng.normal(), []
    for _ in range(draft.blocks):
        along.append(now)
        now = rho * now + np.sqrt(1 - rho**2) * rng.normal()
    draft.logs[TREATMENT] += deviation * np.array(along)[:, None]


def two_modes(draft: Draft, rng: Generator, size: float = 0.05, share: float = 0.2) -> None:
    """A share of the treatment's processes is slow; at least two of them, and not more than half."""
    slow = rng.random(draft.blocks) < share
    while not 2 <= slow.sum() <= draft.blocks / 2:
        slow = rng.random(draft.blocks) < share
    draft.logs[TREATMENT] += size * slow[:, None]


def modes_of_batches(draft: Draft, rng: Generator, shares: Mapping[str, float], size: float = 0.05) -> None:
    """Batches have two modes, and the metric is their median."""
    draft.plan = replace(
        draft.plan,
        metrics=(LATENCY,),
        comparisons=tuple(replace(one, metric=LATENCY.name) for one in draft.plan.comparisons),
    )
    for name, logs in draft.logs.items():
        draft.logs[name] = logs + size * (rng.random(logs.shape) < shares.get(name, shares[BASELINE]))


def said(measured: Measured) -> Counter[tuple[str, str]]:
    """How often each check speaks: (check, severity), notes left out."""
    return Counter(
        {
            (warning.check, warning.severity.value): 1
            for warning in audit(measured, judge(measured))
            if warning.severity is not Severity.NOTE
        }
    )


def _row(name: str, runs: int, make: Callable[[Generator], Measured], seed: int) -> None:
    every: Counter[tuple[str, str]] = Counter()
    lost = 0
    for number in range(runs):
        spoken = said(make(np.random.default_rng([seed, number])))
        every += spoken
        lost += any(severity == "F" for check, severity in spoken if check in CHECKS)
    words = ", ".join(
        f"{check} {severity} {Share(count, runs)}"
        for (check, severity), count in sorted(every.items())
        if check in CHECKS
    )
    print(f"{name:50} {words or 'nothing'}; any F {100 * lost / runs:.1f}", flush=True)


def _broken(spoil: Callable[[Draft, Generator], None], blocks: int) -> Callable[[Generator], Measured]:
    def make(rng: Generator) -> Measured:
        draft = healthy(rng, blocks=blocks)
        spoil(draft, rng)
        return draft.measured()

    return make


def _whole(machine: Machine) -> Callable[[Generator], Measured]:
    """A run that stops when the program would stop it, treatment by treatment."""

    def make(rng: Generator) -> Measured:
        costs = {"same": 0.0, "five": 0.05, "faster": -0.1}
        plan = plan_of(costs, Stopping(0.02))
        logs = {treatment.id: float(np.log1p(treatment.extra)) for treatment in plan.treatments}
        logs |= {f"cell0/{level}": float(np.log1p(cost)) for level, cost in costs.items()}
        return Run(plan, logs, machine, rng).to_the_end().measured

    return make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    runs, only = parser.parse_args().runs, parser.parse_args().only

    def row(name: str, make: Callable[[Generator], Measured], seed: int, count: int = runs) -> None:
        if only in name:
            _row(name, count, make, seed)

    print(f"per cent of {runs} healthy runs (95 % interval)")
    for blocks in (6, 10, 20, 40, 60):
        row(f"healthy, normal, {blocks} blocks", lambda rng, n=blocks: healthy(rng, blocks=n).measured(), blocks)
    for deviation in (0.003, 0.01):
        row(
            f"healthy, stopped by itself, {deviation:.1%}", _whole(Machine(deviation, deviation)), 70, max(2, runs // 4)
        )
    for index, scenario in enumerate(SCENARIOS):
        for blocks in (10, 40):
            row(
                f"machine: {scenario.name}, {blocks} blocks",
                lambda rng, i=index, n=blocks: of_scenario(i, rng, n, 16).measured(),
                100 + index,
            )
    print("faults found")
    for blocks in (6, 10, 20, 40):
        for size in (0.03, 0.05, 0.1):
            row(
                f"fault: first batch {size:+.0%}, {blocks}",
                _broken(lambda d, _, s=size: cold_first_batch(d, s), blocks),
                1,
            )
            row(
                f"fault: drift in a process {size:+.0%}, {blocks}",
                _broken(lambda d, _, s=size: drifting_process(d, s), blocks),
                2,
            )
            row(f"fault: place {size:+.0%}, {blocks}", _broken(lambda d, _, s=size: place_matters(d, s), blocks), 3)
            row(
                f"fault: drift along the run {size:+.0%}, {blocks}",
                _broken(lambda d, _, s=size: drifting_run(d, s), blocks),
                4,
            )
        for rho in (0.8, 0.9, 0.95):
            row(
                f"fault: autocorrelation {rho}, {blocks}",
                _broken(lambda d, rng, r=rho: wandering(d, rng, r), blocks),
                5,
            )
        row(f"fault: modes 80/20, {blocks}", _broken(two_modes, blocks), 6)
        row(
            f"fault: a median of two modes, 30 and 70 %, {blocks}",
            _broken(lambda d, rng: modes_of_batches(d, rng, {BASELINE: 0.3, TREATMENT: 0.7}), blocks),
            7,
        )
        row(
            f"healthy: a median of two modes, 30 and 30 %, {blocks}",
            _broken(lambda d, rng: modes_of_batches(d, rng, {BASELINE: 0.3}), blocks),
            8,
        )


if __name__ == "__main__":
    main()
