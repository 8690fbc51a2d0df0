"""What operations really cost beside each other: CPU time each, as the kernel counts it, before any load starts.

CPU time does not grow while a process waits for its turn. What is left (caches that others filled, the processor's
speed of that instant) only adds, so a low quartile over many short batches is close to the cost on a quiet machine.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from sectax.experiments.interface import RunRequest
from sectax.experiments.jwt import EXPERIMENT
from sectax.model.plan import Stopping
from sectax.model.subject import Subject, SubjectSpec, Work
from sectax.model.treatment import Role
from sectax.run.machine import machine_snapshot

# The kernel's figure has the request and the reply in it, some 0.1 ms: a per cent of such a batch, for all alike.
BATCH_S = 0.01
PROCESSES = 3
BATCHES = 8


def jwt_reference(levels: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """By treatment of `sectax run jwt --quick`, the log of its cost over its baseline's."""
    request = RunRequest("quick", levels, Stopping(margin=0.02), seed=1)
    plan = EXPERIMENT.plan(request, machine_snapshot(EXPERIMENT, request))
    bench = EXPERIMENT.bench(plan)
    specs = bench.specs(bench.inputs(), None)
    asked = {
        treatment.id: treatment.cell
        for treatment in plan.treatments
        if treatment.role in (Role.BASELINE, Role.TREATMENT)
    }
    costs = cpu_per_operation({name: specs[name] for name in asked})
    return {name: math.log(costs[name] / costs[plan.cell(cell).baseline]) for name, cell in asked.items()}


def cpu_per_operation(specs: Mapping[str, SubjectSpec]) -> dict[str, float]:
    """Seconds of CPU time per operation, by name: the low quartile over fresh processes that take turns."""
    seen: dict[str, list[float]] = {name: [] for name in specs}
    for _ in range(PROCESSES):
        live = {name: spec.subject() for name, spec in specs.items()}
        try:
            for subject in live.values():
                subject.open()
            counts = {name: _count(subject) for name, subject in live.items()}
            for _ in range(BATCHES):
                for name, subject in live.items():
                    seen[name].append(_cpu_s(subject, counts[name]) / counts[name])
        finally:
            for subject in live.values():
                subject.kill()
    return {name: low_quartile(values) for name, values in seen.items()}


def low_quartile(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def _count(subject: Subject) -> int:
    """Operations that take about a batch of CPU time; trying them also warms them up."""
    count = 1
    while (spent := _cpu_s(subject, count)) < BATCH_S / 2:
        count = max(count + 1, min(count * 8, int(count * BATCH_S / max(spent, 1e-6))))
    return max(1, round(count * BATCH_S / spent))


def _cpu_s(subject: Subject, count: int) -> float:
    return subject.visit(Work(count)).telemetry["cpu_time_s"]
