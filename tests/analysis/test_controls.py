"""What a run that did not find its known cost would have seen all the same."""

import dataclasses
import math

import pytest

from sectax.analysis.controls import is_found, would_detect
from tests.reports.findings import finding


@pytest.mark.parametrize(
    ("low", "high", "expected", "shown"),
    [
        (0.01, 0.06, True, {0.001: True, 3.0: True}),
        (-0.30, 0.50, False, {0.04: False, 0.60: False, 3.0: True}),  # too noisy for 4 %, not for three times
        (-0.60, 0.10, False, {0.20: False, 3.0: True}),  # the farther limit counts, on either side
        (0.10, 0.20, False, {3.0: False}),  # excludes its known cost: its scale is wrong, so it shows nothing
        (-math.inf, math.inf, False, {3.0: False}),
    ],
)
def test_what_is_far_beyond_the_control_is_seen_without_it(
    low: float, high: float, expected: bool, shown: dict[float, bool]
) -> None:
    control = finding(0.99, 1.01)
    assert control.effect is not None
    effect = dataclasses.replace(control.effect, low=low, high=high, added=math.log1p(0.04))
    control = dataclasses.replace(control, effect=effect)

    assert is_found(control) == expected
    assert {share: would_detect(control, share) for share in shown} == shown
