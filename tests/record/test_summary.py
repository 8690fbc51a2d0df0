"""Block values from observations."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.model.metric import Summary
from sectax.record.builder import block_value, totals

TIMES = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60)


@given(TIMES)
def test_a_rate_is_all_operations_over_all_time(times):
    of = totals(times, [7] * len(times))

    assert block_value(Summary.RATE, of) == pytest.approx(7 * len(times) / sum(times))


def test_a_rate_counts_periodic_work_that_a_median_would_drop():
    of = totals([1.0, 1.0, 1.0, 5.0], [10] * 4)

    assert block_value(Summary.RATE, of) == 5.0
    assert block_value(Summary.MEDIAN, of) == 0.1


@given(TIMES)
def test_the_median_is_the_middle_of_the_times_per_operation(times):
    counts = [i % 5 + 1 for i in range(len(times))]
    of = totals(times, counts)

    assert of.median == statistics.median(time / count for time, count in zip(times, counts, strict=True))
    assert block_value(Summary.MEAN, of) == pytest.approx(sum(times) / sum(counts))
    assert block_value(Summary.MAXIMUM, of) == max(times)


def test_the_order_of_observations_does_not_matter():
    times, counts = [0.1, 0.2, 0.3, 1e9, 1e-9], [1, 2, 3, 4, 5]

    assert totals(times, counts) == totals(times[::-1], counts[::-1])


@pytest.mark.parametrize("summary", [Summary.RATE, Summary.MEAN, Summary.MEDIAN])
def test_what_cannot_be_summarised_is_missing_and_not_zero(summary):
    nothing_counted_in_no_time = totals([0.0, 0.0], [0, 0])

    assert block_value(summary, nothing_counted_in_no_time) is None
