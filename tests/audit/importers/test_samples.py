"""Real outputs become figures: the right numbers in base units, and nothing that they do not tell."""

from __future__ import annotations

import math
import re

import pytest

from sectax.audit.figure import Cold, EndsBy, Moves, Quantity
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.registry import choose
from tests.audit.importers.expected_samples import expected, said
from tests.audit.importers.samples import FILES, figures, read, sample

KINDS = {
    "gobench": "go-bench",
    "table": "csv",
    "openssl": "openssl-speed",
    "warp": "warp",
    "wrk2": "wrk",
    "oha": "hey",
    "pytest": "pytest-benchmark",
}


@pytest.mark.parametrize("name", FILES)
def test_a_sample_is_recognised_as_what_its_name_says(name: str) -> None:
    first = re.split(r"[.-]", name, maxsplit=1)[0]

    assert choose(sample(name), None, Columns()).name == KINDS.get(first, first)


@pytest.mark.parametrize("name", FILES)
def test_figures_of_a_sample_are_finite_in_base_units_and_have_unique_ids(name: str) -> None:
    evidence = read(sample(name))

    assert not evidence.own
    assert len({figure.id for figure in evidence.figures}) == len(evidence.figures) > 0
    for figure in evidence.figures:
        told = [*figure.values, *([] if figure.value is None else [figure.value])]
        assert told
        assert all(math.isfinite(value) and value >= 0 for value in told)
        assert figure.unit in ("s", "operations/s", "bytes/s", "bytes", "1")
        assert not figure.values or figure.trials == len(figure.values)


@pytest.mark.parametrize("name", FILES)
def test_every_check_says_of_a_sample_what_is_expected_and_no_more(name: str) -> None:
    assert said(name) == expected()[name]


def test_only_samples_that_there_are_are_expected() -> None:
    assert sorted(expected()) == FILES


def test_sysbench_tells_total_rate_latencies_and_events() -> None:
    read_ = figures(sample("sysbench-cpu.txt"))

    assert read_["cpu: total time"].value == 0.4584
    assert read_["cpu: total time"].quantity is Quantity.TOTAL_TIME
    assert read_["cpu: events per second"].value == 4357.98
    assert read_["cpu: latency max"].value == pytest.approx(6.52e-3)
    assert read_["cpu: latency p95"].statistic == "p95"
    assert read_["cpu: latency avg"].trials == 2000
    # It had --events and --time=0, but prints neither.
    assert read_["cpu: total time"].circumstances.ends_by is None


@pytest.mark.parametrize("name", ["sysbench-memory.txt", "sysbench-fileio.txt"])
def test_sysbench_that_did_not_reach_its_limit_ended_by_the_clock(name: str) -> None:
    total = next(each for each in read(sample(name)).figures if each.metric == "total time")

    assert total.circumstances.ends_by is EndsBy.TIME
    assert total.circumstances.configured_s is None


def test_sysbench_bandwidth_is_in_bytes() -> None:
    assert figures(sample("sysbench-memory.txt"))["memory: transferred"].value == 6965.38 * 2**20


def test_outputs_of_sysbench_that_follow_each_other_are_runs_of_their_own() -> None:
    assert {each.levels["test"] for each in read(sample("sysbench-three.txt")).figures} == {"cpu", "memory", "fileio"}
    assert {each.levels["run"] for each in read(sample("sysbench-twice.txt")).figures} == {"1", "2"}


def test_sysbench_0_4_is_read_and_its_time_limit_seen() -> None:
    read_ = figures(sample("sysbench-0.4.txt"))

    assert read_["cpu: latency avg"].value == pytest.approx(3.38e-3)
    assert read_["cpu: total time"].circumstances.ends_by is None
    assert read_["memory: total time"].circumstances.ends_by is EndsBy.TIME
    assert read_["memory: operations per second"].value == 2112302.55


def test_sysbench_tests_that_print_no_name_do_not_share_a_table() -> None:
    both = sample("sysbench-threads.txt") + sample("sysbench-mutex.txt")

    totals = [each for each in read(both).figures if each.metric == "total time"]

    assert len({each.table for each in totals}) == 2


def test_openssl_tells_rates_with_key_bits_and_version() -> None:
    read_ = figures(sample("openssl-signatures.txt"))

    assert [each.value for each in read_.values()] == [4102.0, 61460.0, 52096.9, 16756.6, 27614.1, 9899.0]
    verify = read_["256 bits ecdsa (nistp256), verify"]
    assert (verify.quantity, verify.circumstances.key_bits) == (Quantity.RATE, 256)
    assert verify.circumstances.library == "OpenSSL 3.0.19"


def test_openssl_throughput_has_its_sizes_and_moves_a_body() -> None:
    read_ = figures(sample("openssl-aes.txt"))

    assert read_["AES-128-GCM, 16384 bytes"].value == 4504640130.0
    assert read_["AES-128-GCM, 16384 bytes"].circumstances.size_bytes == 16384
    assert read_["AES-128-GCM, 16384 bytes"].circumstances.moves is Moves.BODY


def test_openssl_machine_readable_lines_say_the_same_as_tables() -> None:
    assert figures(sample("openssl-sha256-mr.txt"))["sha256, 64 bytes"].value == 418185373.74
    assert figures(sample("openssl-signatures-mr.txt"))["256 bits ecdsa, sign"].value == 51865.656566


def test_openssl_with_multi_prints_sizes_in_the_lines_of_its_processes_alone() -> None:
    sizes = [each.circumstances.size_bytes for each in read(sample("openssl-multi.txt")).figures]
    bare = "\n".join(line for line in sample("openssl-multi.txt").split("\n") if "+H" not in line)

    assert sizes == [16, 64, 256, 1024, 8192, 16384]
    assert all(each.circumstances.size_bytes is None for each in read(bare).figures)


def test_openssl_agreement_has_one_rate_a_row() -> None:
    assert figures(sample("openssl-agreement.txt"))["2048 bits ffdh, op"].value == 3585.0


@pytest.mark.parametrize("name", ["lambda.txt", "lambda-cloudwatch.txt"])
def test_lambda_keeps_cold_starts_apart(name: str) -> None:
    read_ = figures(sample(name))

    cold, warm = read_["duration: 512 MB, cold"], read_["duration: 512 MB, warm"]
    assert (cold.trials, warm.trials) == (2, 10)
    assert (cold.circumstances.cold, warm.circumstances.cold) == (Cold.ONLY, Cold.APART)
    assert min(cold.values) > max(warm.values)
    assert read_["max memory used: 512 MB, warm"].values[0] == 68 * 2**20


def test_lambda_tells_timeouts_tracing_and_instances_only_where_they_are_told() -> None:
    plain = figures(sample("lambda.txt"))["duration: 512 MB, warm"].circumstances
    streams = figures(sample("lambda-cloudwatch.txt"))["duration: 512 MB, warm"].circumstances

    assert (plain.errors, plain.replicates) == (1.0, None)
    assert (streams.errors, streams.replicates, streams.replicate) == (None, 2, "instance")


def test_hyperfine_tells_single_times_and_not_which_command_is_the_baseline() -> None:
    evidence = read(sample("hyperfine.json"))

    plain = evidence.figures[0]
    assert plain.values[0] == 0.0023146990000000004
    assert plain.value == pytest.approx(sum(plain.values) / 12)
    assert evidence.contrast is not None
    assert (evidence.contrast.factor, evidence.contrast.baseline) == ("command", None)
    assert not evidence.contrast.told


def test_hyperfine_parameters_are_levels() -> None:
    assert [each.levels["n"] for each in read(sample("hyperfine-parameters.json")).figures] == ["10", "1000"]


def test_pyperf_tells_warm_ups_processes_and_the_timer() -> None:
    plain, hmac = read(sample("pyperf-suite.json")).figures

    assert (plain.id, hmac.id) == ("plain", "hmac")
    assert (len(plain.values), plain.circumstances.replicates, plain.circumstances.cold) == (20, 10, Cold.APART)
    assert plain.circumstances.granularity_s == pytest.approx(1e-9)
    assert plain.circumstances.batch == 131072


def test_go_counts_are_values_and_names_are_levels() -> None:
    evidence = read(sample("gobench.txt"))

    read_ = {each.id: each for each in evidence.figures}
    time = read_["Sum/hash=hmac/size=16KiB-2: ns/op"]
    assert list(time.values) == pytest.approx([11049e-9, 9787e-9, 9824e-9, 9818e-9])
    assert time.levels == {"name": "Sum", "hash": "hmac", "size": "16KiB", "procs": "2"}
    assert time.circumstances.batch == 2391
    assert read_["Sum/hash=hmac/size=16KiB-2: keys/op"].quantity is Quantity.OTHER
    assert evidence.contrast is not None
    assert not evidence.contrast.told


def test_warp_tells_sizes_requests_and_that_stat_moves_metadata() -> None:
    read_ = figures(sample("warp.txt"))

    assert read_["GET: bandwidth"].value == 94.80 * 2**20
    assert read_["GET: time, p99"].value == 1.206
    assert read_["GET: time, mean"].circumstances.size_bytes == 2**20
    assert read_["STAT: rate"].value == 71.10
    assert read_["STAT: rate"].circumstances.moves is Moves.METADATA
    assert "STAT: bandwidth" not in read_


def test_old_warp_is_read_and_its_hosts_are_not_taken_for_the_whole() -> None:
    read_ = figures(sample("warp-2019.txt"))

    assert read_["GET: rate"].value == 6440.36
    assert read_["GET: time, max"].value == pytest.approx(0.504)


def test_wrk_tells_latencies_errors_and_its_configured_time() -> None:
    good, bad = read(sample("wrk.txt")).figures, read(sample("wrk-errors.txt")).figures

    assert {each.statistic for each in good} == {"mean", "max", "median", "p75", "p90", "p99", "rate"}
    assert good[0].value == pytest.approx(813.78e-6)
    assert (good[0].circumstances.configured_s, good[0].circumstances.ends_by) == (2.0, EndsBy.TIME)
    assert (good[0].circumstances.errors, bad[0].circumstances.errors) == (0.0, 2805.0)


def test_wrk2_is_read() -> None:
    read_ = {each.statistic: each for each in read(sample("wrk2.txt")).figures if each.unit == "s"}

    assert read_["p99.99"].value == pytest.approx(7.89e-3)
    assert read_["max"].value == pytest.approx(12.92e-3)  # of the thread statistics, which come first


def test_csv_header_says_what_the_command_line_may_say() -> None:
    evidence = read(sample("table.csv"))

    assert [each.id for each in evidence.figures][:2] == ["elapsed: none, 1KiB", "elapsed: none, 1MiB"]
    assert evidence.figures[0].circumstances.replicates == 3
    assert evidence.contrast is not None
    assert (evidence.contrast.factor, evidence.contrast.baseline) == ("algorithm", "none")


def test_command_line_goes_before_the_header_of_a_csv() -> None:
    evidence = read(sample("table.csv"), columns=Columns(unit="s", by=("size",)).over(Columns(baseline="1KiB")))

    assert [each.id for each in evidence.figures] == ["elapsed: 1KiB", "elapsed: 1MiB"]
    assert evidence.figures[0].values[0] > 0.9
