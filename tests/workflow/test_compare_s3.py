"""A run of s3 beside the study whose GETs cannot be true: the growth with the size is said in words."""

from __future__ import annotations

from sectax import published as reader
from sectax.analysis.analyse import analyse
from sectax.analysis.compare import compare_with_published
from sectax.experiments.interface import Request
from sectax.experiments.s3.experiment import EXPERIMENT
from sectax.experiments.s3.levels import size_bytes
from sectax.model.plan import Stopping
from sectax.workflow.present import View, render
from tests.fakes.measured import measured
from tests.machines import planned

BLOCKS = tuple(range(1, 9))


def said(sizes: tuple[str, ...]) -> str:
    plan = planned(EXPERIMENT, Request("published", {"size": sizes, "operation": ("get",)}, Stopping(0.02), 1))
    seconds = {
        treatment.id: {
            block: (1 + 0.01 * (block % 2)) * (1e-3 + 9e-9 * size_bytes(treatment.levels["size"])) for block in BLOCKS
        }
        for treatment in plan.treatments
    }
    run = measured(plan, {"latency": seconds}, BLOCKS)
    made = compare_with_published(analyse(run), reader.load("s3-default-encryption"))
    return render(made, "terminal", View(width=300))


def test_the_growth_with_the_size_is_set_beside_the_study_s() -> None:
    text = said(("10KB", "20KB", "50KB", "1MB", "10MB", "100MB"))

    assert "In none, 10,000 times the bytes take 1.08 times as long there, and 827 (" in text
    assert "since the body was never read" in text


def test_growth_beyond_what_was_measured_is_not_told() -> None:
    assert "times the bytes take" not in said(("10KB", "1MB"))
