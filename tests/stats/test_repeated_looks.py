import time
from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.simulations.boundary import ALPHAS, ARMS, ENDS, errors
from sectax.stats.confidence_sequence import guarded_half_width, half_width, multiplier, running_sequence
from sectax.stats.student import critical_value, nominal_level, repeated_critical_value


def test_one_look_is_students_t() -> None:
    assert nominal_level(0.05, 6, 6) == pytest.approx(0.05)
    assert repeated_critical_value(6, 0.05, 6, 6) == pytest.approx(float(critical_value(6, 0.05)))


def test_the_level_of_each_look_solves_its_equation() -> None:
    level = float(nominal_level(0.05, 6, 40))

    z = NormalDist().inv_cdf(1 - level / 2)
    assert level * (2 + (z**2 - 1) / 2 * np.log(40 / 6)) == pytest.approx(0.05)


def test_it_never_pays_more_than_all_looks_apart() -> None:
    for last in (6, 7, 8, 40, 10_000):
        assert nominal_level(1e-6, 6, last) >= 1e-6 / (last - 5) * (1 - 1e-12)


def test_more_looks_are_paid_for_with_wider_intervals() -> None:
    widths = [float(repeated_critical_value(10, 0.05, 6, last)) for last in (10, 20, 40, 400)]

    assert widths == sorted(widths)


def test_looking_to_the_budget_only_is_a_third_cheaper_in_blocks() -> None:
    narrower = repeated_critical_value(20, 0.05, 6, 40) / multiplier(20, 0.05)

    assert narrower**2 < 0.67


@pytest.mark.parametrize(("alpha", "first", "last"), [(0.0, 6, 40), (1.0, 6, 40), (0.05, 6, 5)])
def test_what_is_no_plan_is_refused(alpha: float, first: int, last: int) -> None:
    with pytest.raises(ValueError, match=r"alpha|last look"):
        nominal_level(alpha, first, last)


@pytest.mark.parametrize("name", ARMS)
def test_looks_until_the_last_stay_within_alpha(name: str) -> None:
    for share, alpha in zip(errors(ARMS[name], 40, ALPHAS, runs=2000), ALPHAS, strict=True):
        assert share.interval(0.999)[0] <= alpha


@pytest.mark.full
@pytest.mark.parametrize("name", ARMS)
def test_looks_until_the_last_are_shown_to_stay_within_alpha(name: str) -> None:
    for end in ENDS[1:]:
        for share, alpha in zip(errors(ARMS[name], end, ALPHAS, runs=200_000, seed=2), ALPHAS, strict=True):
            assert share.interval(0.99)[0] <= alpha, f"{share} % where {100 * alpha} % are allowed, until {end} blocks"


def test_after_the_last_look_nothing_is_learned() -> None:
    d = np.random.default_rng(1).normal(0.0, 0.01, (1, 30))

    sequence = running_sequence(d, 0.05, first_look=6, last_look=20)

    for column in vars(sequence).values():
        assert (column[0, 20:] == column[0, 19]).all()


def test_the_guard_reaches_as_far_as_a_mode_that_no_block_fell_into() -> None:
    # A mode that holds a share q of the processes is missed by six blocks with chance (1 - q)^6.
    share = 1 - 0.05 ** (1 / 6)

    assert (1 - share) ** 6 == pytest.approx(0.05)
    assert guarded_half_width(6, 0.0, 0.05, 0.05) == pytest.approx(0.05 * share)
    assert guarded_half_width(6, 0.03, 0.05, 0.05) == pytest.approx((0.03**1.5 + (0.05 * share) ** 1.5) ** (2 / 3))


def test_the_guard_shrinks_with_the_blocks_and_grows_with_the_family() -> None:
    reach = guarded_half_width(np.array([6, 12, 24, 120]), 0.0, 0.05, 0.05)

    assert (np.diff(reach) < 0).all()
    assert (guarded_half_width(np.array([6, 12, 24, 120]), 0.0, 0.05, 0.05 / 12) > reach).all()


def test_the_guard_costs_next_to_nothing_where_blocks_vary_as_much() -> None:
    plain = half_width(20, 0.05, multiplier(20, 0.05))

    assert guarded_half_width(20, plain, 0.02, 0.05) == pytest.approx(float(plain), rel=0.02)


def test_the_guard_adds_nothing_to_no_knowledge_and_a_guard_of_zero_to_nothing() -> None:
    assert guarded_half_width(6, half_width(6, 0.0, 4.0), 0.04, 0.05) == np.inf
    assert guarded_half_width(6, 0.1, 0.0, 0.05) == 0.1


def test_six_hundred_looks_are_computed_at_once() -> None:
    began = time.process_time()

    running_sequence(np.random.default_rng(1).normal(size=(24, 600)), 0.05 / 12, first_look=6, last_look=600)

    assert time.process_time() - began < 1
