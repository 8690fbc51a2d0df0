"""Billed milliseconds are whole ones, rounded up, by one rule wherever they are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambda_local.instances.invocation import billed_ms
from sectax.model.bill import billed_s

NANOSECONDS = st.integers(1, 900 * 10**9)  # the longest that a function may take


@given(NANOSECONDS)
def test_every_nanosecond_past_a_whole_millisecond_is_one_more(nanoseconds):
    assert billed_s(nanoseconds / 1e9) == -(-nanoseconds // 10**6) / 1e3


@given(st.integers(1, 900_000))
def test_what_is_whole_is_billed_as_it_is_however_it_came_about(milliseconds):
    whole = milliseconds / 1e3

    assert billed_s(whole) == whole
    assert billed_s(milliseconds * 0.001) == whole
    assert billed_s(whole / 3 + whole / 3 + whole / 3) == whole
    assert billed_s(billed_s(whole)) == whole


@given(NANOSECONDS, NANOSECONDS)
def test_who_takes_longer_is_not_billed_for_less(one, other):
    shorter, longer = sorted((one / 1e9, other / 1e9))

    assert billed_s(shorter) <= billed_s(longer)


def test_at_least_one_is_billed():
    assert billed_s(0.0) == 0.001


@given(NANOSECONDS)
def test_the_local_lambda_bills_by_the_same_rule(nanoseconds):
    assert billed_ms(nanoseconds / 1e9) == pytest.approx(1e3 * billed_s(nanoseconds / 1e9))
