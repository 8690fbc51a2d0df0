import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from sectax.stats.confidence_sequence import half_width, multiplier, running_sequence

BLOCKS = [6, 8, 10, 15, 20, 60]

differences = some.lists(some.floats(-0.5, 0.5, allow_nan=False), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("alpha", "published"),
    [
        (0.05, [4.904, 4.418, 4.183, 3.921, 3.814, 3.682]),
        (0.05 / 12, [8.426, 6.668, 5.949, 5.210, 4.911, 4.454]),
    ],
)
def test_multiplier_has_its_check_values(alpha: float, published: list[float]) -> None:
    assert multiplier(BLOCKS, alpha) == pytest.approx(published, abs=5e-4)


def test_a_wide_mixture_has_no_interval_for_a_family_of_ten_at_six_blocks() -> None:
    assert multiplier(6, 0.005, c_squared=1.0) == math.inf
    assert math.isfinite(float(multiplier(6, 0.005)))


def test_multiplier_is_finite_or_infinite_but_never_undefined() -> None:
    blocks = np.array([0, 1, 2, 3, 6, 100, 10**6, 10**9])
    for alpha in (0.999, 0.5, 0.05, 1e-9, 1e-300):
        with np.errstate(all="raise"):
            values = multiplier(blocks, alpha)

        assert not np.isnan(values).any()
        assert np.isinf(values[:2]).all()
        assert math.isfinite(values[-1])


def test_multiplier_agrees_with_the_formula_as_it_is_written() -> None:
    for n in (6, 7, 30, 200):
        for alpha in (0.2, 0.05, 0.001):
            r = 0.1 / (n + 0.1)
            kappa = (alpha**2 * r) ** (-1 / n)
            written = math.sqrt((n - 1) * (kappa - 1) / (1 - kappa * r)) if kappa * r < 1 else math.inf

            assert float(multiplier(n, alpha)) == pytest.approx(written, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan])
def test_an_error_level_outside_0_and_1_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        multiplier(10, alpha)


def test_no_spread_is_no_knowledge() -> None:
    assert half_width(10, 0.0, 4.0) == math.inf


def test_running_sequence_is_the_plain_loop_over_blocks() -> None:
    d = [0.03, 0.05, math.nan, 0.04, 0.06, 0.02, 0.04, -0.01]
    negative = [0.01, -0.02, 0.5, math.nan, 0.07, -0.01, 0.0, 0.02]

    sequence = running_sequence(np.array([d]), 0.05, first_look=6, reference=np.array([negative]))

    low, high = -math.inf, math.inf
    for k in range(1, len(d) + 1):
        pairs = [(a, b) for a, b in zip(d[:k], negative[:k], strict=True) if not math.isnan(a)]
        if len(pairs) >= 6:
            floor = float(np.std([b for _, b in pairs if not math.isnan(b)], ddof=1))
            spread = max(float(np.std([a for a, _ in pairs], ddof=1)), floor)
            mean = float(np.mean([a for a, _ in pairs]))
            half = float(multiplier(len(pairs), 0.05)) * spread / math.sqrt(len(pairs))
            assert sequence.low[0, k - 1] == pytest.approx(mean - half)
            assert sequence.high[0, k - 1] == pytest.approx(mean + half)
            low, high = max(low, mean - half), min(high, mean + half)
        assert sequence.agreed_low[0, k - 1] == pytest.approx(low)
        assert sequence.agreed_high[0, k - 1] == pytest.approx(high)


def test_nothing_is_known_before_the_first_look() -> None:
    sequence = running_sequence(np.full((1, 5), 0.1), 0.05, first_look=6)

    assert (sequence.low == -math.inf).all()
    assert (sequence.high == math.inf).all()


def test_the_negative_control_holds_the_interval_open() -> None:
    quiet = np.array([[0.010, 0.011, 0.009, 0.010, 0.011, 0.009]])
    noisy = np.array([[0.05, -0.05, 0.05, -0.05, 0.05, -0.05]])

    bare = running_sequence(quiet, 0.05, first_look=6)
    held = running_sequence(quiet, 0.05, first_look=6, reference=noisy)

    assert bare.low[0, -1] > 0
    assert held.low[0, -1] < 0
    assert held.floor[0, -1] == pytest.approx(np.std(noisy, ddof=1))


def test_whole_numbers_hold_the_interval_open_at_their_resolution() -> None:
    tied = np.zeros((1, 8))

    sequence = running_sequence(tied, 0.05, first_look=6, least_spread=0.01)

    assert sequence.spread[0, -1] == pytest.approx(0.01)
    assert sequence.low[0, -1] < 0 < sequence.high[0, -1]


@given(differences)
def test_the_interval_holds_the_mean_of_its_blocks_and_what_all_looks_agree_on(d: list[float]) -> None:
    sequence = running_sequence(np.array([d]), 0.05, first_look=6)

    assert (sequence.low <= sequence.mean).all()
    assert (sequence.mean <= sequence.high).all()
    assert (sequence.low <= sequence.agreed_low).all()
    assert (sequence.agreed_high <= sequence.high).all()
    assert (np.diff(sequence.agreed_low[0][5:]) >= 0).all()
    assert (np.diff(sequence.agreed_high[0][5:]) <= 0).all()


@given(differences)
def test_swapped_arms_mirror_the_interval(d: list[float]) -> None:
    values = np.array([d])

    one = running_sequence(values, 0.05, first_look=6)
    other = running_sequence(-values, 0.05, first_look=6)

    np.testing.assert_allclose(other.low, -one.high)
    np.testing.assert_allclose(other.high, -one.low)


@given(differences, some.floats(1e-3, 1e3))
@settings(max_examples=50)
def test_the_interval_scales_with_its_data(d: list[float], scale: float) -> None:
    values = np.array([d])

    one = running_sequence(values, 0.05, first_look=6)
    other = running_sequence(values * scale, 0.05, first_look=6)

    held = one.spread[:, 5:] > 1e-6  # below, rounding decides whether there is any spread at all
    np.testing.assert_allclose(other.spread[:, 5:][held], one.spread[:, 5:][held] * scale, rtol=1e-6)


@given(some.lists(some.one_of(some.floats(-1, 1), some.just(math.nan)), min_size=1, max_size=25))
def test_a_missing_block_changes_nothing(d: list[float]) -> None:
    kept = [value for value in d if not math.isnan(value)]

    sequence = running_sequence(np.array([d]), 0.05, first_look=6)

    assert sequence.count[0, -1] == len(kept)
    if kept:
        alone = running_sequence(np.array([kept]), 0.05, first_look=6)
        assert sequence.low[0, -1] == pytest.approx(alone.low[0, -1])
        assert sequence.high[0, -1] == pytest.approx(alone.high[0, -1])
