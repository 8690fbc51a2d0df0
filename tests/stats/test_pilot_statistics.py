"""What a pilot decides: how long to warm up, and how many rounds to run."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width
from sectax.stats.pilot import (
    Noise,
    change_points,
    pilot_noise,
    seconds_to_verdict,
    warm_up,
    warmup_length,
    width_after,
)
from sectax.stats.student import repeated_critical_value

BATCHES = np.arange(60)


def share(make: Callable[[np.random.Generator], np.ndarray], right: Callable[[int], bool], pilots: int = 3) -> float:
    """How often the warm-up of pilots made by `make` is right."""
    generators = [np.random.default_rng(seed) for seed in range(100)]
    return float(np.mean([right(warm_up([make(rng) for _ in range(pilots)]).batches) for rng in generators]))


def quiet(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0, 0.01, 60)


def spikes(rng: np.random.Generator) -> np.ndarray:
    return (rng.random(60) < 0.05) * rng.exponential(0.5, 60)


@pytest.mark.parametrize(
    ("added", "right", "often"),
    [
        pytest.param(lambda rng: 0.0, lambda batches: batches == 0, 0.95, id="warm at once"),
        pytest.param(lambda rng: 0.3 * (BATCHES < 1), lambda batches: batches == 1, 0.9, id="a slow first batch"),
        pytest.param(
            lambda rng: 1.0 * (BATCHES < 7) + 0.1 * (BATCHES < 15), lambda batches: batches == 15, 0.9, id="two stages"
        ),
        pytest.param(lambda rng: 0.5 * np.exp(-BATCHES / 5), lambda batches: 12 <= batches <= 30, 0.9, id="a decay"),
        pytest.param(spikes, lambda batches: batches <= 2, 0.85, id="spikes"),
    ],
)
def test_what_a_process_adds_at_its_start_is_waited_for(added, right, often) -> None:
    assert share(lambda rng: quiet(rng) + added(rng), right) >= often


def test_a_pilot_that_never_settles_says_so() -> None:
    falling = np.linspace(0.5, 0, 60) + np.random.default_rng(1).normal(0, 0.005, 60)

    result = warm_up([falling, falling, falling])

    assert not result.settled
    assert result.batches == 30


def test_a_pilot_too_short_to_tell_gives_half_of_itself() -> None:
    result = warmup_length([0.5, 0.1, 0.0, 0.0])

    assert (result.batches, result.settled) == (2, False)


@pytest.mark.parametrize(
    ("first", "second", "batches"),
    [(5, 9, 9), (0, 9, 0)],  # what one of them alone shows is the machine
)
def test_two_pilots_count_by_the_longer_one_where_both_warm_up(first: int, second: int, batches: int) -> None:
    rng = np.random.default_rng(3)

    assert warm_up([quiet(rng) + 0.3 * (first > BATCHES), quiet(rng) + 0.3 * (second > BATCHES)]).batches == batches


def test_equal_batches_have_no_change_points() -> None:
    assert change_points(np.zeros(40)) == []


def test_no_pilot_is_refused() -> None:
    with pytest.raises(ValueError, match="pilot"):
        warm_up([])


def soonest(within: float, between: float, *, block: float, round_: float, half_width: float = 0.01) -> int:
    rounds = np.arange(2, 65)
    costs = {"block_cost": block, "round_cost": round_, "half_width": half_width}
    times = seconds_to_verdict(rounds, Noise(2 * within, 2 * between), **costs, alpha=0.05, first_look=6)
    return int(rounds[np.argmin(times)])


@pytest.mark.parametrize(
    ("within", "between", "round_", "fewest", "most"),
    [
        (0.002, 0.0, 0.05, 2, 2),  # a quiet machine needs few rounds, since every answer takes some blocks
        (0.1, 0.0, 0.05, 31, 64),  # a noisy process that is dear to start is visited often
        (0.02, 0.02, 0.5, 2, 4),  # and those that differ are not
    ],
)
def test_rounds_follow_the_noise_and_the_costs(within, between, round_, fewest, most) -> None:
    assert fewest <= soonest(within**2, between**2, block=1.0, round_=round_) <= most


def narrowest(seconds: float, *, block: float, within: float = 0.05**2, between: float = 0.0) -> int:
    rounds = np.arange(2, 65)
    widths = width_after(
        seconds, rounds, Noise(within, between), block_cost=block, round_cost=0.05, alpha=0.05, first_look=6
    )
    return int(rounds[np.argmin(widths)])


def test_by_the_clock_cheap_blocks_are_short_and_processes_that_differ_are_not_visited_often() -> None:
    assert narrowest(40, block=0.05) < narrowest(40, block=1.0) < 64
    assert narrowest(40, block=1.0, between=0.05**2) < narrowest(40, block=1.0) / 2


def test_by_the_clock_blocks_for_a_first_look_come_before_anything_else() -> None:
    chosen = narrowest(12, block=1.0)

    assert 6 * (1.0 + 0.05 * chosen) <= 12
    assert narrowest(1, block=1.0) == 2


def test_rounds_never_cost_more_time_than_any_other_number_of_them() -> None:
    """By simulation: blocks until the interval is narrow enough, at the number of rounds that was chosen."""
    within, between, block, round_ = 0.05**2, 0.004**2, 0.5, 0.02
    rng = np.random.default_rng(3)

    def seconds(rounds: int) -> float:
        spread = np.sqrt(2 * (between + within / rounds))
        blocks = np.arange(6, 401)
        differences = rng.normal(0, spread, (200, 400))
        sd = np.array([differences[:, :n].std(axis=1, ddof=1) for n in blocks]).T
        plain = repeated_critical_value(blocks, 0.05, 6, 400) * sd / np.sqrt(blocks)
        enough = guarded_half_width(blocks, plain, UNSEEN, 0.05) <= 0.01
        return float(np.mean(blocks[np.argmax(enough, axis=1)])) * (block + rounds * round_)

    chosen = seconds(soonest(within, between, block=block, round_=round_))

    assert all(chosen <= 1.1 * seconds(other) for other in (2, 4, 8, 16, 32, 64))


def test_an_answer_out_of_reach_still_prefers_the_narrower_interval() -> None:
    assert soonest(1.0, 0.0, block=1.0, round_=0.1, half_width=0.001) == 64


def test_costs_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        soonest(1.0, 1.0, block=1.0, round_=0.0)


def ratios(within: float, between: float, correlation: float, *, treatments: int = 200, turns: int = 40) -> list[Any]:
    """Two processes of each treatment, whose log ratios are an autoregression about a level of their own."""
    rng = np.random.default_rng(5)
    own = math.sqrt(1 - correlation**2)
    made = []
    for _ in range(treatments):
        processes = []
        for _ in range(2):
            values = [rng.normal()]
            while len(values) < turns:
                values.append(correlation * values[-1] + own * rng.normal())
            processes.append(rng.normal(0, between) + within * np.array(values))
        made.append(processes)
    return made


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_what_lasts_from_turn_to_turn_is_distinguished_from_what_processes_differ_by(correlation: float) -> None:
    found = pilot_noise(ratios(0.05, 0.02, correlation))

    assert found.correlation == pytest.approx(correlation, abs=0.05)
    assert found.between == pytest.approx(0.02**2, rel=0.4)
    assert found.within == pytest.approx(0.05**2, rel=0.2)


def test_noise_that_lasts_wants_more_rounds_than_noise_that_does_not() -> None:
    costs = {"block_cost": 1.0, "round_cost": 0.05, "half_width": 0.02, "alpha": 0.05, "first_look": 6}
    rounds = np.arange(2, 65)
    white, lasting = (
        int(rounds[np.argmin(seconds_to_verdict(rounds, Noise(0.05**2, 0.005**2, correlation), **costs))])
        for correlation in (0.0, 0.7)
    )

    assert lasting > 1.5 * white


@pytest.mark.parametrize("seen", [[], [[[0.1], [0.2]]]])
def test_one_turn_says_nothing_of_the_noise(seen: list[Any]) -> None:
    assert pilot_noise(seen) is None


def test_one_process_tells_how_turns_vary_and_not_how_processes_differ() -> None:
    seen = pilot_noise([[[0.1, 0.2, 0.3]]])

    assert (seen.within, seen.between) == (pytest.approx(0.01), 0.0)
