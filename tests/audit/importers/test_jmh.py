"""What logs, tables and JSON of JMH tell in passing: each with one in which the same is well."""

from __future__ import annotations

import json

import pytest

from sectax.formats.bad_input import BadInput
from tests.audit.importers.said import said
from tests.audit.importers.samples import read, sample

JMH = sample("jmh.txt")
HEAD = "Benchmark  (n)  Mode  Cnt  Score  Error  Units\n"
RESULT = 'Result "a.B.c":\n  {} s/op\n'


@pytest.mark.parametrize(
    ("row", "check"),
    [
        ("A.get  1  avgt  10  8.655 ± 3.612  s/op", "modes"),
        ("A.get  1  avgt  10  8.655 ± 0.612  s/op", ""),
        ("A.get  1  avgt  10  0.004 ± 0.001  s/op", "timer"),
        ("A.get  1  avgt  10  0.040 ± 0.002  s/op", ""),
        ("A.get  1  avgt  10  8.655 ± 0.612  ops/s", "contradiction"),
        ("A.get  1  thrpt  10  8.655 ± 0.612  s/op", "contradiction"),
        ("A.get  1  thrpt  10  8.655 ± 0.612  ops/s", ""),
        ("A.get:gc.alloc.rate  1  thrpt  10  8.655 ± 0.612  MB/sec", ""),
        ("A.get  1  avgt  2  8.655 ± 0.612  s/op", "contradiction"),
    ],
)
def test_a_row_tells_what_it_is_worth(row: str, check: str) -> None:
    words = said(read(f"{HEAD}{row}\n"))

    assert {each for each in words if each in ("modes", "timer", "contradiction")} == ({check} if check else set())


@pytest.mark.parametrize(("other", "told"), [("avgt  5  2.0", True), ("avgt  10  2.0", False)])
def test_parameters_of_one_benchmark_have_one_number_of_iterations(other: str, told: bool) -> None:
    table = f"{HEAD}A.get  1  avgt  10  1.0 ± 0.1  s/op\nA.get  2  {other} ± 0.1  s/op\n"

    assert ("contradiction" in said(read(table))) is told


@pytest.mark.parametrize("words", ["Canceling execution...", "Run canceled.", "<failed to invoke the VM, caught X>"])
def test_a_run_that_was_cancelled_cannot_stand(words: str) -> None:
    assert said(read(f"{JMH}{words}\n"))["said-by-the-tool"][0] == "F"
    assert "said-by-the-tool" not in said(read(JMH))


def test_results_of_one_line_are_read() -> None:
    (one,) = read(RESULT.format("12.5"), "jmh").figures

    assert (one.value, one.levels["mode"]) == (12.5, "avgt")


@pytest.mark.parametrize(("end", "told"), [("02:00:40", True), ("02:04:10", False)])
def test_a_score_is_held_against_the_clock_beside_it(end: str, told: bool) -> None:
    log = f"2026-01-01 02:00:00 begun\n2026-01-01 {end} done\n{RESULT.format('245.0')}"

    assert ("contradiction" in said(read(log, "jmh"))) is told


@pytest.mark.parametrize(("total", "told"), [("00:00:03", True), ("00:00:21", False), ("1+00:00:00", False)])
def test_a_run_lasts_as_long_as_its_iterations(total: str, told: bool) -> None:
    table = f"# Run complete. Total time: {total}\n\n{HEAD}A.get  1  ss  10  2.0 ± 0.1  s/op\n"

    assert ("contradiction" in said(read(table))) is told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stdev = 0.031", "stdev = 0.131"),
        ("CI (99.9%): [0.801, 0.917]", "CI (99.9%): [0.501, 0.617]"),
        ("Iteration   2: 0.894 us/op\n", ""),
        ("0.859 ±(99.9%) 0.058 us/op [Average]", "0.959 ±(99.9%) 0.058 us/op [Average]"),
    ],
)
def test_a_result_that_is_not_of_its_iterations_is_told(old: str, new: str) -> None:
    assert old in JMH
    assert "contradiction" in said(read(JMH.replace(old, new, 1)))
    assert "contradiction" not in said(read(JMH))


def test_the_end_of_a_log_alone_contradicts_nothing() -> None:
    """The first iterations were not copied, and the numbers at the end are of them too."""
    tail = JMH[JMH.index("Iteration   3") : JMH.index("# JMH version", 100)]

    assert "contradiction" not in said(read(tail, "jmh"))


def test_iterations_of_warm_up_forks_do_not_count() -> None:
    fork = "# Fork: 1 of 2\n"
    warmed = JMH.replace(fork, f"# Warmup Fork: 1 of 1\nIteration   1: 9.850 us/op\n{fork}", 1)

    assert [figure.values for figure in read(warmed).figures] == [figure.values for figure in read(JMH).figures]


def test_powers_of_ten_are_read_and_told() -> None:
    log = "# Benchmark mode: Sampling time\n# Benchmark: a.B.c\nIteration   1: ≈ 10⁻⁸ s/op\n"
    (one,) = read(log, "jmh").figures

    assert one.value == 1e-8
    assert "timer" in said(read(log, "jmh"))


@pytest.mark.parametrize("copied", [lambda text: text[1:-1], lambda text: f"{text[1:-1]},\n"])
def test_results_that_were_copied_out_of_their_json_are_read(copied) -> None:  # type: ignore[no-untyped-def]
    whole = json.dumps(json.loads(sample("jmh.json")), indent=1)

    assert read(copied(whole)).figures == read(whole).figures


@pytest.mark.parametrize(
    ("options", "told"), [("-Xint", True), ("-ea -Xmx1g", True), ("-Xmx1g -javaagent:/x/idea_rt.jar=8493:x", False)]
)
def test_options_that_slow_the_jvm_down_are_told(options: str, told: bool) -> None:
    log = JMH.replace("# Warmup:", f"# VM options: {options}\n# Warmup:")

    assert ("said-by-the-tool" in said(read(log))) is told


def test_a_power_of_ten_contradicts_no_throughput() -> None:
    rows = "A.get  1  thrpt  5  2900000.0 ± 9.0  ops/s\nA.get  1  avgt  5  {}/op\n"

    assert "contradiction" not in said(read(HEAD + rows.format("≈ 10⁻⁷  s")))
    assert "contradiction" in said(read(HEAD + rows.format("0.100 ± 0.001  us")))


def test_quantiles_of_two_tables_are_of_two_runs() -> None:
    rows = "".join(f"A.get:get·p{share}  1  sample  {{}}  ms/op\n" for share in ("0.50", "0.99"))
    tables = f"{HEAD}{rows.format('0.865', '1.460')}\n{HEAD}{rows.format('0.700', '1.070')}"

    assert "contradiction" not in said(read(tables))
    assert "contradiction" in said(read(HEAD + rows.format("1.460", "0.865")))


def test_an_error_without_a_sign_is_no_score() -> None:
    table = "Benchmark  Mode  Cnt  Score  Error  Units\n=====\ndirect  avgt  5  0,620  0,050  us/op\n"

    assert [figure.value for figure in read(table).figures] == [pytest.approx(0.62e-6)]


def test_a_log_that_ends_in_its_first_warm_up_measured_nothing() -> None:
    with pytest.raises(BadInput, match=r"nothing was measured.*cut short"):
        read(JMH[: JMH.index("# Warmup Iteration   2")])
