"""Numbers as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.model.finding import Estimate
from sectax.text import units

SIZES = st.floats(min_value=1e-9, max_value=1e9, allow_nan=False)


def read(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def estimate(point: float, low: float | None, high: float | None, unit: str = "s") -> Estimate:
    return Estimate(point, low, high, 0.95, "student-t", 14, unit)


@given(st.lists(SIZES, min_size=1, max_size=8))
def test_shares_of_a_whole_add_up_to_a_hundred(parts: list[float]) -> None:
    shares = units.whole_percents(parts)

    assert sum(shares) == 100
    assert all(abs(share - 100 * part / sum(parts)) < 1 + 1e-6 for share, part in zip(shares, parts, strict=True))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_printed_interval_is_never_narrower_than_the_one_found(low: float, width: float) -> None:
    high = low + width
    ends = units.outward(low, high)

    slack = max(abs(low), abs(high)) * 1e-9 + width * 1e-6
    assert read(ends[0]) <= low + slack
    assert read(ends[1]) >= high - slack


@given(st.floats(-1e6, 1e6), st.floats(1e-4, 1e6))
def test_printed_interval_is_at_most_a_fifth_wider(low: float, width: float) -> None:
    ends = units.outward(low, low + width)

    assert read(ends[1]) - read(ends[0]) <= width * 1.2 + 1e-6


@pytest.mark.parametrize(
    ("low", "high", "nothing", "text"),
    [
        (3.6, 72.0, 0.0, ("3", "72")),
        (0.4, 90.0, 0.0, ("0.4", "90")),
        (0.034, 2.9, 0.0, ("0.03", "2.90")),
        (-72.0, -3.6, 0.0, ("−72", "−3")),
        (-0.4, 90.0, 0.0, ("−10", "90")),
        (1.04, 2.6, 1.0, ("1.04", "2.60")),
        (1.004, 9.0, 1.0, ("1.004", "9")),
    ],
)
def test_an_interval_that_leaves_out_nothing_is_printed_so(
    low: float, high: float, nothing: float, text: tuple[str, str]
) -> None:
    assert units.outward(low, high, nothing) == text


@pytest.mark.parametrize(
    ("low", "high", "limit", "text"),
    [
        (-16.0, 9.6, 10.0, ("−16.0", "9.6")),
        (-16.0, 9.6, None, ("−16", "10")),
        (10.4, 30.0, 10.0, ("10.4", "30.0")),
        (-9.97, 3.0, -10.0, ("−9.97", "3.00")),
        (9.6, 30.0, 10.0, ("9", "30")),
    ],
)
def test_no_end_is_rounded_onto_a_limit(low: float, high: float, limit: float | None, text: tuple[str, str]) -> None:
    assert units.outward(low, high, limit=limit) == text


@given(st.floats(1e-6, 1e3), st.floats(1e-6, 1e3), st.sampled_from([0.0, 1.0]))
def test_no_rounding_reaches_nothing(near: float, width: float, nothing: float) -> None:
    first, last = (read(text) for text in units.outward(nothing + near, nothing + near + width, nothing))

    assert nothing < first <= (nothing + near) * (1 + 1e-9)
    assert last >= (nothing + near + width) * (1 - 1e-9)


@given(st.floats(1e-5, 10))
def test_share_that_stands_for_a_doubt_is_never_rounded_down(value: float) -> None:
    assert read(units.share(value).removesuffix(" %")) >= value * 100 * (1 - 1e-9)


@given(SIZES, st.floats(0.001, 0.5))
def test_printed_point_lies_inside_its_interval(point: float, reach: float) -> None:
    low, high = point * (1 - reach), point * (1 + reach)

    assert low <= read(units.number(point, high - low)) <= high


@pytest.mark.parametrize(
    ("value", "text"),
    [(1153.4, "1,153"), (54611.9, "54,610"), (0.00034, "0.00034"), (43.0, "43"), (0.0, "0"), (-2.5, "−2.5")],
)
def test_number_without_interval_has_four_digits_at_most(value: float, text: str) -> None:
    assert units.number(value) == text


PER_S = units.UnitScale("operations/s")


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (units.number(1153.41, 9), "1,153"),
        (units.number(1153.41, 0.9), "1,153.4"),
        (units.number(54611.9, 436), "54,610"),
        (units.number(12.3456, math.inf), "12.35"),
        (units.estimate(estimate(1153.4, 1148.8, 1158.0), PER_S), "1,153 ± 0.4 %"),
        (units.estimate(estimate(1153.4, None, None), PER_S), "1,153"),
        (units.estimate(estimate(1.0, 0.2, 4.0), PER_S), "1.0 (0.20 to 4.0)"),
        (units.estimate(estimate(0.0123, 2e-8, 83.0), units.scale("s", [0.01])), "12 (how far off is not known)"),
        (units.with_interval(18.2, 0.62, 36.7), "18 (0.62 to 37)"),
        (units.with_interval(1.17, 0.91, 14.6), "1.2 (0.91 to 15)"),
        (units.with_interval(0.5, -1.0, 2.0), "0.5 (−1 to 2)"),
        (units.share(4.58e9), "more than 1,000 %"),
        (units.share(9.9), "990 %"),
    ],
)
def test_digits_follow_the_width_of_the_interval(printed: str, text: str) -> None:
    assert printed == text


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([0.048, 0.050], "s", "ms"),
        ([2.0, 0.9], "s", "s"),
        ([3e-9], "s", "ns"),
        ([2e-6, 9e-6], "s", "µs"),
        ([8.4e6], "B", "MiB"),
        ([2048.0], "B", "KiB"),
        ([1e9], "B/s", "MiB/s"),
        ([1e6], "operations/s", "operations/s"),
        ([], "s", "s"),
        ([0.0], "s", "s"),
    ],
)
def test_column_has_one_scale_that_suits_its_middle(values: list[float], unit: str, expected: str) -> None:
    assert units.scale(unit, values).unit == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.045, "0.045 s"),
        (0.05, "0.05 s"),
        (4.4, "4.4 s"),
        (61.6, "62 s"),
        (252, "4 min 12 s"),
        (240, "4 min"),
        (11520, "3 h 12 min"),
    ],
)
def test_lengths_of_time_read_well(value: float, text: str) -> None:
    assert units.seconds(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (39.6, 99, "39 to 99 s"),
        (40, 101, "40 to 110 s"),
        (200, 480, "3.3 to 8 min"),
        (31, 250, "31 s to 4.2 min"),
        (5, 5, "5 s"),
        (0, 3, "0 to 3 s"),
    ],
)
def test_range_of_time_is_rounded_outwards(low: float, high: float, text: str) -> None:
    assert units.seconds_range(low, high) == text


@pytest.mark.parametrize(
    ("value", "text"), [(20373.0, "20,373.0"), (43, "43"), (0.000422, "0.000422"), (6e-05, "0.00006"), (-1.5, "−1.5")]
)
def test_figures_of_others_keep_their_digits(value: float, text: str) -> None:
    assert units.as_printed(value) == text


@given(st.floats(1e-12, 1e12), st.integers(1, 4))
def test_digits_are_few_and_without_an_exponent(value: float, count: int) -> None:
    text = units.digits(value, count)

    assert "e" not in text
    assert read(text) == pytest.approx(value, rel=0.51 * 10 ** (1 - count) * 10)
    assert units.digits(99.6, 2) == "100"
