"""Every check fires where it must, and is silent on the clean twin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from sectax.analysis.findings import judge
from sectax.audit import checks, run
from sectax.audit.evidence import evidence_of
from sectax.audit.registry import examine
from sectax.model.finding import Severity, Warning
from sectax.model.measured import BatchStatistics, Measured
from sectax.model.subject import Witness
from sectax.model.treatment import Standing
from tests.analysis.runs import MEMORY, around, run_of, with_metric

NOISY = [1.0, 1.3, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9, 1.0, 1.2]


def healthy(**columns: list[float | None]) -> Measured:
    values: dict[str, list[float | None]] = {
        "baseline": list(around(1.0, 10)),
        "slow": list(around(1.5, 10, shift=3)),
        "same": list(around(1.0, 10, shift=4)),
        "negative": list(around(1.0, 10, shift=2)),
        "positive": list(around(1.04, 10, shift=1)),
    }
    return run_of(values | columns)


def said(measured: Measured, check: str | None = None) -> list[tuple[str, str]]:
    """(severity, subject) of every warning of a check."""
    return [
        (warning.severity.value, warning.subject)
        for warning in run(measured, judge(measured))
        if check in (None, warning.check)
    ]


def declaring(measured: Measured, **declares: Witness) -> Measured:
    treatments = tuple(
        dataclasses.replace(one, declares=declares) if one.id == "slow" else one for one in measured.plan.treatments
    )
    return dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, treatments=treatments))


def witnessing(measured: Measured, **names: dict[str, tuple[Witness, ...]]) -> Measured:
    return dataclasses.replace(measured, witnesses=names)


def batches(measured: Measured, **changes: object) -> Measured:
    changed = dataclasses.replace(measured.batches["slow"], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(measured, batches=measured.batches | {"slow": changed})


def telemetry(measured: Measured, **changes: dict[str, float]) -> Measured:
    return dataclasses.replace(measured, telemetry=measured.telemetry | changes)


def equal_output(measured: Measured, slow: tuple[Witness, ...] | None, baseline: tuple[Witness, ...]) -> Measured:
    plan = dataclasses.replace(measured.plan, equal_witnesses=("bytes",))
    every = {name: {"bytes": baseline} for name in measured.values["time"]}
    if slow is None:
        del every["slow"]
    else:
        every["slow"] = {"bytes": slow}
    return dataclasses.replace(measured, plan=plan, witnesses=every)


def test_a_healthy_run_is_left_in_peace() -> None:
    assert said(healthy()) == []


def test_every_check_has_an_identifier_of_its_own_and_a_rule() -> None:
    assert len({check.id for check in checks}) == len(checks)
    assert all(check.rule for check in checks)


FIRES: dict[str, tuple[str, Callable[[], Measured], list[tuple[str, str]]]] = {
    "a copy of the baseline that differs": (
        "negative-control",
        lambda: healthy(negative=list(around(1.1, 10, shift=2))),
        [("F", "run")],
    ),
    "a known cost that was not found": (
        "positive-control",
        lambda: healthy(positive=list(NOISY)),
        [("F", "positive")],
    ),
    "a key that is smaller than declared": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), curve="P-384"), slow={"curve": ("P-256",)}),
        [("F", "slow")],
    ),
    "a witness that changes on the way": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048, 1024)}),
        [("F", "slow")],
    ),
    "other bytes than the baseline": (
        "unequal-work",
        lambda: equal_output(healthy(), slow=(100,), baseline=(120,)),
        [("F", "slow")],
    ),
    "one operation in a hundred fails": (
        "unequal-work",
        lambda: telemetry(batches(healthy(), operations=1000), slow={"errors": 10.0, "throttled_s": 0.0}),
        [("F", "slow")],
    ),
    "failures on one side only": (
        "unequal-work",
        lambda: telemetry(
            dataclasses.replace(
                healthy(), batches=dict.fromkeys(healthy().batches, BatchStatistics(80, 1_000_000, 0.02, 0.0))
            ),
            slow={"errors": 500.0, "throttled_s": 0.0},
            baseline={"errors": 0.0, "throttled_s": 0.0},
        ),
        [("F", "slow")],
    ),
    "a batch of fifty steps of the clock": (
        "timer",
        lambda: batches(healthy(), shortest_s=50e-9),
        [("F", "slow")],
    ),
    "a batch of five hundred steps": ("timer", lambda: batches(healthy(), shortest_s=500e-9), [("W", "slow")]),
    "times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.3), [("F", "slow")]),
    "times that repeat on a coarse clock": (
        "timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-3),
        [("F", "slow")],
    ),
    "a quota that held it back": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.5}),
        [("F", "slow")],
    ),
    "a quota that hardly held it back": (
        "throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.001}),
        [("W", "slow")],
    ),
    "a fifth of the blocks lost": (
        "lost-blocks",
        lambda: healthy(slow=[None, *around(1.5, 8, shift=3), None]),
        [("W", "slow")],
    ),
}

CLEAN: dict[str, tuple[str, Callable[[], Measured]]] = {
    "a copy of the baseline that wobbles": ("negative-control", lambda: healthy(negative=list(NOISY))),
    "a known cost that was found": ("positive-control", healthy),
    "a key as declared": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048,)}),
    ),
    "the same number as text": (
        "mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": ("2048",)}),
    ),
    "equal bytes": ("unequal-work", lambda: equal_output(healthy(), slow=(120,), baseline=(120,))),
    "one failure in a million on either side": (
        "unequal-work",
        lambda: telemetry(
            dataclasses.replace(
                healthy(), batches=dict.fromkeys(healthy().batches, BatchStatistics(80, 1_000_000, 0.02, 0.0))
            ),
            slow={"errors": 1.0, "throttled_s": 0.0},
            baseline={"errors": 0.0, "throttled_s": 0.0},
        ),
    ),
    "a batch of a thousand steps": ("timer", lambda: batches(healthy(), shortest_s=1001e-9)),
    "a few times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.1)),
    "times that repeat on a clock that is fine enough": (
        "timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-6),
    ),
    "two equal times of ten": ("timer", lambda: batches(healthy(), duplicate_share=0.2, batches=10)),
    "no throttling": ("throttling", healthy),
    "one block of ten lost": ("lost-blocks", lambda: healthy(slow=[None, *around(1.5, 9, shift=3)])),
}


@pytest.mark.parametrize("situation", FIRES)
def test_it_fires(situation: str) -> None:
    check, make, expected = FIRES[situation]

    assert said(make(), check) == expected


@pytest.mark.parametrize("situation", CLEAN)
def test_it_is_silent_on_the_clean_twin(situation: str) -> None:
    check, make = CLEAN[situation]

    assert said(make(), check) == []


def test_every_check_is_tried_both_ways() -> None:
    assert {check for check, _, _ in FIRES.values()} == {check.id for check in checks}
    assert {check for check, _ in CLEAN.values()} == {check.id for check in checks}


UNKNOWN: dict[str, tuple[str, Callable[[], Measured], list[str]]] = {
    "a level that nothing witnessed": ("mislabelled-level", lambda: declaring(healthy(), curve="P-256"), ["slow"]),
    "work that nothing witnessed": (
        "unequal-work",
        lambda: equal_output(healthy(), slow=None, baseline=(120,)),
        ["slow"],
    ),
    "a clock that does not tell its step": (
        "timer",
        lambda: dataclasses.replace(healthy(), calibrated=None),
        ["baseline", "slow", "same", "negative", "positive"],
    ),
    "batches that are not told": (
        "timer",
        lambda: dataclasses.replace(
            healthy(), batches={name: of for name, of in healthy().batches.items() if name != "slow"}
        ),
        ["slow"],
    ),
    "throttling that is not told": ("throttling", lambda: dataclasses.replace(healthy(), telemetry={}), ["run"]),
    "no negative control": (
        "negative-control",
        lambda: run_of({"baseline": around(1, 10), "t": around(1.5, 10, shift=1)}),
        ["family"],
    ),
    "a negative control of two blocks": (
        "negative-control",
        lambda: healthy(negative=[1.0, 1.01, *[None] * 8]),
        ["family"],
    ),
    "a positive control that was not measured": (
        "positive-control",
        lambda: healthy(positive=[None] * 10),
        ["positive"],
    ),
}


@pytest.mark.parametrize("situation", UNKNOWN)
def test_what_lacks_data_is_never_passed_in_silence(situation: str) -> None:
    check, make, subjects = UNKNOWN[situation]
    measured = make()

    answers = [warning for warning in run(measured, judge(measured)) if warning.check == check]

    assert [answer.subject for answer in answers] == subjects
    assert all(answer.severity is Severity.NOTE for answer in answers)
    assert all(answer.saw.startswith("cannot be checked") for answer in answers)


def test_a_missed_control_on_which_nothing_leans_is_only_noted() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))

    assert said(measured, "positive-control") == [("note", "positive")]


def test_a_missed_control_of_times_does_not_lean_on_memory() -> None:
    measured = healthy(positive=list(NOISY), same=list(around(1.4, 10, shift=4)))
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "same": around(1e6, 10, shift=1)}

    assert said(with_metric(measured, metric, memory, Standing.SECONDARY), "positive-control") == [("note", "positive")]


def test_true_is_not_one() -> None:
    measured = witnessing(declaring(healthy(), encrypted=True), slow={"encrypted": (1,)})

    assert said(measured, "mislabelled-level") == [("F", "slow")]


def test_a_declared_quota_is_part_of_what_was_measured() -> None:
    measured = witnessing(declaring(healthy(), cpu_quota=0.5), slow={"cpu_quota": (0.5,)})

    assert said(telemetry(measured, slow={"throttled_s": 0.5}), "throttling") == [("note", "slow")]


def test_a_run_that_measured_nothing_is_not_accused() -> None:
    assert said(run_of({"baseline": [1.0] * 6, "t": [None] * 6})) == []


def test_numbers_from_elsewhere_are_not_asked_for_controls() -> None:
    measured = run_of({"baseline": around(1, 10), "t": around(1.5, 10, shift=1)})
    evidence = dataclasses.replace(evidence_of(measured, judge(measured)), own=False)

    answers: tuple[Warning, ...] = examine(evidence)

    assert {answer.check for answer in answers} == {"unequal-work"}  # whether operations failed is not told
