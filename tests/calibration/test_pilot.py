"""What the pilot freezes of a treatment, from subjects whose operations last as long as they say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from sectax.calibration.pilot import PROCESSES, calibrate, tried_alone
from sectax.model.plan import Calibrated
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.model.trial import BlockEvent, Dropped
from tests.design.plans import small_plan

PLAN = replace(small_plan(), batch_s=0.02)
OPERATION_S = 1e-4


@dataclass(frozen=True)
class Spec:
    name: str

    def subject(self) -> Fake:
        return Fake()


@dataclass(frozen=True)
class SpacedSpec(Spec):
    gap_s: float = 0.05


@dataclass(frozen=True)
class KnownSpec(Spec):
    known_s: float | None = 300.0


@dataclass(frozen=True)
class OverlappingSpec(Spec):
    """Eight operations run at once."""

    fewest: int = 80

    def subject(self) -> Overlapping:
        return Overlapping()


class Fake:
    first: tuple[Observation, ...] = ()

    def start(self) -> None:
        """Nothing to begin."""

    def open(self) -> Witnesses:
        return {"clock_granularity_s": 1e-9}

    def visit(self, work: Work) -> Visit:
        observed = PLAN.metrics[0].observed
        return Visit((Observation(observed, work.count * OPERATION_S, "s", "fake", work.count),))

    def close(self) -> Witnesses:
        return {}

    def kill(self) -> None:
        """Nothing to end."""


class Overlapping(Fake):
    def visit(self, work: Work) -> Visit:
        assert work.count >= 80
        return replace(super().visit(work), telemetry={"spanned_s": work.count * OPERATION_S / 8})


def frozen(kind: type[Spec]) -> tuple[Calibrated, list[BlockEvent]]:
    events: list[BlockEvent] = []
    return calibrate(
        PLAN, {treatment.id: kind(treatment.id) for treatment in PLAN.treatments}, {}, events.append
    ), events


def test_a_batch_lasts_about_as_long_as_the_plan_aims_at() -> None:
    found, _ = frozen(Spec)

    counts = {calibration.count for calibration in found.calibrations.values()}
    assert counts == {round(PLAN.batch_s / OPERATION_S)}


def test_operations_with_idle_time_between_them_are_visited_one_at_a_time() -> None:
    found, _ = frozen(SpacedSpec)

    assert {calibration.count for calibration in found.calibrations.values()} == {1}
    assert {calibration.batch_s for calibration in found.calibrations.values()} == {OPERATION_S}


def test_what_is_known_to_last_for_minutes_is_not_tried() -> None:
    found, events = frozen(KnownSpec)

    assert events == []
    assert {
        (calibration.count, calibration.batch_s, calibration.most) for calibration in found.calibrations.values()
    } == {(1, 300.0, 1)}
    assert tried_alone(PLAN, {treatment.id: KnownSpec(treatment.id) for treatment in PLAN.treatments}) == ()


def test_every_treatment_is_opened_more_than_once_and_reported_once() -> None:
    found, events = frozen(Spec)

    assert PROCESSES > 1
    assert {event.treatment for event in events} == set(found.calibrations)
    assert len(events) == len(found.calibrations)


def test_a_plan_may_leave_out_what_is_thrown_away() -> None:
    specs = {treatment.id: Spec(treatment.id) for treatment in PLAN.treatments}

    settled, bare = (
        calibrate(replace(PLAN, settles=settles), specs, {}, lambda event: None) for settles in (True, False)
    )

    assert {calibration.settle for calibration in settled.calibrations.values()} == {True}
    assert {calibration.settle for calibration in bare.calibrations.values()} == {False}


def test_a_clock_that_stands_still_fails_its_treatment_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    observed = PLAN.metrics[0].observed
    still = Visit((Observation(observed, 0.0, "s", "fake", 1),))
    monkeypatch.setattr(Fake, "visit", lambda self, work: still)

    found, events = frozen(Spec)

    assert found.calibrations == {}
    assert all("stood still" in event.reason for event in events if isinstance(event, Dropped))
    assert any(isinstance(event, Dropped) for event in events)


def test_a_coarse_clock_has_its_batch_even_where_a_visit_then_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fake, "open", lambda self: {"clock_granularity_s": 1e-3})

    found, _ = frozen(Spec)

    assert [calibration.batch_s for calibration in found.calibrations.values()] == pytest.approx(
        [1.0] * len(PLAN.treatments)
    )


def counting_visits(monkeypatch: pytest.MonkeyPatch, operation_s: float) -> list[int]:
    visits: list[int] = []
    observed = PLAN.metrics[0].observed

    def visit(self: Fake, work: Work) -> Visit:
        visits.append(work.count)
        return Visit((Observation(observed, work.count * operation_s, "s", "fake", work.count),))

    monkeypatch.setattr(Fake, "visit", visit)
    return visits


@pytest.mark.parametrize(("rounds", "warms_up"), [((2, 2), False), ((1, 1), False)])
def test_where_only_the_length_of_operations_is_to_be_found_out_slow_ones_are_tried_twice(
    monkeypatch: pytest.MonkeyPatch, rounds: tuple[int, int], warms_up: bool
) -> None:
    visits = counting_visits(monkeypatch, 0.3)
    plan = replace(PLAN, rounds_range=rounds, warms_up=warms_up)

    found = calibrate(plan, {treatment.id: Spec(treatment.id) for treatment in plan.treatments}, {}, lambda event: None)

    assert len(visits) == 2 * len(
        tried_alone(plan, {treatment.id: Spec(treatment.id) for treatment in plan.treatments})
    )
    assert all(calibration.typical_s == pytest.approx(0.3) for calibration in found.calibrations.values())
    assert set(found.rounds.values()) == {rounds[0]}


def test_what_lasts_for_minutes_is_not_done_again_to_learn_how_long_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    visits = counting_visits(monkeypatch, 300.0)
    plan = replace(PLAN, rounds_range=(1, 1), warms_up=False)
    specs = {treatment.id: Spec(treatment.id) for treatment in plan.treatments}

    calibrate(plan, specs, {}, lambda event: None)

    assert visits == [1] * len(tried_alone(plan, specs))


@pytest.mark.parametrize(("rounds", "warms_up"), [((2, 4), False), ((2, 2), True)])
def test_rounds_and_warm_up_are_found_out_from_more_than_one_process(
    monkeypatch: pytest.MonkeyPatch, rounds: tuple[int, int], warms_up: bool
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(Fake, "open", lambda self: opened.append("") or {"clock_granularity_s": 1e-9})
    plan = replace(PLAN, rounds_range=rounds, warms_up=warms_up)
    specs = {treatment.id: Spec(treatment.id) for treatment in plan.treatments}

    calibrate(plan, specs, {}, lambda event: None)

    assert len(opened) == PROCESSES * len(tried_alone(plan, specs))


def test_operations_that_overlap_last_as_long_as_their_visit_and_come_in_full_batches():
    calibrated, events = frozen(OverlappingSpec)

    assert not [event for event in events if isinstance(event, Dropped)]
    for calibration in calibrated.calibrations.values():
        assert calibration.operation_s == pytest.approx(OPERATION_S / 8)
        assert calibration.batch_s == pytest.approx(PLAN.batch_s, rel=0.1)
        assert calibration.fewest == 80
        assert calibration.typical_s == pytest.approx(OPERATION_S)  # a known cost is a share of it
