"""Runs of ours in which the work was not done, or too few calls stand behind a tail, and their clean twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numpy.random import Generator

from benchmarks.simulations.audited_runs import healthy
from sectax.analysis.findings import judge
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity
from sectax.model.metric import Metric
from tests.audit.authorizers import DURATION, HIGHEST, LARGE, NONE, P99, PUBLISHED, SMALL, WORST, Authorizers, honest
from tests.audit.scenario import Make, Scenario

Spoil = Callable[[Authorizers, Generator], None]


def authorizers(spoil: Spoil, fewest: int = 10) -> Make:
    """A run of `fewest` to 40 blocks of 4 to 32 calls, 10 or 50 KiB against 1 or 3 MiB, with noise of 0.2 to 1 %."""

    def make(rng: Generator, broken: bool) -> RunEvidence:
        run = Authorizers(
            rng,
            blocks=int(rng.integers(fewest, 41)),
            calls=int(rng.integers(4, 33)),
            sizes=(str(rng.choice([SMALL, "50KiB"])), str(rng.choice(["1MiB", LARGE]))),
            noise=float(rng.uniform(0.002, 0.01)),
        )
        if broken:
            spoil(run, rng)
        measured = run.measured()
        return RunEvidence(measured, judge(measured))

    return make


def never_checks(run: Authorizers, _: Generator) -> None:
    """The check takes what it takes for an empty body, whatever the size."""
    beyond = honest(PUBLISHED, "0B") - honest(NONE, "0B")
    run.seconds = {(PUBLISHED, size): honest(NONE, size) + beyond for size in run.sizes}


def never_reads(run: Authorizers, _: Generator) -> None:
    """Nobody reads the body, with the check or without."""
    run.seconds = {(level, size): honest(level, "0B") for level in run.levels for size in run.sizes}


def leaves_out(run: Authorizers, rng: Generator) -> None:
    """The function with the check is quicker by 8 to 60 % than the one without."""
    share = float(rng.uniform(0.4, 0.92))
    run.seconds = {(PUBLISHED, size): share * honest(NONE, size) for size in run.sizes}


def at_once(run: Authorizers, rng: Generator) -> None:
    """A check of more than 10 GB/s, whatever comes before it: at one size, so that no growth shows it."""
    run.sizes = (LARGE,)
    run.seconds = {(PUBLISHED, LARGE): float(rng.uniform(2e-5, 2.5e-4))}


def empty_loop(rng: Generator, broken: bool) -> RunEvidence:
    """An operation of 0.1 to 0.45 ns."""
    measured = healthy(rng, blocks=int(rng.integers(10, 41))).measured()
    if broken:
        (name,) = measured.values
        rate = 1e9 / float(rng.uniform(0.1, 0.45))
        values = {
            arm: {block: rate * (1 + 1e-3 * rng.normal()) for block in of} for arm, of in measured.values[name].items()
        }
        measured = replace(measured, values={name: values})
    return RunEvidence(measured, judge(measured))


def of_calls(metric: Metric, few: tuple[int, int], many: tuple[int, int]) -> Make:
    """A metric of the tail, of so many calls in each of 40 blocks, whose processes are alike."""

    def make(rng: Generator, broken: bool) -> RunEvidence:
        calls = int(rng.integers(*(few if broken else many)))
        measured = Authorizers(rng, blocks=40, calls=calls, process=0.0, metrics=(DURATION, metric)).measured()
        return RunEvidence(measured, judge(measured))

    return make


SCENARIOS = (
    Scenario("flat-with-size", "a run's check that was never done", authorizers(never_checks)),
    Scenario("flat-with-size", "a run whose body nobody read", authorizers(never_reads)),
    Scenario("contained-work", "a run's check quicker than no check", authorizers(leaves_out)),
    Scenario("faster-than-physics", "a run's check at no speed there is", authorizers(at_once, 2)),
    Scenario("faster-than-physics", "a run of an empty loop", empty_loop, Severity.WARNING),
    Scenario("unsupported-quantile", "p99 of few calls in a run", of_calls(P99, (2, 10), (30, 60)), Severity.NOTE),
    Scenario("unsupported-quantile", "worst of few calls in a run", of_calls(HIGHEST, (1, 2), (6, 40)), Severity.NOTE),
    Scenario(
        "unsupported-quantile", "worst of few calls in a block", of_calls(WORST, (2, 14), (14, 40)), Severity.WARNING
    ),
)
