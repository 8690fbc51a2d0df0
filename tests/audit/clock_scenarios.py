"""Runs that are answered in CPU time, whose wall time says the same or something else."""

from __future__ import annotations

from dataclasses import replace

from numpy.random import Generator

from sectax.analysis.findings import judge
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Standing
from tests.analysis.runs import TIME, around, run_of, with_metric
from tests.audit.scenario import Scenario

CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, "batch_cpu", cpu=True)
BLOCKS = 12


def waits(rng: Generator, broken: bool) -> RunEvidence:
    """Wall time is CPU time and waiting for a processor; broken, the treatment waits for something else as well."""
    cost = float(rng.choice([0.8, 1.0, 1.5]))
    cpu = {
        "baseline": around(1.0, BLOCKS),
        "slow": around(cost, BLOCKS, shift=3),
        "negative": around(1.0, BLOCKS, shift=2),
        "positive": around(1.04, BLOCKS, shift=1),
    }
    waited = {arm: float(rng.uniform(0.0, 0.4)) for arm in cpu}
    elsewhere = float(rng.uniform(0.4, 0.9)) * bool(broken)
    ready = {
        arm: [value * waited[arm] / (1 - waited[arm]) * rng.uniform(0.9, 1.1) for value in cpu[arm]]
        for arm in ("baseline", "slow")
    }
    wall = {
        arm: [value * (1 + elsewhere * (arm == "slow")) + lag for value, lag in zip(cpu[arm], lags, strict=True)]
        for arm, lags in ready.items()
    }
    measured = with_metric(run_of(cpu, metric=CPU_TIME), TIME, wall, Standing.SECONDARY)
    # Of whole requests: the batches that count waited for less.
    telemetry = {
        arm: {
            "throttled_s": 0.0,
            "run_queue_delay_s": sum(lags) / BLOCKS * measured.batches[arm].operations * float(rng.uniform(1.0, 1.2)),
        }
        for arm, lags in ready.items()
    }
    measured = replace(measured, telemetry=measured.telemetry | telemetry)
    return RunEvidence(measured, judge(measured))


SCENARIOS = (Scenario("wall-against-cpu", "an operation that waits", waits, Severity.WARNING),)
