"""The time of a file in a zip: in UTC where the zip says so, and never a reason to refuse it."""

from __future__ import annotations

import struct
import zipfile
from datetime import UTC, datetime

import pytest

from lambda_local.code.archive import modified


def seconds(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]


def entry(date: tuple[int, ...], extra: bytes = b"") -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("f")
    made.date_time = date  # type: ignore[assignment] - a damaged zip has others than ZipInfo() takes
    made.extra = extra
    return made


def test_the_time_of_the_entry_is_taken():
    assert modified(entry((2024, 2, 29, 12, 30, 58))) == seconds(2024, 2, 29, 12, 30, 58)


def test_the_extra_field_of_info_zip_is_in_utc_and_goes_first():
    other = struct.pack("<HH", 0x7875, 3) + b"abc"
    extended = struct.pack("<HHBi", 0x5455, 5, 1, seconds(2025, 6, 1))

    assert modified(entry((2024, 1, 1, 0, 0, 0), other + extended)) == seconds(2025, 6, 1)


@pytest.mark.parametrize("extra", [b"UT", struct.pack("<HHB", 0x5455, 5, 1), struct.pack("<HHBi", 0x5455, 5, 0, 7)])
def test_an_extra_field_that_is_cut_off_or_has_no_time_is_passed_over(extra):
    assert modified(entry((2024, 1, 1, 0, 0, 0), extra)) == seconds(2024, 1, 1)


@pytest.mark.parametrize("date", [(1980, 0, 0, 0, 0, 0), (2107, 15, 31, 31, 63, 62)])
def test_a_date_that_does_not_exist_is_the_earliest_of_zips(date):
    assert modified(entry(date)) == seconds(1980, 1, 1)
