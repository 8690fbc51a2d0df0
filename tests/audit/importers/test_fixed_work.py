"""Figures that are not of the work that they are printed for: each beside a healthy twin."""

from __future__ import annotations

import json

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read, sample


def counted(*lines: tuple[str, int, float, int]) -> str:
    return "".join(
        f"Benchmark{name}-8   {count}  {time} ns/op  {size} B/op  9 allocs/op\n" for name, count, time, size in lines
    )


def grave(text: str) -> set[str]:
    """The checks that call something fatal."""
    return {check for check, (severity, _) in said(read(text)).items() if severity == "F"}


def test_a_time_that_falls_as_the_iterations_rise_is_of_something_done_once() -> None:
    once = (
        ("Make", 100, 2_504_531.0, 4_800_368),
        ("Make", 1000, 245_444.0, 480_259),
        ("Make", 10_000, 23_921.0, 48_342),
    )
    steady = (("Walk", 100, 952_142.0, 64), ("Walk", 1000, 1_040_909.0, 64), ("Walk", 10_000, 1_045_292.0, 64))

    assert "contradiction" in grave(counted(*once))
    assert "contradiction" in grave(counted(*((name, count, time, 64) for name, count, time, _ in once), *steady))
    assert "contradiction" not in grave(counted(*steady))
    # A second, which -benchtime asks for, before the code was made faster and after it.
    assert "contradiction" not in grave(counted(("Make", 1000, 1_000_000.0, 4800), ("Make", 10_000, 100_000.0, 4800)))


@pytest.mark.parametrize(("seconds", "severity"), [(40, "F"), (110, "W"), (130, "")])
def test_benchmarks_that_last_longer_than_their_package(seconds: int, severity: str) -> None:
    lines = "".join(f"Benchmark{name}-8   1000000000  40 ns/op\n" for name in "ABC")
    found = said(read(f"goos: linux\npkg: example\n{lines}PASS\nok  \texample\t{seconds}s\n"))

    assert found.get("contradiction", ("",))[0] == severity


def test_lines_of_several_packages_above_one_end_are_not_called_fatal() -> None:
    head = "goos: linux\npkg: example\nBenchmarkA-8   1000000000  40 ns/op\n"

    assert "contradiction" not in grave(f"{head}{head.replace('A-8', 'B-8')}PASS\nok  \texample\t41s\n")


def rounds(mean: float, deviation: float) -> str:
    told = {"min": 19.3, "max": 145.3, "mean": mean, "median": 21.2, "stddev": deviation, "rounds": 46, "iterations": 1}
    return json.dumps({"machine_info": {}, "benchmarks": [{"name": "test_a", "stats": told}]})


def test_a_mean_that_few_rounds_of_pytest_make() -> None:
    assert said(read(rounds(26.2, 19.1)))["modes"][0] == "W"
    assert "modes" not in said(read(rounds(22.0, 18.5)))


def group(unit: str) -> str:
    rows = (
        ("1K", "8.0000 ms", "3.0000 Melem/s"),
        ("10K", "97.000 ms", "2.4742 Melem/s"),
        ("100K", "1.0000 s", f"2.4000 {unit}"),
    )
    return "".join(
        f"build/all/{name}\n    time:   [{time} {time} {time}]\n    thrpt:  [{speed} {speed} {speed}]\n"
        for name, time, speed in rows
    )


def test_a_throughput_of_criterion_in_another_unit_than_those_of_its_group() -> None:
    assert "contradiction" in grave(group("Kelem/s"))
    assert "contradiction" not in grave(group("Melem/s"))


@pytest.mark.parametrize(
    ("change", "severity"), [("+334478%", "F"), ("+1500.2%", "W"), ("-98.871%", "W"), ("-45.2%", "")]
)
def test_a_change_of_criterion_that_no_program_shows(change: str, severity: str) -> None:
    text = f"q1  time:   [1.0 ms 1.1 ms 1.2 ms]\n    change: [{change} {change} {change}] (p = 0.00 < 0.05)\n"

    assert said(read(text)).get("apples-and-oranges", ("",))[0] == severity


def test_processes_of_pyperf_from_another_machine_are_apples_and_oranges() -> None:
    suite = json.loads(sample("pyperf.json"))
    assert "apples-and-oranges" not in grave(json.dumps(suite))

    for run in suite["benchmarks"][0]["runs"][6:]:
        run["metadata"]["hostname"] = "another"

    assert "apples-and-oranges" in grave(json.dumps(suite))


def sampled(*means: int) -> str:
    head = "# JMH 1.11\n# Warmup: 5 iterations, 1 s each\n# Measurement: 5 iterations, 1 s each\n"
    head += "# Benchmark mode: Sampling time\n# Benchmark: a.B.c\n\n# Fork: 1 of 1\n"
    lines = (
        f"Iteration   {at}: n = 10, mean = {mean} ns/op, p{{0.00, 0.50}} = 1, 2 ns/op\n"
        for at, mean in enumerate(means, 1)
    )
    return f'{head}{"".join(lines)}\n\nResult "c":\n  {sum(means) // len(means)}.000 ±(99.9%) 10.000 ns/op [Average]\n'


def test_means_of_jmh_that_fall_throughout_are_still_warming_up() -> None:
    assert "fall" in said(read(sampled(126861312, 108698010, 95646813, 92429591, 93263686)))["first-trial"][1]
    assert "first-trial" not in said(read(sampled(93263686, 95646813, 94698010, 92429591, 96861312)))
    times = {"results": [{"command": "run", "times": [1.2686, 1.0870, 0.9565, 0.9243, 0.9326]}]}
    assert said(read(json.dumps(times)))["first-trial"][0] == "W"


def sizes(name: str, times: tuple[int, int, int], memory: tuple[int, int, int]) -> str:
    return counted(*((f"{name}/{10**at}_sql", 10, times[at - 1], memory[at - 1]) for at in (1, 2, 3)))


def test_a_label_that_reaches_no_work_beside_one_that_does() -> None:
    flat = (102_671_833, 100_782_658, 99_930_403)
    rising = sizes("FillAndDrop", (1_056_338, 12_106_542, 128_712_115), (120_723, 1_302_883, 12_850_592))

    assert "flat-with-size" in grave(rising + sizes("Fill", flat, (12_442_376, 12_424_219, 12_413_278)))
    assert said(read(rising + sizes("Fill", flat, (90, 90, 90))))["flat-with-size"][0] == "W"
    # A step that needs no longer in a larger structure.
    assert "flat-with-size" not in said(read(rising + sizes("Step", (1000, 1010, 1005), (90, 90, 90))))
