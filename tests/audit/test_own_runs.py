"""What the audit says of runs of ours, and what that does to their verdicts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.simulations.audited_runs import (
    CHECKS,
    NEGATIVE,
    TREATMENT,
    Draft,
    cold_first_batch,
    drifting_run,
    healthy,
    said,
    two_modes,
    wandering,
)
from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.audit.own.registry import run as audit
from sectax.model.finding import AuditWarning, Severity, VerdictId
from sectax.model.measured import Measured

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
    assert not [item for item in said(measured) if item[0] in CHECKS]


def test_a_cold_first_batch_is_reported_of_its_treatment_with_its_size() -> None:
    run = draft()
    cold_first_batch(run, 0.1)

    (warning,) = warnings(run.measured(), "first-trial")

    assert (warning.severity, warning.subject) == (Severity.WARNING, TREATMENT)
    assert "+10 %" in warning.saw or "+11 %" in warning.saw


def test_what_most_treatments_share_is_reported_once_of_the_run() -> None:
    run = draft()
    drifting_run(run, -0.2)

    (warning,) = warnings(run.measured(), "drift")

    assert (warning.severity, warning.subject) == (Severity.WARNING, "run")
    assert verdict(run.measured()) is VerdictId.SLOWER_MATERIAL


def test_a_treatment_that_wanders_alone_loses_its_verdict_and_nothing_else_does() -> None:
    run = draft(seed=3, blocks=40)
    wandering(run, np.random.default_rng(3), 0.9, 0.02)
    measured = run.measured()

    fatal = [warning for warning in warnings(measured, "drift") if warning.severity is Severity.FATAL]
    analysed = analyse(measured, audit(measured, judge(measured)))

    assert [warning.subject for warning in fatal] == [COMPARISON]
    withdrawn = [finding.comparison.id for finding in analysed.findings if finding.verdict is VerdictId.WITHDRAWN]
    assert withdrawn == [COMPARISON]


def test_two_modes_are_shown_with_their_blocks_and_places() -> None:
    run = draft(blocks=40)
    two_modes(run, np.random.default_rng(4), 0.2)
    slow = int((run.logs[TREATMENT].mean(axis=1) > 0.15).sum())

    (warning,) = warnings(run.measured(), "modes")

    assert warning.subject == COMPARISON
    assert f"{40 - slow} of 40 near +" in warning.saw
    assert f"{slow} near +2" in warning.saw


def test_a_long_tail_is_reported_as_a_tail() -> None:
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


@pytest.mark.parametrize("check", ["first-trial", "drift"])
def test_blocks_of_three_batches_cannot_be_checked_and_say_so(check: str) -> None:
    (warning,) = warnings(draft(rounds=3).measured(), check)

    assert (warning.severity, warning.subject) == (Severity.NOTE, "run")


def test_a_treatment_that_counted_nothing_is_named_though_it_has_no_value() -> None:
    measured = draft().measured()
    (name,) = measured.values
    nothing = dataclasses.replace(measured.batches[NEGATIVE], operations=0)
    values = {arm: of for arm, of in measured.values[name].items() if arm != NEGATIVE}

    warned = warnings(
        dataclasses.replace(measured, values={name: values}, batches=measured.batches | {NEGATIVE: nothing}),
        "zero-event-run",
    )

    assert [(warning.severity, warning.subject) for warning in warned] == [(Severity.FATAL, NEGATIVE)]


@pytest.mark.full
@pytest.mark.parametrize("blocks", [6, 10, 20, 40, 60])
def test_few_healthy_runs_are_warned_of_or_lose_a_verdict(blocks: int) -> None:
    runs = 2000
    spoken = [said(draft(seed, blocks).measured()) for seed in range(runs)]

    for check in CHECKS:
        assert sum(any(item == check for item, _ in one) for one in spoken) <= 0.015 * runs, check
    assert sum(any(severity == "F" for _, severity in one) for one in spoken) <= 0.05 * runs
