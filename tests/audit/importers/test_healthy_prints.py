"""Healthy values through every format's printing are not accused; the benchmark of that name asks 10,000 each."""

from __future__ import annotations

import pytest

from benchmarks.healthy_prints import ACCUSED_AT_MOST, PRINTS, accused


@pytest.mark.parametrize("name", PRINTS)
def test_printed_digits_accuse_nobody(name: str) -> None:
    assert accused(name, 1, range(12)) == (0, {})


@pytest.mark.full
@pytest.mark.parametrize("name", PRINTS)
def test_at_most_one_healthy_print_in_a_thousand_is_accused(name: str) -> None:
    count, by_check = accused(name, 0, range(2000))

    assert count <= 2 * ACCUSED_AT_MOST * 2000, by_check
