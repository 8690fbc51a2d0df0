"""One block of subjects, with subjects that fail in every way they can."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import pytest

from sectax.calibration.pilot import calibrate
from sectax.design.order import plan_block
from sectax.engines.block import run_block
from sectax.model.errors import NothingMeasured, SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.model.trial import Closed, Dropped, Opened, State, Trial
from tests.design.plans import calibrated_for, small_plan

PLAN = small_plan()
BLOCK = plan_block(PLAN, calibrated_for(PLAN), 1, [treatment.id for treatment in PLAN.treatments])
VICTIM = "sign/ES256"


@dataclass
class World:
    """What all subjects of a test did, in order."""

    log: list[tuple[str, str]] = field(default_factory=list)
    alive: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Spec:
    name: str
    world: World
    fails_at: str = ""
    error: Exception | None = None

    def subject(self) -> Fake:
        return Fake(self)


class Fake:
    first: tuple[Observation, ...] = ()

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.visits = 0

    def _do(self, what: str) -> None:
        self.spec.world.log.append((what, self.spec.name))
        if self.spec.fails_at == what and self.spec.error is not None:
            raise self.spec.error

    def start(self) -> None:
        self.spec.world.alive.add(self.spec.name)
        self._do("start")

    def open(self) -> Witnesses:
        self._do("open")
        return {"key_bits": 256}

    def visit(self, work: Work) -> Visit:
        self._do("visit" if work.settle else "warm-up")
        return Visit((Observation("batch_time", work.count * 1e-4, "s", "fake", work.count),))

    def close(self) -> Witnesses:
        self._do("close")
        self.spec.world.alive.discard(self.spec.name)
        return {}

    def kill(self) -> None:
        self.spec.world.alive.discard(self.spec.name)


def specs(world: World, **failure: object) -> dict[str, Spec]:
    return {
        treatment.id: Spec(treatment.id, world, **(failure if treatment.id == VICTIM else {}))  # type: ignore[arg-type]
        for treatment in PLAN.treatments
    }


def test_a_healthy_block_opens_warms_up_visits_and_closes_every_subject():
    world = World()

    events = list(run_block(BLOCK, specs(world)))

    names = {treatment.id for treatment in PLAN.treatments}
    assert {event.treatment for event in events if isinstance(event, Opened)} == names
    assert {event.treatment for event in events if isinstance(event, Closed)} == names
    trials = [event for event in events if isinstance(event, Trial)]
    assert len(trials) == 4 * len(names)
    assert all(trial.state is State.OK and trial.observations for trial in trials)
    (warmup,) = (cell.warmup[VICTIM][0] for cell in BLOCK.cells if VICTIM in cell.opening)
    steps = ["start", "open"] + ["warm-up"] * warmup + ["visit"] * 4 + ["close"]
    assert [what for what, name in world.log if name == VICTIM] == steps
    assert world.alive == set()


def test_subjects_warm_up_by_turns() -> None:
    """So the pace of one is filled by the others, as it is in their visits."""
    world = World()
    list(run_block(BLOCK, specs(world)))
    (cell,) = (cell for cell in BLOCK.cells if VICTIM in cell.opening)

    warmed = [name for what, name in world.log if what == "warm-up" and name in cell.opening]

    assert warmed == list(cell.opening) * cell.warmup[VICTIM][0]


@pytest.mark.parametrize("stage", ["start", "open", "warm-up", "visit", "close"])
@pytest.mark.parametrize(
    ("error", "reason", "hint"),
    [
        (SubjectFailed("it broke", "fix it"), "it broke", "fix it"),
        (TimeoutError("too late"), f"{VICTIM}: TimeoutError: too late", None),
        (KeyError("x"), f"{VICTIM}: KeyError: 'x'", None),
        (NothingMeasured("no room", "make some"), f"{VICTIM}: no room", None),
    ],
)
def test_one_that_fails_with_any_error_leaves_the_block_and_the_others_go_on(stage, error, reason, hint):
    world = World()

    events = list(run_block(BLOCK, specs(world, fails_at=stage, error=error)))

    (dropped,) = (event for event in events if isinstance(event, Dropped))
    assert (dropped.treatment, dropped.state, dropped.reason) == (VICTIM, State.FAILED, reason)
    assert hint in (None, dropped.hint)
    closed = {event.treatment for event in events if isinstance(event, Closed)}
    assert closed == {treatment.id for treatment in PLAN.treatments} - {VICTIM}
    assert world.alive == set()


def test_those_that_are_visited_at_once_meet_within_a_round_and_keep_their_places(monkeypatch) -> None:
    together = [treatment.id for treatment in PLAN.treatments if treatment.cell == "sign"][:2]
    plan = replace(PLAN, treatments=tuple(replace(one, at_once=one.id in together) for one in PLAN.treatments))
    block = plan_block(plan, calibrated_for(plan), 1, [treatment.id for treatment in plan.treatments])
    world, meet, visit = World(), threading.Barrier(2), Fake.visit

    def wait_and_visit(self: Fake, work: Work) -> Visit:
        if work.settle and self.spec.name in together:
            meet.wait(10)  # whoever comes alone is not met, and fails
        return visit(self, work)

    monkeypatch.setattr(Fake, "visit", wait_and_visit)
    trials = [event for event in run_block(block, specs(world)) if isinstance(event, Trial)]

    assert {trial.state for trial in trials} == {State.OK}
    planned = [(visit.treatment, visit.round, visit.position) for cell in block.cells for visit in cell.visits]
    assert sorted((trial.treatment, trial.round, trial.position) for trial in trials) == sorted(planned)


def test_a_failed_visit_is_a_failed_trial_with_its_reason():
    world = World()

    events = list(run_block(BLOCK, specs(world, fails_at="visit", error=SubjectFailed("it broke"))))

    failed = [event for event in events if isinstance(event, Trial) and event.state is State.FAILED]
    assert [(trial.treatment, trial.reason, trial.observations) for trial in failed] == [(VICTIM, "it broke", ())]


def test_one_that_cannot_be_had_is_skipped_not_failed():
    world = World()

    events = list(run_block(BLOCK, specs(world, fails_at="open", error=SubjectSkipped("no sodium", "install it"))))

    assert [event.state for event in events if isinstance(event, Dropped)] == [State.SKIPPED]


def test_stopping_early_leaves_no_subject():
    world = World()
    events = run_block(BLOCK, specs(world))
    for _ in range(9):
        next(events)
    assert world.alive

    events.close()

    assert world.alive == set()


@pytest.mark.parametrize("stage", ["open", "warm-up"])
def test_in_the_pilot_too_any_error_is_a_failure_of_its_treatment(stage):
    world, events = World(), []

    calibrated = calibrate(PLAN, specs(world, fails_at=stage, error=TimeoutError("too late")), {}, events.append)

    dropped = [event for event in events if isinstance(event, Dropped)]
    assert [(event.treatment, event.reason) for event in dropped] == [(VICTIM, f"{VICTIM}: TimeoutError: too late")]
    assert VICTIM not in calibrated.calibrations
    assert len(calibrated.calibrations) >= 2
    assert world.alive == set()
