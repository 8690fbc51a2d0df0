"""What an open comparison is told: right within a factor of two, four times in five."""

from __future__ import annotations

import pytest

from benchmarks.simulations.needed import Told, situations, total

FOUR_OF_FIVE = 0.8
CONFIDENCE = 0.99


@pytest.fixture(scope="module")
def short() -> list[Told]:
    return list(situations(runs=25, seed=5, alphas=(0.05,), spreads=(0.003, 0.006, 0.01, 0.02, 0.04)))


def test_what_is_reported_is_right_in_four_cases_of_five(short: list[Told]) -> None:
    assert total(short, "right").interval(CONFIDENCE)[0] >= FOUR_OF_FIVE
    assert total(short, "margin_near").interval(CONFIDENCE)[0] >= FOUR_OF_FIVE
    assert total(short, "near_in_all").interval(CONFIDENCE)[0] >= FOUR_OF_FIVE
    assert total(short, "near").interval(CONFIDENCE)[1] >= FOUR_OF_FIVE


def test_a_number_of_blocks_is_reported_where_that_can_be_known(short: list[Told]) -> None:
    quiet = [told for told in short if told.spread == 0.003 and told.asked_at == 6 and abs(told.effect) != 0.02]

    assert total(quiet, "said").value >= FOUR_OF_FIVE


def test_at_the_margin_itself_no_number_of_blocks_is_reported(short: list[Told]) -> None:
    at_the_margin = [told for told in short if abs(told.effect) == 0.02 and told.asked_at >= 8]

    assert total(at_the_margin, "said").value <= 0.05


@pytest.mark.full
def test_it_is_shown_over_all_situations() -> None:
    every = list(situations(runs=150))

    for name in ("right", "margin_near", "near_in_all", "near"):
        assert total(every, name).interval(CONFIDENCE)[0] >= FOUR_OF_FIVE, name
    judged = [told for told in every if told.right.trials >= 20]
    wrong = [told for told in judged if told.right.interval(CONFIDENCE)[1] < FOUR_OF_FIVE]
    assert len(wrong) <= 0.1 * len(judged)
