"""What sectax promises of its verdicts, held against thousands of simulated runs that pass through its own code.

The short form asks that no promise be refuted in any scenario, and that each be shown for all of them together; the
full form asks that each be shown in every scenario by itself. 'Shown' and 'refuted' allow for chance by the exact
binomial interval. `python -m benchmarks.simulations` prints the figures.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from benchmarks.simulations.figures import Figures, Share, figures, pooled
from benchmarks.simulations.scenarios import SCENARIOS, SKEWED, batch_times
from benchmarks.simulations.sequential import differences
from benchmarks.simulations.whole_runs import Machine, Run, plan_of, whole_runs
from sectax.analysis.findings import judge
from sectax.model.plan import Stopping
from sectax.stats.confidence_sequence import UNSEEN, running_sequence
from sectax.stats.moments import running_moments
from sectax.stats.student import critical_value

A_A, A_A_POOLED = 0.05, 0.03
COVERAGE = 0.95
WITHIN = 0.025
WRONG_WAY = 0.01

CONFIDENCE = 0.99  # of the binomial intervals: a promise that holds is refuted by chance in one cell of two hundred

Promise = tuple[str, float, list[Share]]


def refuted(share: Share, most: float) -> bool:
    return share.interval(CONFIDENCE)[0] > most


def shown(share: Share, most: float) -> bool:
    return share.interval(CONFIDENCE)[1] <= most


def misses(share: Share) -> Share:
    return Share(share.trials - share.events, share.trials)


def promises(rows: Iterable[Figures]) -> list[Promise]:
    rows = list(rows)
    fixed = [row.fixed_direction for row in rows if row.fixed_direction is not None]
    return [
        ("a direction where there is none", A_A, [row.direction for row in rows]),
        ("an interval that misses the effect", 1 - COVERAGE, [misses(row.coverage) for row in rows]),
        ("'within the margin' at an effect of the margin", WITHIN, [row.within for row in rows]),
        ("the wrong direction", WRONG_WAY, [row.wrong_way for row in rows]),
        ("a direction where there is none, blocks fixed", A_A, fixed),
    ]


@pytest.fixture(scope="module")
def short() -> list[Figures]:
    return list(figures(SCENARIOS, seed=20, runs=250, blocks=(6, 20, 40), rounds=4))


@pytest.mark.more
def test_no_promise_is_refuted_in_any_scenario(short: list[Figures]) -> None:
    for name, most, shares in promises(short):
        for share in shares:
            assert not refuted(share, most), f"{name}: {share} %"


@pytest.mark.more
def test_every_promise_is_shown_over_all_scenarios(short: list[Figures]) -> None:
    for name, most, shares in promises(short):
        if name.endswith("fixed"):
            continue  # exact by construction, so as often just above as just below
        assert shown(pooled(shares), most), f"{name}: {pooled(shares)} %"
    assert shown(pooled(row.direction for row in short), A_A_POOLED)


@pytest.mark.more
def test_healthy_runs_end_in_a_verdict(short: list[Figures]) -> None:
    healthy = [row for row in short if row.scenario.name in ("lognormal", "quiet lognormal", "drift")]

    assert all(row.settled.value >= 0.9 for row in healthy if row.blocks == 40)
    assert all(row.settled_large.value >= 0.9 for row in healthy if row.blocks >= 20)


def test_looking_again_and_again_with_students_t_would_not_pass() -> None:
    """The yardstick tells a wrong rule: the t interval, looked at after every block, claims far too much."""
    rng = np.random.default_rng(4)
    d, _ = differences(batch_times(SCENARIOS[0], rng, runs=500, blocks=40, rounds=4, effect=0.0))
    count, mean, deviation = running_moments(d)

    looks = slice(5, None)  # from six blocks on
    half = critical_value(count[:, looks], 0.05) * deviation[:, looks] / np.sqrt(count[:, looks])

    ever = (np.abs(mean[:, looks]) > half).any(axis=1)
    assert refuted(Share(int(ever.sum()), ever.size), A_A)


def test_without_the_floor_a_baseline_of_two_modes_would_deceive() -> None:
    rng = np.random.default_rng(5)
    d, reference = differences(batch_times(SKEWED[-1], rng, runs=500, blocks=6, rounds=4, effect=0.0))

    def missing(reference: np.ndarray | None) -> float:
        sequence = running_sequence(d, 0.05, first_look=6, reference=reference)
        return float(np.mean((sequence.low[:, -1] > 0) | (sequence.high[:, -1] < 0)))

    assert missing(None) > 0.2
    assert missing(reference) < 0.1


def test_simulated_runs_and_real_ones_are_judged_alike() -> None:
    """The vectorised simulation and `judge` give the same interval for the same values."""
    plan = plan_of({"t": 0.03}, Stopping(0.02))
    # A positive control that costs what it is said to: another one would widen the intervals.
    costs = {treatment.id: 0.01 + np.log1p(treatment.extra) for treatment in plan.treatments}
    run = Run(plan, costs, Machine(0.01, 0.01), np.random.default_rng(6))
    for _ in range(15):
        run.block()
    arms = [list(run.values[f"cell0/{name}"].values()) for name in ("baseline", "t", "baseline#negative")]
    seconds = 1 / np.array(arms).T[None, :, None, :]

    d, reference = differences(seconds)
    sequence = running_sequence(d, 0.05, first_look=6, last_look=40, reference=reference, unseen=UNSEEN)

    effect = judge(run.measured())[0].effect
    assert (effect.low, effect.high) == pytest.approx((sequence.low[0, -1], sequence.high[0, -1]))


@pytest.mark.more
def test_whole_runs_come_to_right_verdicts() -> None:
    tally = whole_runs({"same": 0.0, "five": 0.05, "faster": -0.1}, seed=8, runs=25, machine=Machine())

    assert tally.wrong_direction + tally.wrong_within == 0
    assert tally.with_verdict >= 0.9 * tally.comparisons
    assert max(tally.blocks) <= 40


@pytest.mark.full
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_promise_is_shown_in_every_scenario(scenario) -> None:  # type: ignore[no-untyped-def]
    rows = list(figures([scenario], seed=1000, runs=4000))

    for name, most, shares in promises(rows):
        for share, row in zip(shares, rows, strict=False):
            message = f"{name} in {scenario.name}, {row.blocks} blocks: {share} %"
            if name.endswith("fixed"):
                assert not refuted(share, most), message
            else:
                assert shown(share, most), message


@pytest.mark.full
@pytest.mark.parametrize("machine", [Machine(0.003, 0.003), Machine(), Machine(0.01, 0.01)])
def test_nine_in_ten_comparisons_of_healthy_runs_end_in_a_verdict(machine: Machine) -> None:
    tally = whole_runs({"same": 0.0, "five": 0.05, "faster": -0.1}, seed=9, runs=300, machine=machine)

    assert not refuted(Share(tally.fired, tally.runs), A_A)
    assert not refuted(Share(tally.wrong_direction, tally.comparisons), A_A)
    assert tally.wrong_within == 0
    assert Share(tally.with_verdict, tally.comparisons).interval()[0] >= 0.9
