"""What falls where a control fails, is missing, or was too large."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest

from sectax.analysis.analyse import analyse, withdraw_verdicts
from sectax.analysis.findings import judge
from sectax.audit.own.registry import run
from sectax.cli.audit_target import comparisons
from sectax.model.audited import Tally
from sectax.model.measured import Measured
from sectax.model.treatment import Standing
from sectax.stats.run_controls import finds_known_cost
from tests.analysis.runs import MEMORY, around, run_of, with_metric
from tests.audit.checked_runs import NOISY, calibrated, counting, healthy, in_memory, said


def test_a_warning_of_the_whole_run_is_counted_by_the_comparisons_that_lose_their_verdict() -> None:
    measured = healthy(negative=list(around(1.1, 10, shift=2)))
    findings = judge(measured)

    counted = comparisons(withdraw_verdicts(measured.plan, findings, run(measured, findings)))

    assert [subject for severity, subject in said(measured) if severity == "F"] == ["run"]
    # All but the run's two controls.
    assert counted == Tally(fatal=len(findings) - 2, warned=0)


def test_a_control_is_reported_with_two_digits() -> None:
    measured = healthy(negative=list(around(1.1, 10, shift=2)))

    (negative,) = (one for one in run(measured, judge(measured)) if one.check == "negative-control")

    assert re.search(r": \d[\d.]* to \d[\d.]* % slower", negative.saw)


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
    assert [warning.check for warning in slow.warnings] == ["negative-control"]
    assert after_the_audit(measured)["same"] == "withdrawn"


def test_of_two_blocks_a_known_cost_is_too_little_to_judge_and_no_interval_is_printed() -> None:
    measured = healthy(positive=[*around(1.04, 10, shift=1)[:2], *[None] * 8], same=list(around(1.4, 10, shift=4)))

    (missing,) = [one for one in run(measured, judge(measured)) if one.check == "positive-control"]
    assert missing.saw.startswith("not checked")


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
    assert said(measured, "positive-control") == [("W", "family")]
    assert after_the_audit(measured)["same"] == "inconclusive"


def test_a_known_cost_that_its_interval_excludes_says_that_the_scale_is_wrong() -> None:
    """Two per cent of extra operations were put there, and it came out as fifty: nothing small can be believed."""
    values = {
        "baseline": around(1.0, 40),
        "same": around(1.0, 40, shift=4),
        "ten": around(1.1, 40, shift=3),
        "tenfold": around(10.0, 40, shift=3),
        "negative": around(1.0, 40, shift=2),
    }
    found = run_of(values | {"positive": around(1.04, 40, shift=1)})
    wrong = run_of(values | {"positive": around(1.5, 40, shift=1)})

    assert said(found, "positive-control") == []
    names = ("same", "ten", "tenfold")
    verdicts = after_the_audit(found)
    assert [verdicts[name] for name in names] == ["equivalent", "slower-material", "slower-material"]
    assert said(wrong, "positive-control") == [("W", "family")]
    verdicts = after_the_audit(wrong)
    assert [verdicts[name] for name in names] == ["inconclusive", "inconclusive", "slower-material"]
    effect = judge(wrong)[1].effect
    farther = math.log(1.5 / 1.04)
    assert effect.widened == pytest.approx(3 * farther, rel=0.2)
    assert effect.widened >= 3 * farther


def test_seconds_that_were_added_are_another_share_of_an_operation_on_a_faster_machine() -> None:
    """The pilot saw operations of 0.2 s and added 8 ms to each; the run is twice as fast."""
    shifts = {"baseline": 0, "slow": 3, "same": 4, "negative": 2}
    half = {name: list(around(0.1, 10, shift=shift)) for name, shift in shifts.items()}
    measured = healthy(**half, positive=list(around(0.108, 10, shift=1)))
    plan = measured.plan
    treatments = tuple(dataclasses.replace(treatment, extra=0.0) for treatment in plan.treatments)
    slow_pilot = calibrated(measured, typical_s=0.2)
    seconds = dataclasses.replace(slow_pilot, plan=dataclasses.replace(plan, treatments=treatments))
    (positive,) = (one for one in judge(seconds) if one.comparison.treatment == "positive")

    assert positive.effect.added == pytest.approx(math.log(1.08), rel=0.01)
    assert finds_known_cost(positive.effect)


TOO_LARGE = counting(1, positive=list(around(1.125, 10, shift=1)))


@pytest.mark.parametrize("measured", [healthy(positive=[None] * 10), TOO_LARGE], ids=["failed", "too large"])
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
