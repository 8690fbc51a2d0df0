"""Axis scales and ticks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.reports.scale import AxisScale, cost_ticks, fit_scale, ticks

VALUES = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8)


@given(VALUES, st.booleans())
def test_all_values_lie_between_the_ends_and_in_their_order(values: list[float], logarithmic: bool) -> None:
    scale = fit_scale(values, 10.0, 200.0, logarithmic=logarithmic)

    places = [scale.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 10.0 <= places[0] <= places[-1] <= 200.0


@given(VALUES, st.booleans())
def test_ticks_are_few_distinct_and_within_the_scale(values: list[float], logarithmic: bool) -> None:
    scale = fit_scale(values, 0.0, 100.0, logarithmic=logarithmic)

    axis_ticks = ticks(scale)

    assert 1 <= len(axis_ticks) <= 16
    for value, _ in axis_ticks:
        assert scale.low <= value * (1 + 1e-9) + 1e-12
        assert value <= scale.high * (1 + 1e-9) + 1e-12
    assert len({text for _, text in axis_ticks}) == len(axis_ticks)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.985, 1.044, ["−1 %", "=", "+2 %"]),
        (0.95, 1.6, ["−5 %", "=", "+50 %"]),
        (0.8, 1.25, ["÷1.2", "=", "×1.2"]),
        (0.011, 1.03, ["÷50", "=", "×1.02"]),
        (0.9995, 60.0, ["=", "×50"]),
    ],
)
def test_cost_axis_has_ticks_at_zero_and_near_its_ends(low, high, expected) -> None:
    scale = AxisScale(low, high, 0.0, 100.0, logarithmic=True)

    assert [text for _, text in cost_ticks(scale)] == expected
    assert all(math.isfinite(scale.place(value)) for value, _ in cost_ticks(scale))


@given(st.floats(1e-6, 1e12), st.floats(1.1, 1e6))
def test_no_tick_has_an_exponent(low: float, ratio: float) -> None:
    scale = fit_scale([low, low * ratio], 0.0, 100.0, logarithmic=True)

    assert not [text for _, text in (*ticks(scale), *cost_ticks(scale)) if "e" in text]
