import dataclasses
import math
import statistics
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from sectax.analysis.effect import SEQUENCE, STUDENT
from sectax.analysis.findings import judge
from sectax.model.finding import Effect, Finding, Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import Until
from sectax.model.treatment import Cell, Role, Standing
from sectax.reports.json.findings import finding as as_json
from sectax.run.analyse import analyse_measured
from sectax.stats.run_controls import is_sure, withdraws_verdicts
from sectax.text import claims
from tests.analysis.runs import MEMORY, THROUGHPUT, around, by_block, run_of, with_metric, with_plan

BASE = [0.010, 0.011, 0.012, 0.010, 0.013, 0.011]
GOLDEN = [0.03, 0.05, 0.04, 0.06, 0.02, 0.04]


def only(measured: Measured) -> Finding:
    return judge(measured)[0]


def compared(baseline: Sequence[float | None], treatment: Sequence[float | None], **how: Any) -> Finding:
    """The finding of two arms."""
    return only(run_of({"baseline": baseline, "treatment": treatment}, **how))


def slower(base: list[float], logs: list[float]) -> list[float]:
    return [value * math.exp(log) for value, log in zip(base, logs, strict=True)]


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a growing function is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def nominal_level(alpha: float, first: int, last: int) -> float:
    """Siegmund, Sequential Analysis (1985), section 4.3, solved without the code under test."""
    return root(
        lambda level: level * (2 + (NormalDist().inv_cdf(level / 2) ** 2 - 1) / 2 * math.log(last / first)) - alpha,
        1e-6,
        alpha,
    )


def t_with_five_degrees(level: float) -> float:
    """The two-sided critical value. Source: Abramowitz and Stegun (1964), 26.7.3, for five degrees of freedom."""

    def within(t: float) -> float:
        angle = math.atan(t / math.sqrt(5))
        return 2 / math.pi * (angle + math.sin(angle) * (math.cos(angle) + 2 / 3 * math.cos(angle) ** 3))

    return root(lambda t: within(t) - (1 - level), 0.0, 100.0)


def test_the_golden_example_comes_out_as_by_hand() -> None:
    finding = compared(BASE, slower(BASE, GOLDEN))

    # Mean 0.04, squares 0.001, t with 5 degrees at the nominal level of looks from 6 to 40 blocks; and a mode 5.5 % off
    # that six blocks miss with a chance of 5 %.
    plain = t_with_five_degrees(nominal_level(0.05, 6, 40)) * math.sqrt(0.0002 / 6)
    unseen = 0.055 * (1 - 0.05 ** (1 / 6))
    half = (plain**1.5 + unseen**1.5) ** (2 / 3)
    effect = finding.effect
    assert effect.log_ratio == pytest.approx(0.04)
    assert effect.spread == pytest.approx(math.sqrt(0.0002))
    assert (effect.low, effect.high) == pytest.approx((0.04 - half, 0.04 + half), abs=1e-6)
    assert (effect.blocks, effect.blocks_lost, effect.method, effect.level) == (6, 0, SEQUENCE, 0.95)
    assert finding.verdict == VerdictId.SLOWER_MATERIALITY_OPEN
    assert effect.margin_needed == pytest.approx(math.expm1(0.04 + half), abs=1e-6)


def test_with_the_number_of_blocks_fixed_student_judges_under_the_same_guard() -> None:
    values = {"baseline": BASE, "treatment": slower(BASE, GOLDEN)}

    done = only(run_of(values, fixed_blocks=6)).effect
    early = only(run_of(values, fixed_blocks=7)).effect

    plain = 2.5706 * math.sqrt(0.0002) / math.sqrt(6)
    half = (plain**1.5 + (0.055 * (1 - 0.05 ** (1 / 6))) ** 1.5) ** (2 / 3)
    assert (done.method, early.method) == (STUDENT, SEQUENCE)
    assert (done.low, done.high) == pytest.approx((0.04 - half, 0.04 + half), abs=1e-5)


def test_a_run_that_the_clock_alone_ended_is_judged_once() -> None:
    """Whoever interrupts it, or goes on with it, has seen results by then: every look counts."""
    values = {"baseline": BASE, "treatment": slower(BASE, GOLDEN)}
    fixed, sequential = run_of(values, fixed_blocks=6), run_of(values)

    def until(rule: Until, **changed: Any) -> Effect | None:
        stopping = dataclasses.replace(sequential.plan.stopping, until=rule)
        return only(dataclasses.replace(with_plan(sequential, stopping=stopping), **changed)).effect

    once, clocked, looked = only(fixed).effect, until(Until.BUDGET), only(sequential).effect
    assert (clocked.method, clocked.low, clocked.high) == (STUDENT, once.low, once.high)
    assert until(Until.VERDICT) == looked
    for changed in ({"state": "running"}, {"state": "interrupted"}, {"sessions": 2 * sequential.sessions}):
        seen = until(Until.BUDGET, **changed)
        assert (seen.method, seen.low, seen.high) == (SEQUENCE, looked.low, looked.high)


def test_a_fixed_number_of_blocks_has_no_verdict_before_its_end() -> None:
    # The whole error level is spent at the end; a verdict before it would spend it twice.
    values = {"baseline": around(100, 8), "treatment": around(150, 8, shift=1)}

    early, done = (only(run_of(values, fixed_blocks=blocks)) for blocks in (10, 8))

    assert early.verdict == VerdictId.INCONCLUSIVE
    assert early.effect.low > 0
    assert early.effect.blocks_needed == (2, 2)
    assert done.verdict == VerdictId.SLOWER_MATERIAL


def test_fewer_than_six_blocks_give_no_verdict_whatever_the_design() -> None:
    values = {"baseline": BASE[:5], "treatment": slower(BASE[:5], GOLDEN[:5])}

    for fixed in (None, 5):
        finding = only(run_of(values, fixed_blocks=fixed))

        assert finding.verdict == VerdictId.INCONCLUSIVE
        assert (finding.effect.low, finding.effect.high) == (-math.inf, math.inf)


def test_more_operations_per_second_is_faster() -> None:
    finding = compared(around(100, 12), around(150, 12, shift=1), metric=THROUGHPUT)

    assert finding.verdict == VerdictId.FASTER_MATERIAL
    assert finding.effect.log_ratio == pytest.approx(-math.log(1.5), abs=0.01)
    assert finding.effect.absolute.unit == "s"
    assert finding.effect.absolute.point == pytest.approx(1 / 150 - 1 / 100, rel=0.02)


def test_the_absolute_cost_agrees_with_the_ratio_where_a_few_blocks_are_slow() -> None:
    arms = {"baseline": around(0.010, 12), "treatment": around(0.012, 12, shift=1)}
    loud = {name: list(np.array(values) * ([9.0, 1, 1, 1, 1, 1] * 2)) for name, values in arms.items()}
    calm, effect = only(run_of(arms)).effect.absolute, only(run_of(loud)).effect
    figure = statistics.geometric_mean(loud["baseline"])

    assert calm.point == pytest.approx(0.002, rel=0.01)
    assert 0 < calm.low < 0.002 < calm.high
    assert effect.absolute.point == pytest.approx(figure * math.expm1(effect.log_ratio))
    assert 0 < effect.absolute.low < figure * math.expm1(effect.low)


def test_a_block_without_both_arms_is_lost_and_never_imputed() -> None:
    baseline: list[float | None] = list(around(1.0, 10))
    treatment: list[float | None] = list(around(1.1, 10, shift=1))
    baseline[2] = None
    treatment[2] = treatment[7] = None

    effect = compared(baseline, treatment).effect

    kept = [i for i in range(10) if i not in (2, 7)]
    logs = [math.log(treatment[i] / baseline[i]) for i in kept]  # type: ignore[operator]
    assert (effect.blocks, effect.blocks_lost) == (8, 2)
    assert effect.spread == pytest.approx(np.std(logs, ddof=1))


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_a_value_that_has_no_logarithm_is_missing(value: float) -> None:
    treatment = around(1.1, 8)
    treatment[3] = value

    effect = compared(around(1.0, 8), treatment).effect

    assert (effect.blocks, effect.blocks_lost) == (7, 1)


def test_no_pair_and_no_finished_block_are_no_measurement() -> None:
    finding = compared(around(1.0, 8), [None] * 8)
    unfinished = dataclasses.replace(run_of({"baseline": [1.0], "treatment": [1.0]}), blocks=())

    assert finding.verdict == only(unfinished).verdict == VerdictId.NOT_MEASURED
    assert finding.effect is None


def test_one_pair_is_a_figure_without_an_interval_and_says_nothing_of_how_many_are_needed() -> None:
    treatment: list[float | None] = [1.25 if block < 1 else None for block in range(8)]

    finding = compared([1.0] * 8, treatment)

    assert finding.verdict == VerdictId.INCONCLUSIVE
    assert finding.effect.log_ratio == pytest.approx(math.log(1.25))
    assert (finding.effect.low, finding.effect.high) == (-math.inf, math.inf)
    assert (finding.effect.blocks, finding.effect.blocks_needed) == (1, None)


def test_the_floor_is_the_spread_of_the_negative_control_over_the_same_blocks() -> None:
    negative: list[float | None] = [1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 5.0]
    treatment: list[float | None] = [1.05, 1.051, 1.05, 1.049, 1.05, 1.051, 1.05, None]
    values = {"baseline": [1.0] * 8, "treatment": treatment, "negative": negative}

    effect = judge(run_of(values))[0].effect

    floor = np.std(np.log(np.array([1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1])), ddof=1)
    assert effect.floor == pytest.approx(floor)
    assert effect.spread == pytest.approx(floor)


def test_a_cell_without_a_negative_control_has_no_floor() -> None:
    noisy: list[float | None] = [1.2, 0.8, 1.2, 0.8, 1.2, 0.8, 1.2, 0.8]
    quiet = around(1, 8)
    measured = run_of({"baseline": [1.0] * 8, "negative": noisy, "other": [1.0] * 8, "treatment": quiet})
    other = {"other": Role.BASELINE, "treatment": Role.TREATMENT}
    measured = with_plan(
        measured,
        cells=(*measured.plan.cells, Cell("quiet", {}, "family", "other")),
        treatments=tuple(
            dataclasses.replace(treatment, cell="quiet", role=other[treatment.id])
            if treatment.id in other
            else treatment
            for treatment in measured.plan.treatments
        ),
        comparisons=tuple(
            dataclasses.replace(comparison, cell="quiet", baseline="other")
            if comparison.treatment == "treatment"
            else comparison
            for comparison in measured.plan.comparisons
            if comparison.treatment != "other"
        ),
    )

    (effect,) = (found.effect for found in judge(measured) if found.comparison.treatment == "treatment")

    assert effect.floor == 0
    assert effect.spread == pytest.approx(np.std(np.log(quiet), ddof=1))


def test_the_negative_control_has_no_floor_of_its_own() -> None:
    assert only(run_of({"baseline": around(1, 8), "negative": around(1, 8, shift=2)})).effect.floor == 0


def test_a_family_shares_its_floor_and_another_has_its_own() -> None:
    measured = run_of({"baseline": [1.0] * 8, "negative": [1.1, 0.9] * 4, "a": around(1, 8)})
    other = dataclasses.replace(measured.plan.cells[0], id="other", family="other", baseline="b0")
    treatments = {"b0": around(2, 8), "b": around(2, 8, shift=1)}
    plan = measured.plan
    more = [dataclasses.replace(plan.treatments[0], id=name, cell="other") for name in treatments]
    b = dataclasses.replace(plan.comparisons[1], id="b", cell="other", treatment="b", baseline="b0")
    values = measured.values["time"] | by_block(treatments, measured.blocks)
    measured = dataclasses.replace(measured, values={"time": values})
    findings = judge(
        with_plan(
            measured,
            cells=(*plan.cells, other),
            treatments=(*plan.treatments, *more),
            comparisons=(*plan.comparisons, b),
        )
    )

    floors = {finding.comparison.id: finding.effect.floor for finding in findings if finding.effect}
    assert floors["a"] > 0.05
    assert floors["b"] == 0


def test_whole_pages_of_memory_that_tie_are_not_taken_for_certainty() -> None:
    measured = run_of({"baseline": around(1, 8), "t": around(1, 8, shift=1)})
    pages = {"baseline": [40960.0] * 8, "t": [40960.0] * 8}
    finding = judge(with_metric(measured, MEMORY, pages, Standing.SECONDARY))[-1]

    assert finding.effect.spread == pytest.approx(0.1)
    assert finding.verdict == VerdictId.INCONCLUSIVE


def test_values_that_never_vary_and_have_no_resolution_allow_no_verdict() -> None:
    assert compared([1.0] * 10, [1.5] * 10).verdict == VerdictId.INCONCLUSIVE


def test_an_effect_that_jumps_is_printed_with_the_interval_of_all_blocks_and_named_drift() -> None:
    logs = [0.01 * (-1) ** j * (1 + j % 3) for j in range(20)] + [1.0 + 0.001 * j for j in range(20)]
    jump = slower([1.0] * 40, logs)
    measured = run_of({"baseline": [1.0] * 40, "treatment": jump})
    effect = only(measured).effect

    assert effect.low < effect.log_ratio < effect.high
    assert effect.log_ratio == pytest.approx(np.mean(logs)) == pytest.approx((effect.low + effect.high) / 2)
    assert effect.drifted
    said = {(warning.check, warning.severity, warning.subject) for warning in analyse_measured(measured).warnings}
    assert ("drift", Severity.WARNING, "treatment") in said


def test_an_interval_holds_its_own_mean_where_an_earlier_look_was_narrower() -> None:
    # Quiet at first, then another speed: what all looks agree on is a sliver that excludes the mean of the blocks.
    logs = [0.30 + 0.002 * (-1) ** block for block in range(20)] + [0.24 + 0.002 * (-1) ** block for block in range(20)]
    measured = run_of({"baseline": [1.0] * 40, "treatment": slower([1.0] * 40, logs)})
    finding = only(measured)
    effect = finding.effect

    assert effect.log_ratio == pytest.approx(0.27)
    assert effect.low < 0.27 < effect.high
    assert effect.drifted
    assert effect.agreed[0] > 0.27
    assert finding.verdict == VerdictId.SLOWER_MATERIAL


def test_a_steady_effect_has_not_drifted() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        logs = (0.05 + rng.normal(0, 0.03, 40)).tolist()
        effect = compared([1.0] * 40, slower([1.0] * 40, logs)).effect
        assert not effect.drifted


pairs = some.lists(some.tuples(some.floats(0.5, 2.0), some.floats(0.5, 2.0)), min_size=7, max_size=12)


@given(pairs, some.floats(1e-6, 1e6))
@settings(max_examples=60)
def test_the_unit_does_not_matter(values: list[tuple[float, float]], scale: float) -> None:
    base, treatment = [pair[0] for pair in values], [pair[1] for pair in values]

    one = compared(base, treatment).effect
    other = compared([scale * v for v in base], [scale * v for v in treatment]).effect

    assume(one.spread > 1e-9)
    assert (other.log_ratio, other.low, other.high) == pytest.approx((one.log_ratio, one.low, one.high), abs=1e-9)


@given(pairs)
@settings(max_examples=60)
def test_swapped_arms_turn_the_sign(values: list[tuple[float, float]]) -> None:
    base, treatment = [pair[0] for pair in values], [pair[1] for pair in values]

    one = compared(base, treatment).effect
    other = compared(treatment, base).effect

    assume(one.spread > 1e-9)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low))


@given(some.integers(7, 25), some.integers(0, 1000))
@settings(max_examples=40)
def test_a_further_block_never_widens_what_all_looks_agree_on(blocks: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {name: rng.lognormal(0, 0.05, blocks).tolist() for name in ("baseline", "treatment", "negative")}

    before = judge(run_of({name: column[:-1] for name, column in values.items()}))[0].effect
    after = judge(run_of(values))[0].effect

    assert after.agreed[0] >= before.agreed[0]
    assert after.agreed[1] <= before.agreed[1]
    assert after.low <= after.log_ratio <= after.high


def quiet(blocks: int, spread: float = 0.003) -> dict[str, list[float]]:
    rng = np.random.default_rng(4)
    return {name: rng.lognormal(0, spread, blocks).tolist() for name in ("baseline", "treatment")}


def test_what_is_still_needed_is_reported() -> None:
    finding = only(run_of(quiet(6)))

    assert finding.verdict == VerdictId.INCONCLUSIVE
    assert finding.effect.blocks_needed is not None
    fewest, most = finding.effect.blocks_needed
    assert 0 < fewest <= most < 20
    assert finding.seconds_needed == (fewest * 2.0, most * 2.0)


def test_where_nobody_can_say_how_many_blocks_the_margin_in_reach_is_reported() -> None:
    finding = only(run_of(quiet(8, spread=0.05)))
    at_the_end = only(run_of(quiet(40, spread=0.05)))

    assert finding.effect.blocks_needed is None
    assert finding.seconds_needed is None
    assert 0.02 < finding.effect.margin_in_reach < finding.effect.margin_needed
    assert at_the_end.effect.margin_needed == pytest.approx(finding.effect.margin_in_reach, rel=0.3)
    assert claims.verdict(finding).startswith("undecided; 9 % faster")  # and not that more blocks would do
    assert as_json(finding, "").needed.margin_in_reach == finding.effect.margin_in_reach


def test_a_budget_that_is_spent_has_no_margin_left_to_reach() -> None:
    finding = only(run_of(quiet(40, spread=0.08)))

    assert finding.verdict == VerdictId.INCONCLUSIVE
    assert finding.effect.margin_in_reach is None
    assert finding.effect.margin_needed is not None


def test_a_claim_of_few_quiet_blocks_survives_a_mode_that_they_missed() -> None:
    """Six blocks that fell into one mode, one per cent off the mean of both: no direction is claimed of them."""
    values = {"baseline": around(1, 6, spread=0.0003), "treatment": around(0.99, 6, spread=0.0003, shift=1)}

    effect = only(run_of(values)).effect
    control = only(run_of({"baseline": values["baseline"], "negative": values["treatment"]})).effect

    assert effect.low < 0 < effect.high
    assert control.high < 0  # two equal arms differ by as much either way, so nothing was missed


def biased(by: float, blocks: int = 10) -> Measured:
    """A run whose negative control is slower than the baseline by so much, with a standard error of 1 %."""
    steps = [0.03, -0.03, 0.01, -0.01, 0.04, -0.04, 0.02, -0.02, 0.05, -0.05][:blocks]
    negative = slower([1.0] * blocks, [by + step for step in steps])
    return run_of({"baseline": [1.0] * blocks, "negative": negative, "t": around(1.5, blocks)}, fixed_blocks=blocks)


@pytest.mark.parametrize(("by", "widened", "sure"), [(0.0, 0.0, False), (0.03, 0.03, False), (0.06, 0.06, True)])
def test_a_bias_that_the_negative_control_sees_widens_its_family(by: float, widened: float, sure: bool) -> None:
    control, finding = judge(biased(by))
    _, unbiased = judge(biased(0.0))

    assert control.effect.widened == 0
    assert finding.effect.widened == pytest.approx(widened)
    assert finding.effect.low == pytest.approx(unbiased.effect.low - widened)
    assert finding.effect.high == pytest.approx(unbiased.effect.high + widened)
    assert is_sure(control.effect) is sure


@pytest.mark.parametrize(("margin", "fatal"), [(0.02, False), (0.008, True)])
def test_a_sure_bias_within_the_margin_widens_and_takes_no_verdict(margin: float, fatal: bool) -> None:
    """Quiet blocks show the smallest bias; 'half as slow again' does not fall for one that nobody minds."""
    negative = slower([1.0] * 20, [0.008 + 0.001 * (-1) ** block for block in range(20)])
    values = {"baseline": [1.0] * 20, "negative": negative, "t": around(1.5, 20)}

    control, finding = judge(run_of(values, margin=margin))

    assert is_sure(control.effect)
    assert withdraws_verdicts(control.effect, control.verdict) is fatal
    assert finding.effect.widened == pytest.approx(0.008 if fatal else 3 * control.effect.high)
    assert finding.effect.low > math.log(1.4)


def test_a_control_of_times_widens_nothing_in_memory() -> None:
    measured = biased(0.03)
    pages = {name: [4e8 + 4096 * (block % 3) for block in range(10)] for name in ("baseline", "t")}

    in_memory = judge(with_metric(measured, MEMORY, pages, Standing.SECONDARY))[-1]

    assert in_memory.effect.widened == 0


@pytest.mark.parametrize("fixed", [None, 8])
def test_the_guard_is_the_same_whatever_the_margin(fixed: int | None) -> None:
    values = {"baseline": around(1, 8), "treatment": around(1, 8, shift=1)}

    runs = [only(run_of(values, margin=margin, fixed_blocks=fixed)).effect for margin in (0.005, 0.02, 0.1)]

    assert len({(effect.low, effect.high) for effect in runs if effect}) == 1


def test_an_answered_comparison_needs_nothing_more() -> None:
    finding = compared(around(1, 20), around(1.5, 20, shift=1))

    assert finding.effect.blocks_needed is None
    assert finding.seconds_needed is None
