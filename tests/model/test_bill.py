"""Billed milliseconds are whole ones, rounded up, by one rule wherever they are told."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambda_local.instances.invocation import Measured
from lambda_local.instances.log import report_line
from sectax.model.bill import billed_s
from sectax.subjects.function.reading import reading

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


@given(NANOSECONDS, st.none() | NANOSECONDS)
def test_the_line_and_the_header_of_one_invocation_bill_the_same(nanoseconds, init):
    measured = Measured("id", nanoseconds / 1e9, "x", 1, init_s=None if init is None else init / 1e9)
    header = {"x-sectax-measured": msgspec.json.encode(measured).decode()}

    seen = reading({"ResponseMetadata": {"HTTPHeaders": header}})
    line = re.search(r"Billed Duration: (\d+) ms", report_line(measured, 128))

    assert seen is not None
    assert line is not None
    assert seen.billed_s == pytest.approx(int(line[1]) / 1e3)
