"""Quantiles of a pool of blocks: how much its observations count, and the interval that follows."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from sectax.stats.moments import Array
from sectax.stats.quantiles import (
    PooledQuantile,
    design_effect,
    few_blocks_inflation,
    observations_needed,
    order_statistics_interval,
    pooled_quantile,
    quantile_limits,
)

# Few different values, so that many tie.
BLOCKS = some.lists(some.lists(some.integers(1, 40), min_size=1, max_size=25), min_size=1, max_size=15)
QUANTILE = some.sampled_from([0.25, 0.5, 0.75, 0.9])


def limits(found: PooledQuantile) -> tuple[float | None, float | None]:
    return found.low, found.high


@pytest.mark.parametrize(
    ("events", "sizes", "effect"),
    [
        ([4, 0], [4, 4], 4),  # a block has all or none: it counts once
        ([2, 2], [4, 4], 1),  # more alike than chance would make them: never below 1
        ([4, 1, 1], [4, 4, 4], 2.4),  # between 3/4, within 1/6: a correlation of 7/15, 1 + 3·7/15
        ([6, 0], [6, 2], 5),  # the average observation sits in a block of (36 + 4)/8
        ([1, 0, 1], [1, 1, 1], 1),  # nothing to resemble
    ],
)
def test_design_effect_by_hand(events: list[float], sizes: list[float], effect: float) -> None:
    assert design_effect(np.array(events), np.array(sizes)) == pytest.approx(effect)


@pytest.mark.parametrize(("blocks", "inflation"), [(2, 42.03), (6, 1.720), (20, 1.140), (40, 1.065)])
def test_few_blocks_inflate_the_variance_as_student_does(blocks: int, inflation: float) -> None:
    assert few_blocks_inflation(blocks, 0.95) == pytest.approx(inflation, rel=1e-3)


@given(some.lists(some.tuples(some.integers(1, 9), some.floats(0, 1)), min_size=2, max_size=9), some.floats(1, 50))
def test_doubt_never_makes_observations_count_more(blocks: list[tuple[int, float]], doubt: float) -> None:
    sizes = np.array([float(size) for size, _ in blocks])
    events = np.array([float(round(size * share)) for size, share in blocks])
    if not 0 < events.sum() < sizes.sum():
        return

    plain, doubted = design_effect(events, sizes), design_effect(events, sizes, doubt)

    assert 1 <= plain <= doubted + 1e-9
    assert doubted <= (sizes**2).sum() / sizes.sum() + 1e-9


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
def test_blocks_that_agree_give_the_usual_order_statistics(quantile: float) -> None:
    values = np.arange(2000.0)
    dealt = [values[first::20] for first in range(20)]

    found = pooled_quantile(dealt, quantile)
    usual = order_statistics_interval(values, quantile)

    assert found.effective == found.count == 2000
    assert (found.point, *limits(found)) == (usual.point, usual.low, usual.high)


@given(some.lists(some.integers(1, 1000), min_size=1, max_size=120), QUANTILE)
def test_blocks_of_one_are_independent_observations(values: list[int], quantile: float) -> None:
    usual = order_statistics_interval(values, quantile)

    found = pooled_quantile([[value] for value in values], quantile)

    if len(set(values)) > 1:
        assert found.effective == len(values)
    assert (found.point, *limits(found)) == (usual.point, usual.low, usual.high)


def test_blocks_of_one_value_count_once_each() -> None:
    alike = pooled_quantile([[float(block)] * 10 for block in range(40)], 0.9)
    once = order_statistics_interval(range(40), 0.9)

    assert alike.count == 400
    assert alike.effective == pytest.approx(40)
    # Ranks among 40 are whole; at the same levels among 400 there are finer ones, at most one block away.
    assert (alike.low, alike.high) == pytest.approx((once.low, once.high), abs=1)


def test_one_block_says_nothing_of_the_others() -> None:
    quantile = pooled_quantile([np.arange(5000.0)], 0.9)

    assert quantile.point == pytest.approx(4499.1)
    assert (*limits(quantile), quantile.effective, quantile.needed) == (None, None, 1, 36)


def test_equal_values_tell_nothing_of_how_blocks_differ() -> None:
    quantile = pooled_quantile([[7.0] * 50, [7.0] * 50, [7.0] * 100], 0.5)

    assert quantile.effective == pytest.approx(200**2 / (2 * 50**2 + 100**2))
    assert limits(quantile) == (None, None)
    assert limits(pooled_quantile([[7.0]] * 6, 0.5)) == (7, 7)


def test_a_pool_large_enough_has_no_interval_where_blocks_differ() -> None:
    rng = np.random.default_rng(1)
    one_in_four_is_slow = [rng.lognormal(1.0 if block % 4 == 0 else 0.0, 0.1, 500) for block in range(8)]

    quantile = pooled_quantile(one_in_four_is_slow, 0.9)

    assert quantile.count == 4000
    assert quantile.effective < 36
    assert limits(quantile) == (None, None)


def test_ends_of_the_interval_count_too() -> None:
    # At the median the blocks agree; above it, all is in the second half of them.
    agreed = [np.concatenate((np.arange(50.0), np.full(50, 100.0 + (block >= 10)))) for block in range(20)]

    quantile = pooled_quantile(agreed, 0.5)

    point_only = order_statistics_interval(np.concatenate(agreed), 0.5)
    assert quantile.effective < 100 < quantile.count
    assert quantile.low < point_only.low


@given(some.floats(36, 500), some.floats(36, 500))
def test_fewer_effective_observations_never_narrow(one: float, other: float) -> None:
    values = np.arange(1.0, 501.0)
    fewer = quantile_limits(values, min(one, other), 0.9, 0.95)
    more = quantile_limits(values, max(one, other), 0.9, 0.95)

    assert fewer[0] <= more[0] < more[1] <= fewer[1]


def test_effective_observations_need_not_be_whole() -> None:
    values = np.arange(1.0, 501.0)

    low, high = quantile_limits(values, 100.5, 0.9, 0.95) or (math.nan, math.nan)

    # Of 100 and 101 independent ones the ranks are 84 to 96 and 85 to 97; that is 0.83 and 0.84 to 0.95 and 0.96.
    assert 0.83 * 501 < low < 0.845 * 501
    assert 0.95 * 501 < high < 0.962 * 501
    assert quantile_limits(values, 35.99, 0.9, 0.95) is None


@given(BLOCKS, QUANTILE)
def test_an_interval_holds_its_point_and_is_made_of_observations(blocks: list[list[int]], quantile: float) -> None:
    found = pooled_quantile(blocks, quantile)

    sizes = np.array([len(block) for block in blocks])
    assert found.count == sizes.sum()
    assert sizes.sum() ** 2 / (sizes**2).sum() - 1e-6 <= found.effective <= found.count
    assert found.needed == observations_needed(quantile)
    assert (found.low is None) == (found.high is None)
    assert (found.low is None) == (found.effective < found.needed or found.blocks < found.blocks_needed)
    if found.low is not None and found.high is not None:
        assert found.low <= found.point <= found.high
        assert {found.low, found.high} <= {value for block in blocks for value in block}


@given(BLOCKS, QUANTILE, some.randoms())
def test_order_and_unit_do_not_matter(blocks: list[list[int]], quantile: float, random: Random) -> None:
    one = pooled_quantile(blocks, quantile)
    shuffled = [[0.5 * value for value in random.sample(block, len(block))] for block in blocks]
    random.shuffle(shuffled)

    other = pooled_quantile([*shuffled, []], quantile)

    assert other.point == one.point / 2
    assert other.effective == pytest.approx(one.effective)
    assert limits(other) == tuple(limit if limit is None else limit / 2 for limit in limits(one))


def test_low_quantiles_mirror_high_ones() -> None:
    blocks = np.random.default_rng(2).lognormal(size=(12, 30))

    high = pooled_quantile(blocks, 0.75)
    low = pooled_quantile(-blocks, 0.25)

    assert None not in limits(high)
    assert (low.point, low.low, low.high) == pytest.approx((-high.point, -high.high, -high.low))


def test_where_processes_differ_the_quantile_is_held_and_independence_misses_it() -> None:
    rng = np.random.default_rng(3)
    true = math.exp(1.2815516 * math.hypot(0.5, 0.3))

    def holds(low: float | None, high: float | None) -> bool:
        return low is not None and high is not None and low <= true <= high

    runs: list[Array] = [np.exp(rng.normal(0, 0.3, (20, 1)) + rng.normal(0, 0.5, (20, 200))) for _ in range(400)]
    usual = [order_statistics_interval(run.ravel(), 0.9) for run in runs]

    assert np.mean([holds(*limits(pooled_quantile(run, 0.9))) for run in runs]) > 0.93
    assert np.mean([holds(item.low, item.high) for item in usual]) < 0.5


ONE = [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("blocks", "quantile", "level"),
    [
        *(([], 0.9, 0.95), ([[]], 0.9, 0.95), ([[], []], 0.9, 0.95)),
        *((ONE, 0.0, 0.95), (ONE, 1.0, 0.95), (ONE, 0.9, 1.0), (ONE, 90, 0.95)),
    ],
)
def test_no_values_and_an_invalid_quantile_are_refused(blocks, quantile: float, level: float) -> None:
    with pytest.raises(ValueError, match="no values" if blocks is not ONE else "between 0 and 1"):
        pooled_quantile(blocks, quantile, level)
