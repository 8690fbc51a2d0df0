"""A run with sizes, memory, steps and telemetry, whose truth is known: a + b·size seconds, divided by the memory."""

from __future__ import annotations

import math
import random

from sectax.experiments.hmac.experiment import EXPERIMENT
from sectax.experiments.interface import Request
from sectax.model.analysed import Analysed
from sectax.model.plan import Stopping
from sectax.model.treatment import Treatment
from sectax.workflow.analyse import analyse_measured
from tests.fakes.measured import measured as measured_run
from tests.machines import planned

BLOCKS = tuple(range(1, 13))
# Fixed seconds, and seconds per byte, at 1769 MB.
TAKES = {"immediate": (0.2e-3, 1e-9), "none": (0.3e-3, 1.6e-9), "hmac-sha512": (0.35e-3, 3.2e-9)}
ON_AWS = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}
LEVELS = {
    "payload": ("100KiB", "500KiB", "1MiB", "3MiB"),
    "memory": ("512", "1769"),
    "authentication": ("immediate", "none", "hmac-sha512"),
}
NOISE = 0.01


def truth(treatment: Treatment, size: float) -> float:
    """Seconds of one operation without noise."""
    fixed, per_byte = TAKES[treatment.levels["authentication"]]
    return (fixed + per_byte * size) * 1769 / float(treatment.levels["memory"])


def grown() -> Analysed:
    """The run, judged."""
    noise = random.Random(1)
    plan = planned(EXPERIMENT, Request("default", LEVELS, Stopping(0.02), 1, ON_AWS))
    assert plan.contents is not None
    sizes = plan.contents.sizes
    values = {
        treatment.id: {
            block: truth(treatment, sizes[treatment.levels["payload"]]) * math.exp(noise.gauss(0, NOISE))
            for block in BLOCKS
        }
        for treatment in plan.treatments
    }
    told = {block: {"run_queue_delay_s": 0.001 * block, "steal_s": 0.0, "throttled_s": 0.3 / block} for block in BLOCKS}
    measured = measured_run(
        plan,
        {"duration": values},
        BLOCKS,
        run_id="grown",
        started="2026-03-02T09:14:05Z",
        visited=dict.fromkeys(values, BLOCKS),
        block_telemetry=told,
    )
    return analyse_measured(measured)
