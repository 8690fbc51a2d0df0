"""Runs of ours with something wrong in them, and their clean twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numpy.random import Generator

from benchmarks.simulations.audited_runs import (
    BASELINE,
    TREATMENT,
    Draft,
    cold_first_batch,
    drifting_process,
    drifting_run,
    healthy,
    modes_of_batches,
    place_matters,
    two_modes,
    wandering,
)
from sectax.analysis.findings import judge
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity
from sectax.model.measured import Measured
from tests.audit.scenario import Make, Scenario

Spoil = Callable[[Draft, Generator], None]


def seen(measured: Measured) -> RunEvidence:
    return RunEvidence(measured, judge(measured))


def run(spoil: Spoil, fewest: int = 10) -> Make:
    """A run of `fewest` to 40 blocks of 8 to 32 rounds."""

    def make(rng: Generator, broken: bool) -> RunEvidence:
        draft = healthy(
            rng,
            cost=float(rng.choice([-0.2, 0.0, 0.05, 0.5])),
            blocks=int(rng.integers(fewest, 41)),
            rounds=int(rng.integers(8, 33)),
        )
        if broken:
            spoil(draft, rng)
        return seen(draft.measured())

    return make


def either_way(spoil: Callable[[Draft, float], None], least: float, most: float) -> Spoil:
    """The fault by some size between the two, up or down."""
    return lambda draft, rng: spoil(draft, float(rng.uniform(least, most) * rng.choice([-1.0, 1.0])))


def more_slow_batches(draft: Draft, rng: Generator) -> None:
    share = float(rng.uniform(0.2, 0.3))
    modes_of_batches(draft, rng, {BASELINE: share, TREATMENT: share + 0.5})


def counts_nothing(rng: Generator, broken: bool) -> RunEvidence:
    """A treatment whose batches hold no operation, so that it has no value."""
    measured = healthy(rng, blocks=int(rng.integers(10, 41))).measured()
    if not broken:
        return seen(measured)
    (name,) = measured.values
    values = {name: {arm: of for arm, of in measured.values[name].items() if arm != TREATMENT}}
    nothing = replace(measured.batches[TREATMENT], operations=0)
    return seen(replace(measured, values=values, batches=measured.batches | {TREATMENT: nothing}))


def with_batches(measured: Measured, operations: float, waited: float) -> Measured:
    """The run with so many times the operations in the treatment's batches, and such a share of all time waited."""
    counted = measured.batches[TREATMENT]
    longer = replace(counted, operations=round(operations * counted.operations))
    told = {
        arm: {"run_queue_delay_s": waited * 3.0, "spanned_s": 3.0, "throttled_s": 0.0} for arm in measured.telemetry
    }
    return replace(measured, batches=measured.batches | {TREATMENT: longer}, telemetry=told)


def unequal_batches(rng: Generator, broken: bool) -> RunEvidence:
    """Either arm's batches over 1.5 times as long as the other's while subjects wait; its twins lack one of the two."""
    measured = healthy(rng, cost=0.05, blocks=int(rng.integers(10, 41))).measured()
    apart = float(rng.uniform(1.8, 8)) ** float(rng.choice([-1, 1]))
    waits = float(rng.uniform(0.06, 0.5))
    if broken:
        return seen(with_batches(measured, apart, waits))
    quiet, alike = (apart, float(rng.uniform(0, 0.045))), (float(rng.uniform(0.75, 1.35)), waits)
    return seen(with_batches(measured, *(quiet if rng.random() < 0.5 else alike)))


SCENARIOS = (
    Scenario(
        "first-trial", "cold first batch in a run", run(either_way(cold_first_batch, 0.03, 0.3)), Severity.WARNING
    ),
    Scenario("drift", "within a process", run(either_way(drifting_process, 0.03, 0.3)), Severity.WARNING),
    Scenario("drift", "along a run", run(either_way(drifting_run, 0.06, 0.3), 20), Severity.WARNING),
    Scenario("drift", "by the place in a round", run(either_way(place_matters, 0.04, 0.1)), Severity.WARNING),
    Scenario("drift", "neighbouring differences alike", run(lambda d, rng: wandering(d, rng, 0.9, 0.1), 36)),
    Scenario(
        "modes",
        "one process in five is slow",
        run(lambda d, rng: two_modes(d, rng, float(rng.uniform(0.08, 0.3))), 25),
        Severity.WARNING,
    ),
    Scenario("modes", "a median of two modes", run(more_slow_batches, 20)),
    Scenario("zero-event-run", "batches with nothing in them", counts_nothing),
    Scenario("unequal-batches", "batches of unequal length beside other load", unequal_batches),
)
