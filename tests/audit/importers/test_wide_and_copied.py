"""Figures whose own spread is wide, and rows that were copied over others: each beside its healthy twin."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read, sample

CRITERION = sample("criterion.txt")
JMH = "Benchmark  Mode  Cnt  Score  Error  Units\nA.get  avgt  5  {}  ns/op\nA.put  avgt  5  {}  ns/op\n"


@pytest.mark.parametrize(
    ("interval", "told"),
    [("[48.054 ns 60.152 ns 67.410 ns]", True), ("[59.054 ns 60.152 ns 61.410 ns]", False)],
)
def test_an_interval_of_criterion_that_is_wide_is_told(interval: str, told: bool) -> None:
    assert ("modes" in said(read(f"a/b                     time:   {interval}\n"))) is told


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        ("62714.129 ± 1847.550", "62714.129 ± 1847.550", "F"),
        ("62.714 ± 0.184", "62.714 ± 0.184", "W"),
        ("62.714 ± 0.184", "62.714 ± 0.185", ""),
        ("0.002 ± 0.001", "0.002 ± 0.001", ""),
    ],
)
def test_a_row_of_jmh_under_a_second_name_is_a_copy(one: str, other: str, severity: str) -> None:
    assert said(read(JMH.format(one, other))).get("copied-data", ("",))[0] == severity


@pytest.mark.parametrize(
    ("other", "severity"), [("1.0671 µs 1.0706 µs 1.0734 µs", "F"), ("1.0672 µs 1.07 µs 1.08 µs", "")]
)
def test_an_estimate_of_criterion_under_a_second_name_is_a_copy(other: str, severity: str) -> None:
    text = f"a   time:   [1.0671 µs 1.0706 µs 1.0734 µs]\nb   time:   [{other}]\n"

    assert said(read(text)).get("copied-data", ("",))[0] == severity


@pytest.mark.parametrize(("other", "severity"), [("6535921  1743.1 ns/op", "F"), ("6535921  1743.2 ns/op", "")])
def test_a_result_of_go_under_a_second_name_is_a_copy(other: str, severity: str) -> None:
    text = f"goos: linux\nBenchmarkA-8  6535921  1743.1 ns/op\nBenchmarkB-8  {other}\nPASS\n"

    assert said(read(text)).get("copied-data", ("",))[0] == severity


def stats(mean: float, stddev: float, most: float, rounds: int = 20) -> dict[str, float]:
    told = {"min": 0.9 * mean, "max": most, "mean": mean, "median": mean, "stddev": stddev}
    return told | {"rounds": rounds, "iterations": 1}


def rounds_of(*each: dict[str, float]) -> str:
    benchmarks = [{"name": f"test_{at}", "stats": told} for at, told in enumerate(each)]
    return json.dumps({"machine_info": {}, "benchmarks": benchmarks})


def test_summaries_of_pytest_under_a_second_name_are_a_copy() -> None:
    one = stats(0.0123456, 0.00234567, 0.0234567)

    assert said(read(rounds_of(one, one)))["copied-data"][0] == "F"
    assert "copied-data" not in said(read(rounds_of(one, one | {"stddev": 0.00234})))


@pytest.mark.parametrize(("most", "rounds", "told"), [(0.05, 20, True), (0.05, 200, False), (0.02, 20, False)])
def test_a_far_round_among_few_is_told(most: float, rounds: int, told: bool) -> None:
    # As wide as rounds can be with one so far.
    deviation = (most - 0.009) / 4

    assert ("modes" in said(read(rounds_of(stats(0.0101, deviation, most, rounds))))) is told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("change: [-2.1% +0.09% +2.5%] (p = 0.94 > 0.05)\nNo change in performance detected.", False),
        ("change: [-2.1% +0.09% +2.5%] (p = 0.94 > 0.05)\nPerformance has regressed.", True),
        ("change: [+2.1% +3.09% +4.5%] (p = 0.00 < 0.05)\nPerformance has regressed.", False),
        ("change: [+2.1% +3.09% +4.5%] (p = 0.00 < 0.05)\nNo change in performance detected.", True),
        ("Found 5 outliers among 100 measurements (5.00%)", False),
        ("Found 5 outliers among 100 measurements (9.00%)", True),
    ],
)
def test_what_criterion_makes_of_its_numbers_follows_from_them(line: str, told: bool) -> None:
    text = f"a   time:   [1.0671 µs 1.0706 µs 1.0734 µs]\n{line}\n"

    assert ("contradiction" in said(read(text))) is told


@pytest.mark.parametrize(("profile", "told"), [("unoptimized + debuginfo", True), ("optimized", False)])
def test_a_build_without_optimisation_is_told(profile: str, told: bool) -> None:
    text = f"    Finished dev [{profile}] target(s) in 0.07s\n{CRITERION}"

    assert ("said-by-the-tool" in said(read(text))) is told


def pyperf(values: Sequence[float]) -> str:
    runs = [{"values": [each] * 3} for each in values]
    return json.dumps({"benchmarks": [{"metadata": {"name": "a"}, "runs": runs}], "metadata": {"loops": 1}})


def test_a_deviation_that_pyperf_calls_unstable_is_told() -> None:
    assert "modes" in said(read(pyperf([1.0, 1.3, 1.1, 1.5, 1.2, 1.4])))
    assert "modes" not in said(read(pyperf([1.0, 1.03, 1.01, 1.05, 1.02, 1.04])))
