"""Every check fires where it must, and is silent on the clean twin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from sectax.audit.checks import registry
from sectax.audit.own.registry import CHECKS as checks
from sectax.model.measured import BatchStatistics, Measured
from tests.analysis.runs import around, run_of
from tests.audit.checked_runs import (
    EVERYONE,
    NOISY,
    batches,
    counting,
    declaring,
    equal_output,
    healthy,
    in_memory,
    leaving_out,
    said,
    settling,
    telemetry,
    unsettled,
    without_bodies,
    witnessing,
    witnessing_equal,
)
from tests.audit.test_scenarios import SCENARIOS


def test_a_healthy_run_has_no_warning() -> None:
    assert said(healthy()) == []


def test_every_check_has_an_identifier_of_its_own_and_a_rule() -> None:
    assert len({check.id for check in checks}) == len(checks)
    assert all(check.rule for check in checks)


def test_a_rule_on_runs_and_on_published_numbers_is_one_check() -> None:
    """Witnesses, which only a run has, extend the one on failures."""
    published = {check.id: check for check in registry.CHECKS}

    assert [check.id for check in checks if published.get(check.id, check) is not check] == ["unequal-work"]


ONE_IN_TWENTY = [
    value * (1.0039 + 0.001 * step)
    for value, step in zip(around(1.0, 10), (3, -3, 1, -1, 4, -4, 2, -2, 4, -4), strict=True)
]


def failing(**errors: float) -> Measured:
    """A million operations of every treatment, of which so many fail."""
    run = healthy()
    counted = dict.fromkeys(run.batches, BatchStatistics(80, 1_000_000, 0.02, 0.0))
    seen = {arm: {"errors": number, "throttled_s": 0.0} for arm, number in errors.items()}
    return telemetry(dataclasses.replace(run, batches=counted), **seen)


FIRES: dict[str, tuple[str, Callable[[], Measured], list[tuple[str, str]]]] = {
    "a copy of the baseline that differs": ("negative-control",
        lambda: healthy(negative=list(around(1.1, 10, shift=2))), [("F", "run")]),
    "a copy of the baseline that differs as one in twenty does": ("negative-control",
        lambda: healthy(negative=ONE_IN_TWENTY), [("W", "family")]),
    "no copy of the baseline": ("negative-control",
        lambda: run_of({"baseline": around(1, 10), "t": around(1.5, 10, shift=1)}), [("W", "family")]),
    "a copy of the baseline that failed in every block": ("negative-control",
        lambda: healthy(negative=[None] * 10), [("W", "family"), ("F", "same")]),
    "a copy of the baseline with five pairs": ("negative-control",
        lambda: healthy(negative=[*around(1.0, 5, shift=2), *[None] * 5]), [("W", "family"), ("F", "same")]),
    "a known cost that was never measured": ("positive-control",
        lambda: healthy(positive=[None] * 10), [("F", "positive")]),
    "no known cost was planned": ("positive-control",
        lambda: run_of({"baseline": around(1, 10), "negative": around(1, 10, shift=2), "t": around(1.5, 10, shift=1)}),
        [("note", "family")]),
    # the intervals are wider by it, so no verdict leans on it
    "a known cost that is three times what it should be": ("positive-control",
        lambda: counting(1), [("note", "positive")]),
    "memory as equal, of which there is no control": ("uncontrolled", lambda: in_memory(1e6), [("W", "memory")]),
    "a pilot that never settled": ("warm-up", lambda: unsettled("slow", "positive"), [("W", "slow")]),
    "other claims than the baseline": ("unequal-work",
        lambda: witnessing_equal(EVERYONE | {"slow": "decade"}, "claims_sha256"), [("F", "slow")]),
    "a known cost that was not found": ("positive-control", lambda: healthy(positive=list(NOISY)), [("F", "positive")]),
    "a key that is smaller than declared": ("mislabelled-level",
        lambda: witnessing(declaring(healthy(), curve="P-384"), slow={"curve": ("P-256",)}), [("F", "slow")]),
    "a witness that changes on the way": ("mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048, 1024)}), [("F", "slow")]),
    "other bytes than the baseline": ("unequal-work",
        lambda: equal_output(healthy(), slow=(100,), baseline=(120,)), [("F", "slow")]),
    "one operation in a hundred fails": ("unequal-work",
        lambda: telemetry(batches(healthy(), operations=1000), slow={"errors": 10.0, "throttled_s": 0.0}),
        [("F", "slow")]),
    "failures on one side only": ("unequal-work", lambda: failing(slow=500.0, baseline=0.0), [("F", "slow")]),
    "a batch of fifty steps of the clock": ("timer", lambda: batches(healthy(), shortest_s=50e-9), [("F", "slow")]),
    "a batch of five hundred steps": ("timer", lambda: batches(healthy(), shortest_s=500e-9), [("W", "slow")]),
    "times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.3), [("F", "slow")]),
    "times that repeat on a coarse clock": ("timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-3), [("F", "slow")]),
    "a quota that held it back": ("throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.5}), [("F", "slow")]),
    "a quota that held it back for 2 % of the time that was watched": ("throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.08, "spanned_s": 4.0}), [("F", "slow")]),
    "a quota that held it back for 0.8 % of the time that was watched": ("throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.08, "spanned_s": 10.0}), [("W", "slow")]),
    "the same share of batches, half of which are not counted": ("throttling",
        lambda: telemetry(settling(healthy(), settle=True), slow={"throttled_s": 0.02}), [("W", "slow")]),
    "the same share of batches, all of which are counted": ("throttling",
        lambda: telemetry(settling(healthy(), settle=False), slow={"throttled_s": 0.02}), [("F", "slow")]),
    "a quota that hardly held it back": ("throttling",
        lambda: telemetry(healthy(), slow={"throttled_s": 0.001}), [("W", "slow")]),
    "a peak no larger than the program that starts it": ("memory-floor",
        lambda: witnessing(in_memory(1e6), same={"peak_memory_at_most": (False, True)}), [("W", "same:memory")]),
    "such a peak of the baseline": ("memory-floor",
        lambda: witnessing(in_memory(1e6), baseline={"peak_memory_at_most": (True,)}),
        [("W", "same:memory"), ("W", "slow:memory")]),
    "a cost that was just found": ("barely-found",
        lambda: healthy(slow=list(around(1.018, 10, shift=3))), [("W", "slow")]),
    "a cost of an operation that moves no body": ("metadata-cost", lambda: without_bodies(healthy()), [("W", "slow")]),
    "a treatment that is faster since it leaves work out": ("less-work",
        lambda: leaving_out(healthy(slow=list(around(0.8, 10, shift=3))), slow="short"), [("W", "slow")]),
    "a fifth of the blocks lost": ("lost-blocks",
        lambda: healthy(slow=[None, *around(1.5, 8, shift=3), None]), [("W", "slow")]),
}  # fmt: skip


CLEAN: dict[str, tuple[str, Callable[[], Measured]]] = {
    "a cost that is far from nothing": ("barely-found", healthy),
    "a cost that was not found": ("barely-found", lambda: healthy(slow=[1 + 0.01 * value for value in NOISY])),
    "a copy of the baseline with six pairs": ("negative-control",
        lambda: healthy(negative=[*around(1.0, 6, shift=2), *[None] * 4])),
    "a known cost a quarter more than it should be": ("positive-control", lambda: counting(5, rounds=4)),
    "memory as larger, of which there is no control": ("uncontrolled", lambda: in_memory(2e6)),
    "times as equal, of which there is one": ("uncontrolled", healthy),
    "a pilot that settled": ("warm-up", healthy),
    "equal claims": ("unequal-work", lambda: witnessing_equal(EVERYONE, "claims_sha256")),
    "a copy of the baseline that wobbles": ("negative-control", lambda: healthy(negative=list(NOISY))),
    "a known cost that was found": ("positive-control", healthy),
    "a key as declared": ("mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": (2048,)})),
    "the same number as text": ("mislabelled-level",
        lambda: witnessing(declaring(healthy(), key_bits=2048), slow={"key_bits": ("2048",)})),
    "equal bytes": ("unequal-work", lambda: equal_output(healthy(), slow=(120,), baseline=(120,))),
    "one failure in a million on either side": ("unequal-work", lambda: failing(slow=1.0, baseline=0.0)),
    "a batch of a thousand steps": ("timer", lambda: batches(healthy(), shortest_s=1001e-9)),
    "a few times that repeat": ("timer", lambda: batches(healthy(), duplicate_share=0.1)),
    "times that repeat on a clock that is fine enough": ("timer",
        lambda: batches(healthy(), duplicate_share=0.3, step_s=1e-6)),
    "two equal times of ten": ("timer", lambda: batches(healthy(), duplicate_share=0.2, batches=10)),
    "a cost of one that moves a body": ("metadata-cost", healthy),
    "operations that move no body, and cost nothing": ("metadata-cost",
        lambda: without_bodies(healthy(slow=list(around(1.0, 10, shift=3))))),
    "a treatment that is faster and does the same": ("less-work",
        lambda: leaving_out(healthy(slow=list(around(0.8, 10, shift=3))), slow="whole")),
    "a treatment that leaves work out and is slower": ("less-work", lambda: leaving_out(healthy(), slow="short")),
    "no throttling": ("throttling", healthy),
    "peaks above that of the program that starts them": ("memory-floor",
        lambda: witnessing(in_memory(1e6), slow={"peak_memory_at_most": (False,)})),
    "one block of ten lost": ("lost-blocks", lambda: healthy(slow=[None, *around(1.5, 9, shift=3)])),
}  # fmt: skip


@pytest.mark.parametrize("situation", FIRES)
def test_it_fires(situation: str) -> None:
    check, make, expected = FIRES[situation]

    assert said(make(), check) == expected


@pytest.mark.parametrize("situation", CLEAN)
def test_it_is_silent_on_the_clean_twin(situation: str) -> None:
    check, make = CLEAN[situation]

    assert said(make(), check) == []


# In test_configured_time.py and test_s3_runs.py.
ELSEWHERE = {"fixed-time-total", "saturated-client", "slow-bucket"}


def test_every_check_is_tried_both_ways() -> None:
    every = {check.id for check in checks}
    made_up = {scenario.check for scenario in SCENARIOS}

    assert {check for check, _, _ in FIRES.values()} | made_up | ELSEWHERE == every
    assert {check for check, _ in CLEAN.values()} | made_up | ELSEWHERE == every


def test_true_is_not_one() -> None:
    measured = witnessing(declaring(healthy(), encrypted=True), slow={"encrypted": (1,)})

    assert said(measured, "mislabelled-level") == [("F", "slow")]


def test_a_declared_quota_is_part_of_what_was_measured() -> None:
    measured = witnessing(declaring(healthy(), cpu_quota=0.5), slow={"cpu_quota": (0.5,)})

    assert said(telemetry(measured, slow={"throttled_s": 0.5}), "throttling") == [("note", "slow")]
