"""What the pilot freezes of a treatment, from subjects whose operations last as long as they say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from sectax.calibration.pilot import calibrate, pilot_treatments
from sectax.calibration.time_budget import PROCESSES
from sectax.model.plan import Calibrated, Calibration
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.model.trial import BlockEvent, Dropped
from tests.design.plans import small_plan

PLAN = replace(small_plan(), batch_s=0.02)
OPERATION_S = 1e-4


OBSERVED = PLAN.metrics[0].observed


class Fake:
    """Operations that take as long as they say, on a clock that a test may make coarse."""

    first: tuple[Observation, ...] = ()

    def __init__(self, operation_s: float, granularity_s: float) -> None:
        self.operation_s, self.granularity_s = operation_s, granularity_s

    def start(self) -> None:
        """Nothing to begin."""

    def open(self) -> Witnesses:
        return {"clock_granularity_s": self.granularity_s}

    def visit(self, work: Work) -> Visit:
        return Visit((Observation(OBSERVED, work.count * self.operation_s, "s", "fake", work.count),))

    def close(self) -> Witnesses:
        return {}

    def kill(self) -> None:
        """Nothing to end."""


class Overlapping(Fake):
    """Eight operations run at once."""

    def visit(self, work: Work) -> Visit:
        assert work.count >= 80
        return replace(super().visit(work), telemetry={"spanned_s": work.count * self.operation_s / 8})


@dataclass(eq=False)
class Spec:
    """What a treatment of a pilot is. Copies of it share what was opened and visited."""

    name: str = "fake"
    operation_s: float = OPERATION_S
    granularity_s: float = 1e-9
    kind: type[Fake] = Fake
    opened: list[str] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)

    def subject(self) -> Fake:
        self.opened.append(self.name)
        subject = self.kind(self.operation_s, self.granularity_s)
        visit = subject.visit

        def counted(work: Work) -> Visit:
            self.visits.append(work.count)
            return visit(work)

        subject.visit = counted
        return subject


@dataclass(eq=False)
class SpacedSpec(Spec):
    gap_s: float = 0.05


@dataclass(eq=False)
class KnownSpec(Spec):
    known_s: float | None = 300.0


@dataclass(eq=False)
class OverlappingSpec(Spec):
    kind: type[Fake] = Overlapping
    fewest: int = 80


def frozen(spec: Spec, **changes: object) -> tuple[list[Calibration], list[BlockEvent], Calibrated]:
    """The calibrations of a pilot whose treatments are all the same, its events, and all that it froze."""
    events: list[BlockEvent] = []
    found = calibrate(replace(PLAN, **changes), specs(spec), {}, events.append)
    return list(found.calibrations.values()), events, found


def specs(spec: Spec) -> dict[str, Spec]:
    return {treatment.id: replace(spec, name=treatment.id) for treatment in PLAN.treatments}


def alone(spec: Spec, **changes: object) -> int:
    """How many treatments of the plan are tried by themselves."""
    return len(pilot_treatments(replace(PLAN, **changes), specs(spec)))


def test_a_batch_lasts_about_as_long_as_the_plan_aims_at() -> None:
    calibrations, _, _ = frozen(Spec())

    assert {calibration.count for calibration in calibrations} == {round(PLAN.batch_s / OPERATION_S)}


def test_operations_with_idle_time_between_them_are_visited_one_at_a_time() -> None:
    calibrations, _, _ = frozen(SpacedSpec())

    assert {(calibration.count, calibration.batch_s) for calibration in calibrations} == {(1, OPERATION_S)}


def test_what_is_known_to_last_for_minutes_is_not_tried() -> None:
    calibrations, events, _ = frozen(KnownSpec())

    assert events == []
    assert {(known.count, known.batch_s, known.most) for known in calibrations} == {(1, 300.0, 1)}
    assert alone(KnownSpec()) == 0


def test_every_treatment_is_opened_more_than_once_and_reported_once() -> None:
    calibrations, events, found = frozen(Spec())

    assert PROCESSES > 1
    assert {event.treatment for event in events} == set(found.calibrations)
    assert len(events) == len(calibrations)


@pytest.mark.parametrize("settles", [True, False])
def test_a_plan_may_leave_out_what_is_thrown_away(settles: bool) -> None:
    calibrations, _, _ = frozen(Spec(), settles=settles)

    assert {calibration.settle for calibration in calibrations} == {settles}


def test_a_clock_that_stands_still_fails_its_treatment() -> None:
    calibrations, events, _ = frozen(Spec(operation_s=0.0))

    assert calibrations == []
    assert any(isinstance(event, Dropped) for event in events)


def test_a_coarse_clock_has_its_batch_even_where_a_visit_then_takes_long() -> None:
    calibrations, _, _ = frozen(Spec(granularity_s=1e-3))

    assert [calibration.batch_s for calibration in calibrations] == pytest.approx([1.0] * len(PLAN.treatments))


@pytest.mark.parametrize("rounds", [(2, 2), (1, 1)])
def test_slow_operations_are_tried_twice_to_learn_their_length(rounds: tuple[int, int]) -> None:
    spec, changes = Spec(operation_s=0.3), {"rounds_range": rounds, "warms_up": False}

    calibrations, _, found = frozen(spec, **changes)

    assert len(spec.visits) == 2 * alone(spec, **changes)
    assert all(calibration.typical_s == pytest.approx(0.3) for calibration in calibrations)
    assert set(found.rounds.values()) == {rounds[0]}


def test_what_lasts_for_minutes_is_not_done_again_to_learn_how_long_it_lasts() -> None:
    spec, changes = Spec(operation_s=300.0), {"rounds_range": (1, 1), "warms_up": False}

    frozen(spec, **changes)

    assert spec.visits == [1] * alone(spec, **changes)


@pytest.mark.parametrize(("rounds", "warms_up"), [((2, 4), False), ((2, 2), True)])
def test_rounds_and_warm_up_are_found_out_from_more_than_one_process(rounds: tuple[int, int], warms_up: bool) -> None:
    spec, changes = Spec(), {"rounds_range": rounds, "warms_up": warms_up}

    frozen(spec, **changes)

    assert len(spec.opened) == PROCESSES * alone(spec, **changes)


def test_operations_that_overlap_last_as_long_as_their_visit_and_come_in_full_batches() -> None:
    calibrations, events, _ = frozen(OverlappingSpec())

    assert not [event for event in events if isinstance(event, Dropped)]
    for calibration in calibrations:
        assert calibration.operation_s == pytest.approx(OPERATION_S / 8)
        assert calibration.batch_s == pytest.approx(PLAN.batch_s, rel=0.1)
        assert calibration.fewest == 80
        assert calibration.typical_s == pytest.approx(OPERATION_S)  # a known cost is a share of it
