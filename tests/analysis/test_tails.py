"""Tails of a treatment: taken over all its observations, with an interval where enough of them are independent."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from sectax.analysis.treatments import tail
from sectax.model.finding import OBSERVED_MAXIMUM
from sectax.model.metric import Better, Metric, Summary
from sectax.record.builder import block_value, totals
from sectax.reports.reasons import no_interval

P99 = Metric("p99", "s", Better.LOWER, Summary.P99, "duration", compared=False)
WORST = Metric("worst", "s", Better.LOWER, Summary.WORST, "duration", compared=False)


def blocks(number: int, calls: int) -> list[array[float]]:
    """Evenly spread over [1, 2), every block a little shifted against the one before."""
    return [array("d", (1 + (call + block / number) / calls for call in range(calls))) for block in range(number)]


def test_a_tail_is_of_all_blocks_together() -> None:
    quantile = tail(P99, 0.99, blocks(20, 25), 0.95)

    assert quantile.point == pytest.approx(1.99, abs=0.005)
    assert quantile.low < quantile.point < quantile.high
    assert quantile.count == 500
    assert no_interval(quantile) == ""


def test_a_tail_of_too_few_says_what_it_takes() -> None:
    quantile = tail(P99, 0.99, blocks(20, 4), 0.95)

    assert (quantile.low, quantile.high) == (None, None)
    assert "368" in no_interval(quantile)


def test_a_tail_of_fewer_than_twenty_blocks_has_no_interval() -> None:
    quantile = tail(P99, 0.99, blocks(19, 100), 0.95)
    few = tail(P99, 0.99, blocks(6, 8), 0.95)

    assert quantile.point == pytest.approx(1.99, abs=0.005)
    assert (quantile.low, quantile.high) == (None, None)
    assert all(number in no_interval(quantile) for number in ("20", "19"))
    assert all(number in no_interval(few) for number in ("368", "20"))


def test_a_median_needs_no_twenty_blocks() -> None:
    assert tail(P99, 0.5, blocks(6, 50), 0.95).low is not None


@pytest.mark.parametrize(("quantile", "end"), [(1.0, max), (0.0, min)])
def test_the_ends_have_no_interval_and_say_of_how_many_they_are(quantile: float, end: Any) -> None:
    found = tail(WORST, quantile, blocks(4, 15), 0.95)

    assert (found.low, found.high) == (None, None)
    assert found.point == end(map(end, blocks(4, 15)))
    assert (found.method == OBSERVED_MAXIMUM) is (quantile == 1.0)
    assert all(number in no_interval(found) for number in ("60", "95.12 %"))  # 0.05^(1/60)


@pytest.mark.parametrize("summary", [Summary.P90, Summary.P99, Summary.WORST, Summary.LEAST])
def test_a_block_has_no_tail_of_its_own(summary: Summary) -> None:
    assert summary.tail is not None
    assert block_value(summary, totals([1.0, 2.0], [1, 1], with_quotients=True)) is None
