"""Outputs of go test and cargo bench in which some lines are no results: the others are read, and these are said."""

from __future__ import annotations

import pytest

from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import read
from tests.audit.importers.test_load_clients import said

HEAD = "goos: linux\ngoarch: amd64\npkg: example\ncpu: A fast one\n"
WHOLE = "BenchmarkA-8   1000  1500 ns/op\nBenchmarkB-8   1000  2500 ns/op\n"


def names(text: str) -> list[str]:
    return [figure.levels["name"] for figure in read(text).figures if figure.metric == "ns/op"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("BenchmarkC-8   1000  3500 ns/op   48", ["C"]),
        ("BenchmarkC-8   1000  3500 ns/op   16 B/op  BenchmarkD-8  1000  4500 ns/op", ["C", "D"]),
        ("BenchmarkC-8   1000  3500 ns/op   1 allocs/opBenchmarkD-8  1000  4500 ns/op", ["C", "D"]),
        ("BenchmarkC-8   \t2026/01/01 12:00:00 a log line\n    1000  3500 ns/op", ["C"]),
        ("BenchmarkC-8   1000  -3500 ns/op", []),
        ("BenchmarkC-8   10003500 ns/op", []),
        ("BenchmarkC-8   1000  3x00 ns/op", []),
    ],
)
def test_a_line_of_go_that_is_no_result_takes_no_other_away(line: str, found: list[str]) -> None:
    assert names(f"{HEAD}{WHOLE}{line}\nPASS\n") == ["A", "B", *found]


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("BenchmarkC-8   1000  3500 ns/op   48", "W"),
        ("BenchmarkC-8   1000  3500 ns/op  BenchmarkD-8  1000  4500 ns/op", "W"),
        ("BenchmarkC-8   1000  -3500 ns/op", "F"),
        ("BenchmarkC-8   10003500 ns/op", "W"),
        ("BenchmarkC-8   1000  3500 ns/op", ""),
        ("Benchmark 3 times before you believe it", ""),
    ],
)
def test_a_line_of_go_that_is_not_read_is_said(line: str, severity: str) -> None:
    words = {each for each in said(read(f"{HEAD}{WHOLE}{line}\nPASS\n")) if each.endswith("said-by-the-tool")}

    assert words == ({f"{severity} said-by-the-tool"} if severity else set())


@pytest.mark.parametrize(("time", "contradicts"), [("6663179439", True), ("179439", False)])
def test_a_count_that_ran_into_its_time_contradicts_the_rate(time: str, contradicts: bool) -> None:
    text = f"{HEAD}{WHOLE}BenchmarkBool/len_65536-64  {time} ns/op 365.23 MB/s\n"

    assert ("F contradiction" in said(read(text))) is contradicts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("testing: warning: no tests to run\nPASS\nok  \texample\t0.990s\n", "no tests to run"),
        ("testing: warning: no tests to run\nPASS\nBenchmark-8\t--- FAIL: Benchmark-8\n", "--- FAIL"),
        ("PASS\nok  \texample\t0.475s\n", "PASS"),
        ("testing: warning: no tests to run\nPASS\n", "no tests to run"),
        ("running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n", "0 measured"),
    ],
)
def test_where_nothing_was_measured_the_tool_is_heard(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"nothing was measured.*{words}"):
        read(text)


def test_packages_without_benchmarks_beside_others_are_no_fault() -> None:
    text = f"{HEAD}{WHOLE}PASS\nok  \texample\t2.0s\nPASS\nok  \tother\t0.1s [no tests to run]\n"

    assert not {each for each in said(read(text)) if each.endswith("said-by-the-tool")}


def test_an_emulated_processor_is_said() -> None:
    emulated = HEAD.replace("A fast one", "VirtualApple @ 2.50GHz")

    assert "W apples-and-oranges" in said(read(f"{emulated}{WHOLE}"))
    assert "W said-by-the-tool" not in said(read(f"{HEAD}{WHOLE}"))


@pytest.mark.parametrize(("other", "fatal"), [("arm64", True), ("amd64", False)])
def test_two_architectures_under_one_name_are_two_machines(other: str, fatal: bool) -> None:
    text = f"goos: linux\ngoarch: amd64\n{WHOLE}PASS\ngoos: linux\ngoarch: {other}\n{WHOLE}"

    assert ("F said-by-the-tool" in said(read(text))) is fatal


BENCHES = "test bench_a ... bench:      11,668 ns/iter (+/- 493)\ntest bench_b ... bench:  8,443 ns/iter (+/- 377)\n"


@pytest.mark.parametrize(("other", "warned"), [("aarch64", True), ("x86_64", False)])
def test_two_architectures_in_an_output_of_cargo_are_two_machines(other: str, warned: bool) -> None:
    text = f"amd64\n=====\n{BENCHES}\n{other}\n=====\n{BENCHES.replace('1', '4')}"

    words = said(read(text))

    assert ("W contradiction" in words) is warned
    assert not {each for each in words if each.startswith("F")}


CRITERION = """Benchmarking ring/5
ring/5                  time:   [486.40 ns 511.74 ns 539.35 ns]
Found 2 outliers among 100 measurements (2.00%)
  2 (2.00%) high mild
Benchmarking ring/10
ring/10                 time:   [84.006 µs 87.570 µs 91.190 µs]
Found 4 outliers among 100 measurements (4.00%)
  4 (4.00%) high mild
"""


@pytest.mark.parametrize("sign", ["µ", "┬╡", "Âµ", "\ufffd", "?", "??"])
def test_a_sign_of_micro_that_a_terminal_spoilt_is_read(sign: str) -> None:
    found = read(CRITERION.replace("µ", sign))

    assert [figure.value for figure in found.figures] == [pytest.approx(511.74e-9), pytest.approx(87.570e-6)]
    assert "F contradiction" not in said(found)


def test_outliers_of_a_benchmark_whose_time_is_lost_are_not_of_the_one_before() -> None:
    lost = CRITERION.replace("time:   [84.006 µs", "time:   [84.006").replace("  2 (2.00%)", "  1 (1.00%)", 1)
    whole = CRITERION.replace("time:   [84.006 µs", "time:   [84.006")

    assert "F contradiction" in said(read(lost))
    assert "F contradiction" not in said(read(whole))
