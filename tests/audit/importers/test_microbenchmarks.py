"""JMH, Criterion and pytest-benchmark: what their outputs tell, and what two of their lines contradict."""

from __future__ import annotations

import json

import pytest

from sectax.audit.figure import Quantity
from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import figures, read, sample
from tests.audit.importers.test_load_clients import said

JMH = sample("jmh.txt")
CRITERION = sample("criterion.txt")
TABLE = "Benchmark  (size)  Mode  Cnt  Score   Error  Units\n"


def test_jmh_tells_iterations_by_fork() -> None:
    one = figures(JMH)["org.example.Sums.sha256 (size=1024) avgt: us/op"]

    assert one.values[:2] == pytest.approx((0.850e-6, 0.894e-6))
    assert one.circumstances.per_replicate == (4, 4)
    assert one.circumstances.warm_up_trials == 2
    assert one.levels["size"] == "1024"


def test_jmh_text_and_json_tell_the_same() -> None:
    text, written = figures(JMH), figures(sample("jmh.json"))

    assert text.keys() == written.keys()
    for name, figure in text.items():
        # Three digits after the point are printed.
        assert figure.values == pytest.approx(written[name].values, abs=5.1e-10)


def test_jmh_names_a_score_that_is_not_of_its_iterations() -> None:
    assert "F contradiction" in said(read(JMH.replace("8   0.859 ±", "8   1.859 ±")))
    assert "F contradiction" not in said(read(JMH))


@pytest.mark.parametrize(
    ("row", "seconds"),
    [
        ("Sums.a  1024  avgt  5  12,345 ± 0,100  ns/op", 12.345e-9),
        ("Sums.a  1024  avgt  5  12.345 \ufffd 0.100  ns/op", 12.345e-9),
        ("Sums.a  1024  avgt  5  12.345 ?  0.100  ns/op", 12.345e-9),
        ("Sums.a  1024  avgt     12.345           ns/op", 12.345e-9),
        ("Sums.a  1024  avgt  5  ≈ 10⁻³            s/op", 1e-3),
    ],
)
def test_jmh_rows_are_read_in_any_locale(row: str, seconds: float) -> None:
    (one,) = read(f"{TABLE}{row}\n").figures

    assert one.value == pytest.approx(seconds)
    assert one.trials == (5 if "avgt  5" in row else 1)


def test_jmh_under_sbt_is_read() -> None:
    assert figures("".join(f"[info] {line}\n" for line in JMH.splitlines())).keys() == figures(JMH).keys()


BOTH_WAYS = "Sums.a  1024  thrpt  5  {} ± 0.100  ops/us\nSums.a  1024  avgt  5  {} ± 0.001  us/op\n"


@pytest.mark.parametrize(
    ("rate", "time", "contradicts"),
    [
        (2.1, 0.5, False),
        # Four threads.
        (8.1, 0.5, False),
        # No number of threads makes fewer operations than one.
        (0.21, 0.5, True),
    ],
)
def test_jmhs_throughput_and_time_of_one_benchmark_are_held_against_each_other(
    rate: float, time: float, contradicts: bool
) -> None:
    assert ("F contradiction" in said(read(TABLE + BOTH_WAYS.format(rate, time)))) is contradicts


def test_jmhs_json_tells_how_many_threads_a_throughput_is_of() -> None:
    def file(threads: int) -> str:
        metrics = {"thrpt": (8e6, "ops/s"), "avgt": (5e-7, "s/op")}
        return json.dumps(
            [
                {
                    "benchmark": "a.b",
                    "mode": mode,
                    "threads": threads,
                    "primaryMetric": {"score": score, "scoreUnit": unit, "rawData": [[score, score]]},
                }
                for mode, (score, unit) in metrics.items()
            ]
        )

    assert "F contradiction" in said(read(file(1)))
    assert "F contradiction" not in said(read(file(4)))


def test_jmh_rates_are_operations_a_second() -> None:
    (one,) = read(f"{TABLE}Sums.a  1024  thrpt  25  9.465 ± 0.100  ops/ms\n").figures

    assert one.quantity is Quantity.RATE
    assert one.value == pytest.approx(9465)


def test_jmh_words_of_failure_and_warning_are_repeated() -> None:
    failed = said(read("<failure>\n" + JMH))
    unforked = said(read("# *** WARNING: Non-forked runs may silently omit JVM options ***\n" + JMH))

    assert "F said-by-the-tool" in failed
    assert "W said-by-the-tool" in unforked
    assert "W said-by-the-tool" not in said(read(JMH))


def test_an_error_as_wide_as_the_score_is_said() -> None:
    assert "W modes" in said(read(f"{TABLE}Sums.a  1  avgt  3  9.0 ± 8.0  ns/op\n"))
    assert "W modes" not in said(read(f"{TABLE}Sums.a  1  avgt  3  9.0 ± 1.0  ns/op\n"))


def test_a_power_of_ten_has_no_digits() -> None:
    assert "W timer" in said(read(f"{TABLE}Sums.a  1  avgt  5  ≈ 10⁻⁴  s/op\n"))


def test_jmh_json_of_what_was_not_measured_is_fatal() -> None:
    results = json.loads(sample("jmh.json"))
    results[0]["primaryMetric"]["score"] = "NaN"

    assert "F said-by-the-tool" in said(read(json.dumps(results)))


def test_jmh_json_with_text_among_its_values_is_refused() -> None:
    results = json.loads(sample("jmh.json"))
    results[1]["primaryMetric"]["rawData"][0][1] = "NaN"

    with pytest.raises(BadInput, match=r"\[1\]\.primaryMetric is NaN"):
        read(json.dumps(results))


def test_criterion_tells_time_bytes_and_samples() -> None:
    read_ = figures(CRITERION)
    one = read_["sum/wrapping/1024"]

    assert one.value == pytest.approx(1.0706e-6)
    assert one.trials == 30
    assert one.circumstances.size_bytes == pytest.approx(1024, rel=0.01)
    assert read_["a function with a name that is longer than its column"].value == pytest.approx(1.4555e-9)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1.0670 µs 1.0706 µs 1.0733 µs]", "[1.0670 µs 1.1706 µs 1.0733 µs]"),
        ("[1.0670 µs 1.0706 µs 1.0733 µs]", "[1.0720 µs 1.0706 µs 1.0733 µs]"),
        ("912.17 MiB/s", "91.217 MiB/s"),
    ],
)
def test_criterion_numbers_that_contradict_each_other_are_named(old: str, new: str) -> None:
    assert "F contradiction" in said(read(CRITERION.replace(old, new)))
    assert "F contradiction" not in said(read(CRITERION))


def test_a_benchmark_of_criterion_without_a_time_is_named() -> None:
    steps = "Benchmarking {0}\nBenchmarking {0}: Warming up for 3.0000 s\nBenchmarking {0}: Analyzing\n"
    begun = f"{CRITERION}{steps.format('sum/lost')}"
    done = f"{steps.format('sum/kept')}sum/kept   time:   [1.0 ns 1.1 ns 1.2 ns]\n{CRITERION}"

    assert ["sum/lost has no time" in incident.saw for incident in read(begun).incidents] == [True]
    assert not read(done).incidents


def test_criterion_behind_a_carriage_return_is_read() -> None:
    text = "Benchmarking a: Analyzing\r\x1b[Ka                       time:   [1.0 ns 1.1 ns 1.2 ns]\n"

    assert next(iter(read(text).figures)).value == pytest.approx(1.1e-9)


def test_criterion_words_are_repeated() -> None:
    short = "Warning: Unable to complete 100 samples in 5.0s. You may wish to increase target time to 6.0s.\n"
    panic = "thread 'main' panicked at benches/sums.rs:3:1:\n"

    assert "W said-by-the-tool" in said(read(short + CRITERION))
    assert "F said-by-the-tool" in said(read(CRITERION + panic))


def test_rusts_own_harness_is_read() -> None:
    (one,) = read("running 1 test\ntest bench_sum ... bench:       1,234 ns/iter (+/- 56) = 829 MB/s\n").figures

    assert one.value == pytest.approx(1234e-9)
    assert one.circumstances.size_bytes == pytest.approx(1020, rel=0.01)


def test_pytest_benchmark_tells_rounds_levels_and_runtime() -> None:
    (one, *_) = read(sample("pytest-benchmark-data.json")).figures

    assert len(one.values) == one.trials == 181
    assert one.levels["size"] == "1024"
    assert one.circumstances.runtime == "CPython 3.11.7"
    assert one.circumstances.replicates == 1


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("mean", 1e-3), ("median", 1.0), ("total", 7.0), ("ops", 3.0), ("rounds", 180), ("max", 1e-9)],
)
def test_pytest_benchmark_statistics_that_are_not_of_its_values_are_named(statistic: str, value: float) -> None:
    document = json.loads(sample("pytest-benchmark-data.json"))
    document["benchmarks"][0]["stats"][statistic] = value

    assert "F contradiction" in said(read(json.dumps(document)))
    assert "F contradiction" not in said(read(sample("pytest-benchmark-data.json")))


def test_pytest_benchmark_quartiles_must_rise() -> None:
    document = json.loads(sample("pytest-benchmark.json"))
    document["benchmarks"][0]["stats"]["q1"] = 0.12345

    assert "F contradiction" in said(read(json.dumps(document)))


def test_a_negative_time_in_json_is_refused_with_its_path() -> None:
    document = json.loads(sample("pytest-benchmark.json"))
    document["benchmarks"][1]["stats"]["min"] = -1.0

    with pytest.raises(BadInput, match=r"benchmarks\[1\]\.stats\.min"):
        read(json.dumps(document))
