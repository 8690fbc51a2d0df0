"""Student's t, quantiles, shares: against values that can be looked up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from sectax.stats.binomial import clopper_pearson
from sectax.stats.moments import running_moments
from sectax.stats.quantiles import observations_needed, order_statistics_interval
from sectax.stats.student import critical_value, geometric_mean_interval, mean_interval


def test_running_moments_are_those_of_every_prefix() -> None:
    values = np.array([[1e9 + 1, 1e9 + 2, math.nan, 1e9 + 4], [5.0, 5.0, 5.0, 5.0]])

    count, mean, deviation = running_moments(values)

    assert count.tolist() == [[1, 2, 2, 3], [1, 2, 3, 4]]
    assert mean[0].tolist() == pytest.approx([1e9 + 1, 1e9 + 1.5, 1e9 + 1.5, 1e9 + 7 / 3])
    assert deviation[0].tolist() == pytest.approx([0, math.sqrt(0.5), math.sqrt(0.5), math.sqrt(7 / 3)])
    assert deviation[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(("count", "table"), [(2, 12.706), (6, 2.571), (10, 2.262), (31, 2.042)])
def test_critical_values_are_those_of_the_table(count: int, table: float) -> None:
    assert float(critical_value(count, 0.05)) == pytest.approx(table, abs=1e-3)


def test_one_block_has_no_interval() -> None:
    assert float(critical_value(1, 0.05)) == math.inf
    assert mean_interval([3.0], 0.95).low is None


def test_mean_interval_by_hand() -> None:
    interval = mean_interval([1.0, 2.0, 3.0, 4.0], 0.95)

    half = 3.1824 * math.sqrt(5 / 3) / 2
    assert interval.point == 2.5
    assert (interval.low, interval.high) == pytest.approx((2.5 - half, 2.5 + half), abs=1e-4)


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_interval([], 0.95)
    with pytest.raises(ValueError, match="positive"):
        geometric_mean_interval([1.0, 0.0], 0.95)


@given(some.lists(some.floats(0.01, 100), min_size=2, max_size=20), some.floats(0.001, 1000))
def test_geometric_mean_follows_the_unit(values: list[float], scale: float) -> None:
    one = geometric_mean_interval(values, 0.95)
    other = geometric_mean_interval([value * scale for value in values], 0.95)

    assert other.point == pytest.approx(one.point * scale)
    assert other.low == pytest.approx(one.low * scale)


@pytest.mark.parametrize(("quantile", "needed"), [(0.5, 6), (0.9, 36), (0.1, 36), (0.95, 72), (0.99, 368)])
def test_a_quantile_needs_so_many_observations(quantile: float, needed: int) -> None:
    assert observations_needed(quantile) == needed
    assert order_statistics_interval(range(needed), quantile).low is not None
    assert order_statistics_interval(range(needed - 1), quantile).low is None


def test_order_statistics_of_twenty_are_the_sixth_and_the_fifteenth() -> None:
    interval = order_statistics_interval(range(1, 21))

    assert (interval.point, interval.low, interval.high) == (10.5, 6, 15)


@pytest.mark.parametrize(("n", "quantile"), [(6, 0.5), (21, 0.5), (60, 0.9), (90, 0.95)])
def test_order_statistics_cover_as_often_as_they_promise(n: int, quantile: float) -> None:
    ranks = order_statistics_interval(range(1, n + 1), quantile)

    def below(k: float) -> float:  # P(at most k of n lie under the quantile)
        return sum(math.comb(n, i) * quantile**i * (1 - quantile) ** (n - i) for i in range(int(k) + 1))

    # The quantile lies between the ranks when at least `low` and at most `high` − 1 observations are under it.
    assert below(ranks.high - 1) - below(ranks.low - 1) >= 0.95


@pytest.mark.parametrize(
    ("events", "trials", "low", "high"), [(0, 10, 0, 0.3085), (5, 100, 0.0164, 0.1128), (10, 10, 0.6915, 1)]
)
def test_clopper_pearson_by_the_table(events: int, trials: int, low: float, high: float) -> None:
    assert clopper_pearson(events, trials) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(("events", "trials"), [(-1, 5), (6, 5), (0, 0)])
def test_an_invalid_share_is_refused(events: int, trials: int) -> None:
    with pytest.raises(ValueError, match="share"):
        clopper_pearson(events, trials)
