"""What falls where a control fails, is missing, or was too large."""

from __future__ import annotations

import dataclasses

import pytest

from sectax.analysis.analyse import analyse, withhold
from sectax.analysis.findings import judge
from sectax.audit.own.registry import run
from sectax.model.audited import Tally
from sectax.model.measured import Measured
from sectax.model.treatment import Standing
from sectax.workflow.audit import comparisons
from tests.analysis.runs import MEMORY, around, run_of, with_metric
from tests.audit.checked_runs import (
    NOISY,
    counting,
    healthy,
    in_memory,
    said,
)


def test_a_warning_of_the_whole_run_is_counted_by_the_comparisons_that_lose_their_verdict() -> None:
    measured = healthy(negative=list(around(1.1, 10, shift=2)))
    findings = judge(measured)

    counted = comparisons(withhold(measured.plan, findings, run(measured, findings)))

    assert [subject for severity, subject in said(measured) if severity == "F"] == ["run"]
    # All but the run's two controls.
    assert counted == Tally(fatal=len(findings) - 2, warned=0)


def test_a_missed_control_on_which_nothing_leans_is_only_noted() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))

    assert said(measured, "positive-control") == [("note", "positive")]


def test_a_missed_control_of_times_does_not_lean_on_memory() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "same": around(1e6, 10, shift=1)}

    assert said(with_metric(measured, metric, memory, Standing.SECONDARY), "positive-control") == [("note", "positive")]


def after_the_audit(measured: Measured) -> dict[str, str]:
    findings = judge(measured)
    return {one.comparison.id: one.verdict.value for one in analyse(measured, run(measured, findings)).findings}


def test_without_a_negative_control_large_effects_stand_with_a_warning() -> None:
    measured = healthy(negative=[None] * 10)

    findings = analyse(measured, run(measured, judge(measured))).findings
    (slow,) = [one for one in findings if one.comparison.id == "slow"]

    assert slow.verdict == "slower-material"
    assert [warning.saw for warning in slow.warnings] == [
        "not controlled: 0 blocks of the negative control are too few"
    ]
    assert after_the_audit(measured)["same"] == "withdrawn"


def test_a_known_cost_that_is_seen_as_less_than_the_margin_was_not_seen() -> None:
    measured = run_of(
        {
            "baseline": around(1.0, 40),
            "same": around(1.0, 40, shift=4),
            "negative": around(1.0, 40, shift=2),
            "positive": around(1.008, 40, shift=1),
        }
    )
    positive = next(one for one in judge(measured) if one.comparison.treatment == "positive")

    assert positive.verdict == "slower-within-margin"
    assert said(measured, "positive-control") == [("F", "positive")]


@pytest.mark.parametrize("measured", [healthy(positive=[None] * 10), counting(1)], ids=["failed", "too large"])
def test_without_a_positive_control_only_small_claims_fall(measured: Measured) -> None:
    verdicts = after_the_audit(measured)

    assert (verdicts["slow"], verdicts["same"]) == ("slower-material", "withdrawn")


def test_without_a_control_of_its_metric_a_small_claim_stands_with_one_warning() -> None:
    measured = in_memory(1e6)
    warnings = [warning for warning in run(measured, judge(measured)) if warning.check == "uncontrolled"]

    findings = analyse(measured, warnings).findings

    assert len(warnings) == 1
    assert {one.comparison.id for one in findings if one.warnings} == {"same:memory", "slow:memory"}
    assert not any(one.withheld for one in findings)
