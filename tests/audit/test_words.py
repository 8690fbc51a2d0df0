"""Figures in the words of the audit."""

from __future__ import annotations

import pytest

from sectax.audit.checks.words import number, share


@pytest.mark.parametrize(
    ("value", "text"),
    [(3412, "3,412"), (3412.34, "3,412"), (12_345_678, "12,345,678"), (58.2, "58.2"), (0.01234, "0.0123"), (7, "7")],
)
def test_what_is_counted_is_not_rounded(value: float, text: str) -> None:
    assert number(value) == text


def test_a_share_is_never_a_power_of_ten() -> None:
    assert [share(part) for part in (1.0, 0.998, 0.0004)] == ["100 %", "100 %", "0.04 %"]
