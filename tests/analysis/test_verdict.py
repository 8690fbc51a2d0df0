import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sectax.analysis.verdict import meets_stopping_rule, verdict
from sectax.model.finding import FASTER, SLOWER, VerdictId
from sectax.model.plan import Until

MARGIN = 0.02
M = math.log1p(MARGIN)
LITTLE = 1e-9

MIRROR = {
    VerdictId.SLOWER_MATERIAL: VerdictId.FASTER_MATERIAL,
    VerdictId.SLOWER_WITHIN_MARGIN: VerdictId.FASTER_WITHIN_MARGIN,
    VerdictId.SLOWER_MATERIALITY_OPEN: VerdictId.FASTER_MATERIALITY_OPEN,
}
MIRROR |= {faster: slower for slower, faster in MIRROR.items()}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.03, 0.05, VerdictId.SLOWER_MATERIAL),
        (M, 0.05, VerdictId.SLOWER_MATERIAL),  # L = M
        (M, M, VerdictId.SLOWER_MATERIAL),
        (0.005, 0.015, VerdictId.SLOWER_WITHIN_MARGIN),
        (LITTLE, M - LITTLE, VerdictId.SLOWER_WITHIN_MARGIN),
        (0.01, 0.03, VerdictId.SLOWER_MATERIALITY_OPEN),
        (M - LITTLE, 0.05, VerdictId.SLOWER_MATERIALITY_OPEN),
        (0.01, M, VerdictId.SLOWER_MATERIALITY_OPEN),  # U = M
        (0.01, math.inf, VerdictId.SLOWER_MATERIALITY_OPEN),
        (-0.05, -0.03, VerdictId.FASTER_MATERIAL),
        (-0.05, -M, VerdictId.FASTER_MATERIAL),
        (-0.015, -0.005, VerdictId.FASTER_WITHIN_MARGIN),
        (-0.03, -0.01, VerdictId.FASTER_MATERIALITY_OPEN),
        (-M, -0.01, VerdictId.FASTER_MATERIALITY_OPEN),
        (-0.01, 0.01, VerdictId.EQUIVALENT),
        (0.0, 0.01, VerdictId.EQUIVALENT),  # L = 0
        (-0.01, 0.0, VerdictId.EQUIVALENT),  # U = 0
        (0.0, 0.0, VerdictId.EQUIVALENT),
        (-M + LITTLE, M - LITTLE, VerdictId.EQUIVALENT),
        (-M, 0.01, VerdictId.INCONCLUSIVE),  # L = −M
        (-0.01, M, VerdictId.INCONCLUSIVE),  # U = M
        (0.0, M, VerdictId.INCONCLUSIVE),
        (-M, 0.0, VerdictId.INCONCLUSIVE),
        (-0.05, 0.05, VerdictId.INCONCLUSIVE),
        (-math.inf, math.inf, VerdictId.INCONCLUSIVE),
    ],
)
def test_every_row_of_the_table(low: float, high: float, expected: VerdictId) -> None:
    assert verdict(low, high, MARGIN) == expected


limits = some.floats(-0.2, 0.2) | some.sampled_from([0.0, M, -M, math.inf, -math.inf])


@given(limits, limits)
def test_swapping_the_arms_mirrors_the_verdict(one_end: float, other_end: float) -> None:
    low, high = sorted((one_end, other_end))
    one = verdict(low, high, MARGIN)

    assert verdict(-high, -low, MARGIN) == MIRROR.get(one, one)


@given(limits, limits, some.floats(0, 0.1), some.floats(0, 0.1))
def test_a_narrower_interval_never_turns_a_direction(low: float, high: float, left: float, right: float) -> None:
    if low > high or low + left > high - right or math.isinf(low) or math.isinf(high):
        return
    wide, narrow = verdict(low, high, MARGIN), verdict(low + left, high - right, MARGIN)

    if wide in SLOWER:
        assert narrow in SLOWER
    if wide in FASTER:
        assert narrow in FASTER


@pytest.mark.parametrize(
    ("low", "high", "margin"), [(math.nan, 0, 0.02), (0, math.nan, 0.02), (0.06, 0.05, 0.02), (0, 1, 0), (0, 1, -1)]
)
def test_what_is_no_interval_or_no_margin_gets_no_verdict(low: float, high: float, margin: float) -> None:
    with pytest.raises(ValueError, match=r"no verdict|margin"):
        verdict(low, high, margin)


PRECISE, VERDICT, DIRECTION, BUDGET = Until.PRECISE, Until.VERDICT, Until.DIRECTION, Until.BUDGET
WIDE = 0.03, 0.5, 0.3  # slower by 3 to 65 %: true, and of no use


@pytest.mark.parametrize(
    ("low", "high", "point", "until", "done"),
    [
        (*WIDE, PRECISE, False),
        (0.28, 0.32, 0.3, PRECISE, True),
        (0.4, 0.4 + math.log(1.1), 0.45, PRECISE, True),  # to within ten per cent of the baseline
        (0.4, 0.41 + math.log(1.1), 0.45, PRECISE, False),
        (0.03, 0.03 + M, 0.035, PRECISE, True),
        (0.001, 0.019, 0.01, PRECISE, True),  # within the margin
        (0.0195, 0.0199, 0.0198, PRECISE, False),  # open, however narrow
        (-0.03, 0.001, -0.01, PRECISE, False),
        # By default a verdict is done once it is known to about twelve per cent.
        (0.2, 0.4, 0.3, VERDICT, True),
        (0.2, 0.4, 0.3, PRECISE, False),
        (0.2, 0.4, 0.3, BUDGET, False),
        (*WIDE, VERDICT, False),
        (*WIDE, DIRECTION, True),
        (8.5, 10.0, 9.3, VERDICT, True),  # of a very large effect a tenth of its logarithm is enough
        # A direction that may not matter is done only where a direction was asked for.
        (0.01, 0.5, 0.3, VERDICT, False),
        (0.01, 0.5, 0.3, DIRECTION, True),
        *((-0.019, 0.019, 0.0, until, until is not BUDGET) for until in Until),
        *((-0.03, 0.03, 0.0, until, False) for until in Until),
    ],
)
def test_a_comparison_is_done_when_its_interval_is_worth_printing(low, high, point, until, done) -> None:
    assert meets_stopping_rule(verdict(low, high, MARGIN), low, high, point, MARGIN, until) is done
    assert meets_stopping_rule(verdict(-high, -low, MARGIN), -high, -low, -point, MARGIN, until) is done


def test_what_was_not_measured_is_never_done() -> None:
    assert not any(
        meets_stopping_rule(VerdictId.NOT_MEASURED, -math.inf, math.inf, 0.0, MARGIN, until) for until in Until
    )
