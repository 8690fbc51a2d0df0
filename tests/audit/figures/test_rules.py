"""Where the checks on figures draw their lines, and where they say that they cannot tell."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Cold, Contrast, EndsBy, Figure, Moves, Quantity
from sectax.audit.registry import checks, review
from sectax.audit.service_defaults import WITHDRAWN, withdrawn
from sectax.audit.unsupported_quantile import needed
from sectax.model.curves import contradiction
from sectax.model.finding import AuditWarning, Severity
from tests.audit.figures.scenarios import CONTRAST, figure, sides, source
from tests.audit.matrix import State, states

RNG = np.random.default_rng(1)


def said(evidence: Evidence, check: str) -> list[AuditWarning]:
    return [warning for outcome in review(evidence) if outcome.check == check for warning in outcome.warnings]


def severities(evidence: Evidence, check: str) -> list[Severity]:
    return [warning.severity for warning in said(evidence, check)]


def bodies(*seconds: float, sizes: tuple[float, ...], **given: Any) -> Evidence:
    return source(
        [
            figure(f"t: {size}", time, levels={"size": str(size)}, size_bytes=size, **({"moves": Moves.BODY} | given))
            for time, size in zip(seconds, sizes, strict=True)
        ]
    )


def untold(evidence: Evidence) -> Evidence:
    """The figures with nothing but their numbers."""
    bare = tuple(dataclasses.replace(one, circumstances=Circumstances(), trials=None) for one in evidence.figures)
    return dataclasses.replace(evidence, figures=bare)


def test_sound_figures_are_left_in_peace_by_every_check() -> None:
    outcomes = review(source(sides(RNG, granularity_s=1e-9), CONTRAST))

    assert [w for outcome in outcomes for w in outcome.warnings if w.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("check", [check.id for check in checks])
def test_figures_of_which_nothing_is_told_are_never_accused(check: str) -> None:
    evidence = untold(source(sides(RNG), CONTRAST))

    assert set(severities(evidence, check)) <= {Severity.NOTE}


@pytest.mark.parametrize(
    "check",
    ["unsupported-quantile", "first-trial", "false-replication", "timer", "unequal-work", "unequal-instruments"],
)
def test_what_is_not_told_is_said_and_not_passed_in_silence(check: str) -> None:
    evidence = untold(source(sides(RNG), CONTRAST))

    assert [warning.saw[:17] for warning in said(evidence, check)] == ["cannot be checked"]


@pytest.mark.parametrize("check", [check.id for check in checks])
def test_a_source_without_figures_concerns_no_check(check: str) -> None:
    outcome = next(each for each in review(source([])) if each.check == check)

    assert not outcome.applies
    assert outcome.warnings == ()


# Sizes


def test_metadata_may_be_flat() -> None:
    evidence = bodies(0.01, 0.01, sizes=(1e3, 1e9), moves=Moves.METADATA)

    assert said(evidence, "flat-with-size") == []


def test_body_whose_sizes_are_too_near_to_show_cannot_be_checked() -> None:
    assert severities(bodies(0.01, 0.01, sizes=(1e3, 2e3)), "flat-with-size") == [Severity.NOTE]


def test_body_that_takes_visibly_longer_is_sound_whatever_its_link() -> None:
    assert said(bodies(0.01, 0.02, sizes=(1e3, 2e3)), "flat-with-size") == []


def test_operation_that_may_move_a_body_or_not_cannot_be_checked() -> None:
    assert severities(bodies(0.01, 0.01, sizes=(1e3, 1e9), moves=None), "flat-with-size") == [Severity.NOTE]


def test_one_size_cannot_be_checked() -> None:
    assert severities(bodies(0.01, sizes=(1e9,)), "flat-with-size") == [Severity.NOTE]


def test_flat_table_gets_one_warning_that_names_all_its_figures() -> None:
    (warning,) = said(bodies(0.01, 0.01, 0.01, sizes=(1e3, 1e6, 1e9), link_bytes_s=1e9), "flat-with-size")

    assert warning.subject == "t"
    assert warning.figures == ("t: 1000.0", "t: 1000000.0", "t: 1000000000.0")
    assert warning.saw.startswith("1,000,000 times the bytes take 1 times as long")


def parts(whole: float, part: float, **part_levels: str) -> Evidence:
    return source(
        [
            figure("get", whole, levels={"operation": "get", "size": "1"}, operation="get", contains=("head",)),
            figure("head", part, levels={"operation": "head"} | part_levels, operation="head"),
        ]
    )


def test_whole_that_is_a_little_faster_than_its_part_may_be_chance() -> None:
    assert said(parts(0.6, 1.0, size="1"), "contained-work") == []


def test_part_measured_at_another_level_is_no_part() -> None:
    assert severities(parts(0.1, 1.0, size="2"), "contained-work") == [Severity.NOTE]


def test_part_measured_once_for_all_levels_is_one() -> None:
    assert severities(parts(0.1, 1.0), "contained-work") == [Severity.FATAL]


def test_part_that_is_slow_is_not_accused_with_the_whole() -> None:
    (warning,) = said(parts(0.1, 1.0), "contained-work")

    assert warning.figures == ("get",)


@pytest.mark.parametrize(("bytes_s", "expected"), [(1.05e9, []), (1.2e9, [Severity.FATAL])])
def test_measured_bandwidth_has_an_error_of_its_own(bytes_s: float, expected: list[Severity]) -> None:
    evidence = source([figure("t: 1", bytes_s, quantity=Quantity.BANDWIDTH, link_bytes_s=1e9)])

    assert severities(evidence, "faster-than-physics") == expected


def counted(*operations: tuple[str, float], seconds: float = 1.0, **given: Any) -> Evidence:
    """As many operations as a level says, or another number, in the same time."""
    return source(
        [
            figure(f"t: {level}", seconds / count, levels={"n": level}, batch=count, **({"calibrated": False} | given))
            for level, count in operations
        ]
    )


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (counted(("1000", 1e3), ("1,000,000", 1e6)), [Severity.FATAL]),
        (counted(("1000", 1e3), ("1000000", 1e6), calibrated=True), []),
        (counted(("1000", 1e3), ("1000000", 1e6), calibrated=None), []),
        (counted(("short", 1e6), ("long", 1e3)), []),
    ],
    ids=["as many as asked for", "calibrated", "not told whether", "of unlike tests"],
)
def test_more_operations_in_equal_time_are_dead_code_only_where_their_number_was_chosen(
    evidence: Evidence, expected: list[Severity]
) -> None:
    assert severities(evidence, "faster-than-physics") == expected


# Totals and counts


@pytest.mark.parametrize(("seconds", "expected"), [(10.06, [Severity.FATAL]), (9.9, []), (12.0, [])])
def test_total_near_the_configured_time_was_ended_by_the_clock(seconds: float, expected: list[Severity]) -> None:
    evidence = source([figure("t: 1", seconds, quantity=Quantity.TOTAL_TIME, configured_s=10.0)])

    assert severities(evidence, "fixed-time-total") == expected


def test_total_of_a_fixed_count_is_sound_even_at_the_configured_time() -> None:
    told = {"configured_s": 10.0, "ends_by": EndsBy.EVENTS}

    assert said(source([figure("t: 1", 10.0, quantity=Quantity.TOTAL_TIME, **told)]), "fixed-time-total") == []


def test_rate_above_zero_shows_that_something_was_counted() -> None:
    assert said(source([figure("t: 1", 5.0, quantity=Quantity.RATE)]), "zero-event-run") == []


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"client_cpu_share": 0.85}, []),
        ({"client_cpu_share": 0.86}, [Severity.FATAL]),
        ({"target_rate": 100.0, "achieved_rate": 99.0}, []),
        ({"target_rate": 100.0, "achieved_rate": 98.9}, [Severity.FATAL]),
        ({"events": 999.0, "dropped": 1.0}, []),
        ({"events": 998.0, "dropped": 2.0}, [Severity.FATAL]),
        ({"service": "a server"}, [Severity.NOTE]),
    ],
)
def test_client_is_saturated_beyond_these_shares(told: dict[str, float], expected: list[Severity]) -> None:
    assert severities(source([figure("t: 1", 1.0, **told)]), "saturated-client") == expected


# Statistics


@pytest.mark.parametrize(
    ("statistic", "least"), [("median", 6), ("p90", 36), ("p95", 72), ("p99", 368), ("max", 59), ("p99.9", 3688)]
)
def test_quantile_needs_so_many(statistic: str, least: int) -> None:
    def fires(trials: int) -> bool:
        return bool(said(source([figure("t: 1", 1.0, statistic=statistic, trials=trials)]), "unsupported-quantile"))

    assert needed(statistic) == least
    assert (fires(least - 1), fires(least)) == (True, False)


@pytest.mark.parametrize("statistic", ["mean", "rate", "total", "min", "p0", "p100.5", "iqr"])
def test_other_statistics_need_no_number_of_their_own(statistic: str) -> None:
    assert needed(statistic) is None


def test_one_value_carries_no_ratio_and_no_quantile() -> None:
    compared = source(sides(RNG, trials=1), CONTRAST)
    worst = source([figure("t: 1", 1.0, trials=1, statistic="max")])

    assert severities(compared, "unsupported-quantile") == [Severity.FATAL]
    assert severities(worst, "unsupported-quantile") == [Severity.FATAL]


@pytest.mark.parametrize("contrast", [None, Contrast("control", None, told=False)])
def test_one_run_that_the_source_compares_with_none_is_no_verdict_by_itself(contrast: Contrast | None) -> None:
    (warning,) = said(source(sides(RNG, trials=1), contrast), "unsupported-quantile")

    assert (warning.severity, warning.saw[:7]) == (Severity.WARNING, "one run")


@pytest.mark.parametrize(("count", "expected"), [(5, [Severity.WARNING]), (6, []), (300, [])])
def test_single_values_carry_their_median_from_six_on(count: int, expected: list[Severity]) -> None:
    values = list(np.random.default_rng(1).lognormal(0, 0.1, count))

    one = dataclasses.replace(figure("t: 1", 1.0, values=values), value=None, statistic=None, trials=count)

    assert severities(source([one]), "unsupported-quantile") == expected


def test_values_of_few_processes_are_said_to_be_of_them() -> None:
    (warning,) = said(source([figure("t: 1", 1.0, trials=30, statistic="p90", replicates=3)]), "unsupported-quantile")

    assert warning.saw == "the p90 of 30 values from 3 processes, in 1"


@pytest.mark.parametrize(
    ("count", "replicate", "expected"),
    [
        (1, "pair of VMs", "each figure is of one pair of VMs"),
        (2, "pair of VMs", "each figure is of 2 pairs of VMs"),
        (3, "process or host", "each figure is of 3 processes or hosts"),
        (2, "instance", "each figure is of 2 instances"),
    ],
)
def test_replication_is_told_in_proper_words(count: int, replicate: str, expected: str) -> None:
    (warning,) = said(source(sides(RNG, replicates=count, replicate=replicate)), "false-replication")

    assert warning.saw == expected


def test_high_water_marks_are_counted_by_instances_and_not_by_calls() -> None:
    given = {"quantity": Quantity.MEMORY, "statistic": "median", "trials": 1000}

    def memory(instances: int | None) -> Evidence:
        return source([figure("t: 1", 2.0**20, replicates=instances, **given)])

    assert severities(memory(5), "unsupported-quantile") == [Severity.FATAL]
    assert said(memory(6), "unsupported-quantile") == []
    assert severities(memory(None), "unsupported-quantile") == [Severity.NOTE]


def test_same_statistic_of_as_many_trials_is_warned_of_once_for_all_tables() -> None:
    figures = [figure(f"{table}: 1", 1.0, table=table, statistic="max", trials=5) for table in ("a", "b")]

    (warning,) = said(source(figures), "unsupported-quantile")

    assert (warning.subject, warning.figures) == ("a, b", ("a: 1", "b: 1"))


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        ([2.0, 1.0, 1.01, 0.99, 1.0, 1.01, 1.0], True),
        ([0.5, 1.0, 1.01, 0.99, 1.0, 1.01, 1.0], True),
        ([1.04, 1.0, 1.01, 0.99, 1.0, 1.01, 1.0], False),  # too little to matter
        ([2.0, 1.0, 3.0, 0.7, 1.0, 2.2, 1.0], False),  # the rest does the same
        ([2.0, 1.0, 1.0], True),  # few, and twice as long
        ([21.0, 20.0, 20.0, 20.0, 20.0, 20.0], False),  # one step of a coarse clock
        ([2.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0], False),  # no times
    ],
)
def test_first_value_differs_beyond_what_the_rest_predicts(values: list[float], differs: bool) -> None:
    found = severities(source([figure("t: 1", 1.0, values=values)]), "first-trial")

    assert (Severity.WARNING in found) is differs


@pytest.mark.parametrize(
    ("values", "words"),
    [
        # Of `hyperfine`, from rossmacarthur/zsh-plugin-manager-benchmark: 11 % are far where the others are so near.
        ([4.536, 4.526, 4.079, 4.023, 4.074, 4.082, 4.037, 4.124, 4.187, 4.079], "the first 2 of 10 values"),
        ([1.0, 1.01, 0.99, 1.0, 1.01, 1.2, 1.21, 1.19, 1.2, 1.21], "the first 5 of 10 values are 0.833 times"),
        ([1.8, 1.5, 1.3, 1.2, 1.02, 1.0, 1.01, 0.99, 1.0, 1.01], "the first 4 of 10 values"),
    ],
)
def test_first_values_that_stand_apart_together(values: list[float], words: str) -> None:
    (warning,) = said(source([figure("t: 1", 1.0, values=values)]), "first-trial")

    assert words in warning.saw
    assert said(source([figure("t: 1", 1.0, values=[*values[3:], *values[:3]][::-1])]), "first-trial") == []


def test_a_first_value_may_be_slow_though_a_warm_up_was_thrown_away() -> None:
    values = [9.0, *[1.0, 1.01] * 10]

    assert severities(source([figure("t: 1", 1.0, values=values, cold=Cold.APART)]), "first-trial") == [
        Severity.WARNING
    ]


OF_FEW_VALUES = re.compile(r"known to ±|times the least|near each other")


@pytest.mark.more
@pytest.mark.parametrize("shape", ["normal", "lognormal", "gamma", "pareto"])
@pytest.mark.parametrize("count", [5, 10, 100])
def test_healthy_series_are_seldom_warned_of(shape: str, count: int) -> None:
    """300 sources of ten series each: at most about 2 % are warned of by chance, whatever the tail.

    What a few values are, and how little they tell of their mean, is no matter of chance, and not counted.
    """
    rng = np.random.default_rng([count, len(shape)])
    draw = {
        "normal": lambda: 1 + rng.normal(0, 0.03, count),
        "lognormal": lambda: rng.lognormal(0, 0.2, count),
        "gamma": lambda: 1 + rng.gamma(2, 0.1, count),
        "pareto": lambda: np.exp(rng.exponential(0.1, count)),
    }[shape]
    warned = 0
    for _ in range(300):
        figures = [figure(f"t: {at}", 1.0, values=draw(), levels={"case": str(at)}) for at in range(10)]
        found = [outcome for outcome in review(source(figures)) if outcome.check in ("first-trial", "drift", "modes")]
        said = [each for one in found for each in one.warnings if each.severity is not Severity.NOTE]
        warned += any(not OF_FEW_VALUES.search(each.saw) for each in said)

    assert warned <= 15


@pytest.mark.parametrize(("factor", "ratio"), [(4.8, "4.8"), (100.0, "100"), (0.3, "3.3")])
def test_one_value_far_from_all_others_is_named(factor: float, ratio: str) -> None:
    values = np.array([1.0, 1.02, 0.99, 1.01, 0.98, 1.0, 1.03, 0.97, 1.01, 0.99])
    values[6] *= factor

    (warning,) = said(source([figure("t: 1", 1.0, values=values)]), "modes")

    assert f"{ratio[:1]}" in warning.saw
    assert said(source([figure("t: 1", 1.0, values=np.delete(values, 6))]), "modes") != [warning]


def test_values_cut_off_at_a_limit_are_named() -> None:
    values = np.exp(np.random.default_rng(3).normal(0, 0.2, 40))

    assert severities(source([figure("t: 1", 1.0, values=values)]), "modes") == []
    (warning,) = said(source([figure("t: 1", 1.0, values=np.minimum(values, 1.2))]), "modes")

    assert "values are exactly the largest one" in warning.saw


def test_a_process_apart_from_the_others_is_named() -> None:
    values = np.exp(np.random.default_rng(4).normal(0, 0.02, 30))
    given = {"replicates": 3, "replicate": "process", "per_replicate": (10, 10, 10)}

    assert severities(source([figure("t: 1", 1.0, values=values, **given)]), "modes") == []
    values[10:20] *= 1.3
    found = said(source([figure("t: 1", 1.0, values=values, **given)]), "modes")

    assert any("one of 3 processes differs from the others by +" in each.saw for each in found)


@pytest.mark.parametrize(("factor", "constant"), [(1.1, 0.0), (0.93, 0.0), (1.0, 0.2), (2.0, 0.3)])
def test_a_series_made_from_another_is_named(factor: float, constant: float) -> None:
    rng = np.random.default_rng(5)
    values = np.exp(rng.normal(0, 0.05, 20))
    other = factor * values + constant

    def both(second: np.ndarray) -> Evidence:
        made = [values, np.round(second, 6)]
        return source([figure(f"t: {n}", 1.0, values=each, levels={"n": str(n)}) for n, each in enumerate(made)])

    assert severities(both(other), "copied-data") == [Severity.FATAL]
    assert severities(both(rng.permutation(other)), "copied-data") == []
    # What goes up together on both sides is no copy.
    assert severities(both(other * np.exp(rng.normal(0, 0.01, 20))), "copied-data") == []


def test_vectors_of_few_digits_tie_by_chance() -> None:
    values = [1.0, 2.0, 1.0, 1.0, 2.0]
    figures = [figure(f"t: {number}", 1.4, values=values) for number in range(2)]

    assert said(source(figures), "copied-data") == []


def test_whole_megabytes_may_tie() -> None:
    values = [72.0 * 2**20, *[71.0 * 2**20] * 30]
    given = {"quantity": Quantity.MEMORY, "values": values, "statistic": "median"}

    assert said(source([figure(f"t: {n}", values[1], **given) for n in range(9)]), "copied-data") == []


def test_summaries_of_the_same_values_are_no_copies() -> None:
    values = list(np.random.default_rng(1).lognormal(0, 0.1, 20))
    shared = {"levels": {"case": "1"}, "values": values}
    figures = [figure("t: 1, mean", 1.0, **shared), figure("t: 1, max", 1.3, statistic="max", **shared)]

    assert said(source(figures), "copied-data") == []


def test_batch_of_many_operations_is_long_enough_for_its_clock() -> None:
    fine = figure("t: 1", 4e-7, granularity_s=1e-9, batch=1000)

    assert said(source([fine]), "timer") == []
    assert severities(source([figure("t: 1", 4e-7, granularity_s=1e-8)]), "timer") == [Severity.FATAL]


# Sides


def test_instruments_of_unlike_situations_are_not_compared() -> None:
    figures = [
        figure("a", 1.0, levels={"situation": "hit", "control": "with"}, instrument="a tracer"),
        figure("b", 1.0, levels={"situation": "miss", "control": "without"}, instrument="none"),
    ]

    assert not next(o for o in review(source(figures, CONTRAST)) if o.check == "unequal-instruments").applies


def test_instrument_that_both_pass_through_is_fair() -> None:
    assert said(source(sides(RNG, instrument="a tracer"), CONTRAST), "unequal-instruments") == []


def test_baseline_that_is_not_told_cannot_be_checked() -> None:
    evidence = source(sides(RNG), Contrast("control", None, told=False))

    assert severities(evidence, "no-baseline") == [Severity.NOTE]


def test_difference_besides_is_named_with_both_its_values() -> None:
    figures = [
        dataclasses.replace(one, circumstances=dataclasses.replace(one.circumstances, processor=one.levels["control"]))
        for one in sides(RNG, rows=3)
    ]

    (warning,) = said(source(figures, CONTRAST), "apples-and-oranges")

    assert warning.saw == "the sides differ in processor (with: with; without: without), which is not what is compared"


def test_errors_on_one_side_alone_are_unequal_work_however_few() -> None:
    few = [
        figure(name, 1.0, events=1e6, errors=errors, levels={"control": name})
        for name, errors in (("without", 0), ("with", 40))
    ]

    (warning,) = said(source(few, CONTRAST), "unequal-work")

    assert warning.severity is Severity.FATAL
    assert warning.saw.startswith("the shares of failed operations differ")


# Labels


def test_bits_of_a_cipher_or_a_hash_are_not_those_of_the_key() -> None:
    figures = [figure("a", 1.0, levels={"cipher": "AES 256 bit", "hash": "SHA-2 512 bit"}, key_bits=2048)]

    assert said(source(figures), "mislabelled-level") == []


def test_key_whose_length_nobody_read_cannot_be_checked() -> None:
    assert severities(source([figure("a", 1.0, levels={"algorithm": "RSA 2048bit"})]), "mislabelled-level") == [
        Severity.NOTE
    ]


def test_contradiction_says_which_curve_it_is() -> None:
    assert contradiction("secp256k1, 384-bit") == "the label says 384 bits, but secp256k1 is a curve of 256 bits"
    assert contradiction("ECDSA 384bit", "P-256") == "the label says 384 bits, but p-256 is a curve of 256 bits"
    assert contradiction("ECDSA 384bit") is None


def test_size_that_openssl_gives_ed25519_is_its_own_and_no_contradiction() -> None:
    assert contradiction("253 bits EdDSA (Ed25519)") is None
    assert contradiction("254 bits EdDSA (Ed25519)") is not None


def test_withdrawn_setting_is_of_one_service_alone() -> None:
    assert withdrawn("Amazon S3", "server_side_encryption", "none") is WITHDRAWN[0]
    assert withdrawn("MinIO", "server_side_encryption", "none") is None
    assert withdrawn("Amazon S3", "server_side_encryption", "SSE-S3") is None


# The matrix


def test_gravest_word_on_a_figure_is_its_state() -> None:
    figures: list[Figure] = [
        figure("t: 1", 1.0, cold=Cold.MIXED),
        figure("t: 2", 1.0, cold=None),
        figure("t: 3", 1.0),
        figure("t: 4", 1.0, quantity=Quantity.MEMORY),
    ]
    outcome = next(each for each in review(source(figures)) if each.check == "first-trial")

    assert states(outcome, [one.id for one in figures]) == {
        "t: 1": State.FATAL,
        "t: 2": State.CANNOT,
        "t: 3": State.SILENT,
        "t: 4": State.DOES_NOT_APPLY,
    }
