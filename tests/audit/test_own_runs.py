"""What the audit says of runs of ours, and what that does to their verdicts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.simulations.audited_runs import (
    BASELINE,
    CHECKS,
    NEGATIVE,
    POSITIVE,
    SCENARIOS,
    TREATMENT,
    Draft,
    cold_first_batch,
    copied,
    drifting_run,
    healthy,
    of_scenario,
    said,
    two_modes,
    wandering,
)
from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.audit.own.evidence import Arm
from sectax.audit.own.registry import review
from sectax.audit.own.registry import run as audit
from sectax.audit.own.replication import resemblance
from sectax.audit.own.run import evidence_of
from sectax.model.finding import AuditWarning, Severity, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics, Measured
from sectax.model.treatment import Role

COMPARISON = f"{TREATMENT}:throughput"


def draft(seed: int = 1, blocks: int = 20, rounds: int = 16) -> Draft:
    return healthy(np.random.default_rng(seed), blocks=blocks, rounds=rounds)


def warnings(measured: Measured, check: str) -> list[AuditWarning]:
    return [warning for warning in audit(measured, judge(measured)) if warning.check == check]


def verdict(measured: Measured) -> VerdictId:
    analysed = analyse(measured, audit(measured, judge(measured)))
    return next(one.verdict for one in analysed.findings if one.comparison.id == COMPARISON)


def test_a_healthy_run_keeps_its_verdict_and_gets_no_warning() -> None:
    measured = draft().measured()

    assert verdict(measured) is VerdictId.SLOWER_MATERIAL
    assert not [each for each in said(measured) if each[0] in CHECKS]


def test_a_cold_first_batch_is_told_of_its_treatment_with_its_size() -> None:
    run = draft()
    cold_first_batch(run, 0.1)

    (warning,) = warnings(run.measured(), "first-trial")

    assert (warning.severity, warning.subject) == (Severity.WARNING, TREATMENT)
    assert "differs from its others by +10 %" in warning.saw or "+11 %" in warning.saw


def test_what_most_treatments_share_is_told_once_of_the_run() -> None:
    run = draft()
    drifting_run(run, -0.2)

    (warning,) = warnings(run.measured(), "drift")

    assert (warning.severity, warning.subject) == (Severity.WARNING, "run")
    assert "Seen in 4 of 4 treatments" in warning.saw
    assert verdict(run.measured()) is VerdictId.SLOWER_MATERIAL


def test_a_treatment_that_wanders_alone_loses_its_verdict_and_nothing_else_does() -> None:
    run = draft(seed=3, blocks=40)
    wandering(run, np.random.default_rng(3), 0.9, 0.02)
    measured = run.measured()

    fatal = [each for each in warnings(measured, "drift") if each.severity is Severity.FATAL]
    analysed = analyse(measured, audit(measured, judge(measured)))

    assert [each.subject for each in fatal] == [COMPARISON]
    withdrawn = [each.comparison.id for each in analysed.findings if each.verdict is VerdictId.WITHDRAWN]
    assert withdrawn == [COMPARISON]


def test_two_modes_are_shown_with_their_blocks_and_places() -> None:
    run = draft(blocks=40)
    two_modes(run, np.random.default_rng(4), 0.2)
    slow = int((run.logs[TREATMENT].mean(axis=1) > 0.15).sum())

    (warning,) = warnings(run.measured(), "modes")

    assert warning.subject == COMPARISON
    assert f"{40 - slow} of 40 near +" in warning.saw
    assert f"{slow} near +2" in warning.saw


def test_a_long_tail_is_told_as_a_tail() -> None:
    run = draft(blocks=40)
    run.logs[TREATMENT] += 0.05 * np.random.default_rng(5).lognormal(0, 1, (40, 1))

    (warning,) = warnings(run.measured(), "modes")

    assert "skewed high" in warning.saw


def test_blocks_that_agree_within_the_margin_are_not_asked_how_they_lie() -> None:
    run = draft(blocks=40)
    for logs in run.logs.values():
        logs[:] = np.linspace(0, 1e-5, logs.shape[1])
    run.logs[TREATMENT][::5] += 0.01

    assert warnings(run.measured(), "modes") == []


def test_both_sides_of_a_copy_lose_what_rests_on_them() -> None:
    run = draft()
    copied(run, 1)

    found = warnings(run.measured(), "copied-data")

    assert [(each.severity, each.subject) for each in found] == [
        (Severity.FATAL, BASELINE),
        (Severity.FATAL, TREATMENT),
    ]
    assert "block 1" in found[0].saw


def test_a_treatment_that_has_all_values_of_another_is_a_copy_whatever_its_batches() -> None:
    measured = draft().measured()
    (name,) = measured.values
    values = measured.values[name] | {TREATMENT: dict(measured.values[name][POSITIVE])}

    found = warnings(dataclasses.replace(measured, values={name: values}), "copied-data")

    assert {each.subject for each in found} == {TREATMENT, POSITIVE}


def test_a_coarse_clock_repeats_innocently() -> None:
    index = next(number for number, each in enumerate(SCENARIOS) if each.name == "1 ms clock")

    assert warnings(of_scenario(index, np.random.default_rng(6), 40, 16).measured(), "copied-data") == []


@pytest.mark.parametrize("check", ["first-trial", "drift"])
def test_blocks_of_three_batches_cannot_be_checked_and_say_so(check: str) -> None:
    (warning,) = warnings(draft(rounds=3).measured(), check)

    assert warning.severity is Severity.NOTE
    assert warning.saw == "cannot be checked: fewer than 4 batches a block of 4 treatments"


def test_more_units_than_processes_are_no_units_and_the_resemblance_is_told() -> None:
    measured = draft().measured()
    evidence = evidence_of(measured, judge(measured))
    findings = tuple(
        dataclasses.replace(one, effect=one.effect and dataclasses.replace(one.effect, blocks=320))
        for one in evidence.findings
    )

    outcomes = review(dataclasses.replace(evidence, findings=findings))
    found = [warning for outcome in outcomes for warning in outcome.warnings]
    (warning,) = [each for each in found if each.check == "false-replication" and each.subject == COMPARISON]

    assert warning.saw.startswith("320 units are claimed, of 20 processes a side; the batches of a process resemble")


def test_a_treatment_that_counted_nothing_is_named_though_it_has_no_value() -> None:
    measured = draft().measured()
    (name,) = measured.values
    nothing = dataclasses.replace(measured.batches[NEGATIVE], operations=0)
    values = {arm: of for arm, of in measured.values[name].items() if arm != NEGATIVE}

    found = warnings(
        dataclasses.replace(measured, values={name: values}, batches=measured.batches | {NEGATIVE: nothing}),
        "zero-event-run",
    )

    assert [(each.severity, each.subject) for each in found] == [(Severity.FATAL, NEGATIVE)]


def arm(shapes: list[tuple[float, float]]) -> Arm:
    """An arm of blocks of ten batches with these means and variances."""
    made = {
        block: BatchShape(10, mean, variance, 0.0, 0.5, 0.0, None, 0.5, 2.7, b"")
        for block, (mean, variance) in enumerate(shapes)
    }
    return Arm("a", "cell", "family", Role.TREATMENT, batches=BatchStatistics(10, 10, 1.0, 0.0), shapes=made)


def test_resemblance_is_the_share_of_variance_that_lies_between_processes() -> None:
    rng = np.random.default_rng(7)
    alike = arm([(rng.normal(0, (1 + 0.1) ** 0.5), 1.0) for _ in range(5000)])

    assert resemblance(alike) == pytest.approx(0.5, abs=0.03)
    assert resemblance(arm([(0.0, 1.0), (0.0, 1.0)])) == 0.0
    assert resemblance(arm([(0.0, 1.0)])) is None
    assert resemblance(arm([(0.0, 0.0), (0.0, 0.0)])) is None


@pytest.mark.full
@pytest.mark.parametrize("blocks", [6, 10, 20, 40, 60])
def test_few_healthy_runs_are_warned_of_or_lose_a_verdict(blocks: int) -> None:
    runs = 2000
    spoken = [said(draft(seed, blocks).measured()) for seed in range(runs)]

    for check in CHECKS:
        assert sum(any(each == check for each, _ in one) for one in spoken) <= 0.015 * runs, check
    assert sum(any(severity == "F" for _, severity in one) for one in spoken) <= 0.05 * runs
