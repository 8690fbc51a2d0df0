"""The half-width of a plain alternating loop."""

from __future__ import annotations

import math

import pytest

from benchmarks.efficiency import plain_width
from sectax.model.metric import Better, Metric, Summary

MEDIAN = Metric("latency", "s", Better.LOWER, Summary.MEDIAN, "latency")


def test_it_is_that_of_students_t_over_as_many_stretches_as_there_were_blocks() -> None:
    baseline = [1.0] * 6
    treatment = [math.exp(number) for number in (0.1, 0.1, 0.2, 0.2, 0.3, 0.3)]

    # The mean of 0.1, 0.2 and 0.3 has a standard error of 0.1/sqrt(3), and t has two degrees of freedom.
    assert plain_width(treatment, baseline, 3, 0.05, MEDIAN) == pytest.approx(4.302653 * 0.1 / math.sqrt(3), rel=1e-6)


def test_visits_that_have_no_partner_are_left_out() -> None:
    treatment = [math.exp(number) for number in (0.1, 0.2)]

    assert plain_width([*treatment, 9.0], [1.0, 1.0], 2, 0.05, MEDIAN) == plain_width(
        treatment, [1.0] * 2, 2, 0.05, MEDIAN
    )


@pytest.mark.parametrize("blocks", [1, 3])
def test_one_block_or_more_blocks_than_visits_have_no_width(blocks: int) -> None:
    assert plain_width([1.0, 2.0], [1.0, 1.0], blocks, 0.05, MEDIAN) is None
