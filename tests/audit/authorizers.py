"""Made-up runs of the experiment `hmac`: functions that carry a payload, with a check and without."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from sectax.experiments.hmac.levels import CONTENTS
from sectax.model.environment import Environment
from sectax.model.measured import Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Contents, Plan, Stopping
from sectax.model.treatment import Cell, Comparison, Factor, Role, Standing, Treatment
from tests.fakes.measured import measured

NONE, PUBLISHED, IMMEDIATE = "none", "hmac-sha512", "immediate"
SMALL, LARGE = "10KiB", "3MiB"

DURATION = Metric("duration", "s", Better.LOWER, Summary.MEDIAN, "duration")
WORST = Metric("worst_duration", "s", Better.LOWER, Summary.MAXIMUM, "duration")
HIGHEST = Metric("highest_duration", "s", Better.LOWER, Summary.WORST, "duration", compared=False)
P99 = Metric("p99_duration", "s", Better.LOWER, Summary.P99, "duration", compared=False)

# Seconds, and seconds per byte, of each level beyond the one before: about those of a real run at 1024 MB.
_COSTS = ((IMMEDIATE, 3e-4, 2e-9), (NONE, 1e-4, 4e-10), (PUBLISHED, 3e-5, 1.7e-9))


def honest(level: str, size: str) -> float:
    """How long an operation takes that does what its level says, in seconds."""
    total = 0.0
    for name, fixed, per_byte in _COSTS:
        total += fixed + per_byte * (CONTENTS.sizes.get(size, 0))
        if name == level:
            break
    return total


@dataclass
class Authorizers:
    """A run before it is judged.

    Attributes:
        seconds: (level, size) -> the true time of an operation, where it is not the honest one.
        noise: standard deviation of the logs of calls.
        process: that of the logs of processes; None for the same.
    """

    rng: Generator
    blocks: int = 20
    calls: int = 16
    levels: tuple[str, ...] = (NONE, PUBLISHED)
    sizes: tuple[str, ...] = (SMALL, LARGE)
    metrics: tuple[Metric, ...] = (DURATION,)
    noise: float = 0.005
    process: float | None = None
    contents: Contents | None = CONTENTS
    seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def measured(self) -> Measured:
        """What the record of the run would hold."""
        plan = self._plan()
        blocks = tuple(range(1, self.blocks + 1))
        of_processes = self.noise if self.process is None else self.process
        times = {}
        for treatment in plan.treatments:
            key = (treatment.levels["authentication"], treatment.levels["payload"])
            process = self.rng.normal(0, of_processes, (self.blocks, 1))
            call = self.rng.normal(0, self.noise, (self.blocks, self.calls))
            times[treatment.id] = self.seconds.get(key, honest(*key)) * np.exp(process + call)
        summaries = {Summary.MEDIAN: np.median, Summary.MAXIMUM: np.max}
        values = {
            metric.name: {
                name: dict(zip(blocks, summaries[metric.summary](item, axis=1).tolist(), strict=True))
                for name, item in times.items()
                if metric.summary in summaries
            }
            for metric in self.metrics
        }
        return measured(
            plan,
            values,
            blocks,
            counts={metric.name: {name: item.size for name, item in times.items()} for metric in self.metrics},
            visited=dict.fromkeys(times, blocks),
            sessions=(Environment({}),),
            block_s=1.0,
            samples={
                metric.observed: {
                    name: {block: array("d", sorted(row)) for block, row in zip(blocks, item.tolist(), strict=True)}
                    for name, item in times.items()
                }
                for metric in self.metrics
                if metric.summary.tail is not None
            },
        )

    def _plan(self) -> Plan:
        stopping = Stopping(0.02, max_blocks=max(self.blocks, 40))
        cells = tuple(Cell(size, {"payload": size}, "python", f"{size}/{self.levels[0]}") for size in self.sizes)
        treatments = [
            Treatment(
                f"{size}/{level}",
                size,
                {"payload": size, "authentication": level},
                Role.BASELINE if level == self.levels[0] else Role.TREATMENT,
            )
            for size in self.sizes
            for level in self.levels
        ]
        first = treatments[0]
        negative = Treatment(f"{first.id}#negative", first.cell, first.levels, Role.NEGATIVE)
        return Plan(
            experiment="hmac",
            preset="default",
            question="",
            transfers="",
            control="authentication",
            factors=(Factor("payload", self.sizes), Factor("authentication", self.levels)),
            metrics=self.metrics,
            cells=cells,
            treatments=(*treatments, negative),
            comparisons=(
                *(
                    self._comparison(treatment, metric, Standing.SECONDARY)
                    for treatment in treatments
                    for metric in self.metrics
                    if treatment.role is Role.TREATMENT and metric.compared
                ),
                self._comparison(negative, self.metrics[0], Standing.NEGATIVE),
            ),
            skipped=(),
            stopping=stopping,
            seed=1,
            batch_s=0.001,
            contents=self.contents,
        )

    def _comparison(self, treatment: Treatment, metric: Metric, standing: Standing) -> Comparison:
        baseline = f"{treatment.cell}/{self.levels[0]}"
        return Comparison(
            f"{treatment.id}:{metric.name}", treatment.cell, treatment.id, baseline, metric.name, standing, 0.05
        )
