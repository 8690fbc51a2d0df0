"""Reports of single seconds, clusters of times and runs that repeat each other: each beside a healthy twin."""

from __future__ import annotations

import math
import random

import pytest

from sectax.audit.importers.clusters import of_histogram, of_quantiles
from sectax.audit.importers.sysbench_reports import report
from sectax.audit.importers.unsteady import unsteady, waiting
from tests.audit.importers.said import said
from tests.audit.importers.samples import read

HEAD = "sysbench 1.0.20 (using system LuaJIT 2.1.0)\n\nRunning the test with following options:\n\nThreads started!\n\n"
SUMMARY = """SQL statistics:
    transactions:                        12000  (400.00 per sec.)

General statistics:
    total time:                          30.0010s
    total number of events:              12000

Latency (ms):
         min:                                    1.16
         avg:                                    2.49
         max:                                    9.68
         95th percentile:                        4.28
         sum:                                29880.00
"""


def noise(size: int, spread: float, alike: float, seed: int) -> list[float]:
    """Stationary log-normal values around 400 whose neighbours are correlated."""
    rng = random.Random(seed)
    state, values = rng.gauss(0, spread), []
    for _ in range(size):
        values.append(400 * math.exp(state))
        state = alike * state + rng.gauss(0, spread * math.sqrt(1 - alike**2))
    return values


def reports(rates: list[float], latencies: list[float] | None = None) -> str:
    took = latencies or [4.28] * len(rates)
    return "".join(
        f"[ {at}s ] thds: 4 tps: {rate:.2f} qps: {rate:.2f} (r/w/o: 0.00/{rate:.2f}/0.00) "
        f"lat (ms,95%): {late:.2f} err/s: 0.00 reconn/s: 0.00\n"
        for at, (rate, late) in enumerate(zip(rates, took, strict=True), 1)
    )


STEADY = noise(30, 0.1, 0.5, 7)
FALLING = [rate * (1 if at < 12 else 0.4) for at, rate in enumerate(STEADY)]
TWO_STATES = [rate * (0.01 if 12 <= at < 18 else 1) for at, rate in enumerate(STEADY)]
# A cache is full soon.
LATER = [rate * (1 if at < 8 else 0.5) for at, rate in enumerate(STEADY)]
# The first second is of a cold cache, and once there is a checkpoint.
ORDINARY = [rate * {0: 0.2, 17: 0.4}.get(at, 1) for at, rate in enumerate(STEADY)]


@pytest.mark.parametrize("end", [SUMMARY, ""])
@pytest.mark.parametrize(
    ("rates", "expected"),
    [(STEADY, set()), (ORDINARY, set()), (FALLING, {"drift"}), (LATER, {"drift"}), (TWO_STATES, {"modes"})],
)
def test_reports_of_seconds_tell_where_a_run_goes(rates: list[float], expected: set[str], end: str) -> None:
    found = said(read(HEAD + reports(rates) + end))

    assert found.keys() & {"drift", "modes"} == expected
    assert ("said-by-the-tool" in found) == (not end)


def test_reports_that_come_a_second_time_were_copied() -> None:
    assert said(read(HEAD + reports([*ORDINARY[:12], *ORDINARY[:12], *ORDINARY[12:]])))["copied-data"][0] == "F"
    assert "copied-data" not in said(read(HEAD + reports(ORDINARY)))


def test_reports_alone_are_figures() -> None:
    evidence = read(reports([100.0] * 20))

    assert [(figure.metric, figure.value) for figure in evidence.figures] == [
        ("events per second of the reports", pytest.approx(100))
    ]
    assert said(read(reports([100.0] * 20).replace("err/s: 0.00", "err/s 1.00")))["unequal-work"][0] == "F"
    assert "unequal-work" not in said(evidence)


def test_latencies_that_rise_with_the_clock_are_no_steady_state() -> None:
    clock = [10.0, 20.0, 30.0, 40.0]

    assert [each.check for each in waiting(clock, [8.6, 19.1, 27.8, 38.5])] == ["drift"]
    assert not list(waiting(clock, [2.6, 2.7, 2.5, 2.6]))


@pytest.mark.parametrize(
    ("line", "rate", "latency", "errors"),
    [
        ("[ 10s ] thds: 4 tps: 13.97 qps: 1.00 (r/w/o: 1/1/1) lat (ms,95%): 2.50 err/s: 1.00", 13.97, 2.5, 1),
        ("[  10s] threads: 4, tps: 13.97, reads: 1.00, response time: 2.50ms (95%), errors: 1.00", 13.97, 2.5, 1),
        ("[ 1s ] thds: 1 eps: 1000.00 lat (ms,95%): 1.02", 1000, 1.02, 0),
        ("[ 2s ] reads: 20.00 MiB/s writes: 13.00 MiB/s fsyncs: 42.00/s latency (ms,95%): 0.450", 33, 0.45, 0),
        ("[ 2s ] reads: 0.00 MB/s writes: 0.00 MB/s fsyncs: 42.00/s response time: 0.450ms (95%)", 42, 0.45, 0),
        ("[ 3s ] 9123.45 MiB/sec", 9123.45, None, 0),
    ],
)  # fmt: skip
def test_reports_of_every_test_and_version_are_read(
    line: str, rate: float, latency: float | None, errors: float
) -> None:
    found = report(1, line)

    assert found is not None
    assert found.rate == pytest.approx(rate)
    assert found.latency_s == (None if latency is None else pytest.approx(latency / 1000))
    assert found.errors == errors


def test_stationary_noise_is_left_alone() -> None:
    """By the size that is the hardest; rates and latencies may each be called unsteady in 1 of 400 runs."""
    wrong = sum(bool(list(unsteady("x", noise(12, 0.2, 0.5, seed)))) for seed in range(2000))

    assert wrong <= 10


AB_TAIL = {50: 45, 66: 55, 75: 64, 80: 71, 90: 96, 95: 130, 98: 600, 99: 1500}


@pytest.mark.parametrize(
    ("quantiles", "two"),
    [
        ({50: 205, 66: 205, 75: 206, 80: 206, 90: 1852, 95: 2258}, True),
        ({50: 45, 66: 55, 75: 86, 80: 240, 90: 1075, 95: 1103}, True),
        ({10: 3.8, 25: 4.7, 50: 6.0, 75: 17.8, 90: 20.2, 95: 21.2}, True),
        ({50: 45, 90: 1075, 95: 1100}, True),
        (AB_TAIL, False),
        # A log-normal of a deviation of 1.5 in logs, an exponential one, whole milliseconds, k6's few quantiles.
        ({share: math.exp(1.5 * z) for share, z in {50: 0, 75: 0.674, 90: 1.282, 95: 1.645}.items()}, False),
        ({share: -math.log(1 - share / 100) for share in (10, 25, 50, 75, 90, 95)}, False),
        ({50: 1, 66: 1, 75: 1, 80: 1, 90: 2, 95: 3}, False),
        ({50: 10, 90: 60, 95: 90}, False),
        # The last hundredth alone.
        ({50: 5, 75: 6, 90: 7, 99: 900}, False),
    ],
)
def test_a_step_between_quantiles_is_two_clusters(quantiles: dict[float, float], two: bool) -> None:
    in_seconds = {share: value / 1000 for share, value in quantiles.items()}

    step_s = 1e-3 if all(value == round(value) for value in quantiles.values()) else 1e-4

    assert bool(list(of_quantiles("of it", in_seconds, 1000, step_s))) == two
    # Of ten answers a quantile is chance.
    assert not list(of_quantiles("of it", in_seconds, 10, step_s))


@pytest.mark.parametrize(
    ("counts", "two"),
    [
        ([1, 26, 97, 26, 0, 0, 0, 1, 28, 13, 8], True),
        ([1, 26, 97, 60, 40, 20, 9, 5, 2, 1, 1], False),
        ([1, 180, 15, 0, 0, 0, 0, 1, 2, 1, 1], False),
    ],
)
def test_a_gap_in_a_histogram_is_two_clusters(counts: list[float], two: bool) -> None:
    assert bool(list(of_histogram("of it", [(at / 1000, count) for at, count in enumerate(counts)]))) == two


def wrk(rate: float, mean_ms: float, above: str = "", connections: int = 10) -> str:
    return (
        f"{above}\nRunning 10s test @ http://127.0.0.1:8080/\n  2 threads and {connections} connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        f"    Latency   {mean_ms:.2f}ms    1.00ms  {9 * mean_ms:.2f}ms   86.71%\n"
        f"  {10 * rate:.0f} requests in 10.00s, {rate / 100:.2f}MB read\n"
        f"Requests/sec:  {rate:.2f}\nTransfer/sec:      {rate / 1000:.2f}MB\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (wrk(1000, 9) + wrk(1010, 9) + wrk(990, 9), set()),
        (wrk(1000, 9) + wrk(1300, 7) + wrk(1600, 6), {"drift"}),
        (wrk(300, 30, "Run 1") + wrk(1000, 9, "Run 2") + wrk(1010, 9, "Run 3"), {"first-trial"}),
        (wrk(1000, 9) + wrk(2500, 4), {"modes"}),
        # Of something else, by the words above it, or by how it was asked.
        (wrk(1000, 9, "## node") + wrk(2500, 4, "## rust"), set()),
        (wrk(1000, 9) + wrk(2500, 4, connections=40), set()),
    ],
)
def test_runs_that_repeat_each_other_are_alike(text: str, expected: set[str]) -> None:
    assert said(read(text)).keys() & {"drift", "modes", "first-trial"} == expected


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [((100, 101, 99), set()), ((100, 130, 180), {"drift", "modes"}), ((100, 230, 110), {"modes"})],
)
def test_repeats_of_go_are_alike(nanoseconds: tuple[int, ...], expected: set[str]) -> None:
    rows = "".join(f"BenchmarkSum-2 \t 1000000 \t {each}.0 ns/op\n" for each in nanoseconds)
    text = f"goos: linux\ngoarch: amd64\npkg: x\n{rows}PASS\nok  \tx\t1.0s\n"

    assert said(read(text)).keys() & {"drift", "modes", "first-trial"} == expected


FOOTED = """Running 30s test @ http://127.0.0.1:8080/{path}
  1 threads and 1 connections
  Thread calibration: mean lat.: 1.003ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     {mean}ms   79.34ms   1.26s    98.79%
    Req/Sec     2.11k     1.11k   61.11k    98.58%
#[Mean    =      {footer}, StdDeviation   =       79.340]
#[Max     =     1260.416, Total count    =        {count}]
  59000 requests in 30.00s, 4.02MB read
Requests/sec:   1966.67
Transfer/sec:    137.22KB
"""


@pytest.mark.parametrize(
    ("text", "check"),
    [
        (FOOTED.format(path="", mean=8.86, footer=8.861, count=39000), None),
        (FOOTED.format(path="", mean=8.86, footer=133.544, count=39000), "contradiction"),
        (FOOTED.format(path="", mean=8.86, footer=8.861, count=99000), "contradiction"),
        (
            FOOTED.format(path="get", mean=8.86, footer=8.861, count=39000)
            + FOOTED.format(path="put", mean=8.86, footer=8.861, count=39000),
            "copied-data",
        ),
        (
            FOOTED.format(path="get", mean=8.86, footer=8.861, count=39000)
            + FOOTED.format(path="put", mean=8.91, footer=8.913, count=39001).replace("1966.67", "1960.12"),
            None,
        ),
    ],
)
def test_the_summary_of_wrk2s_histogram_is_that_of_its_table(text: str, check: str | None) -> None:
    found = {name for name, (severity, _) in said(read(text)).items() if severity == "F"}

    assert found & {"contradiction", "copied-data"} == ({check} if check else set())


@pytest.mark.parametrize(
    ("mean", "median", "severity"),
    [("32.00us", "31.00us", None), ("141.80ms", "17.00us", "F"), ("450.00us", "420.00us", "W")],
)
def test_a_mean_that_connections_leave_no_room_for(mean: str, median: str, severity: str | None) -> None:
    text = (
        "Running 100s test @ http://127.0.0.1:8080\n  1 threads and 1 connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        f"    Latency   {mean}  382.74us   1.94s    88.69%\n    Req/Sec    30.31k     6.35k   41.88k    90.24%\n"
        f"  Latency Distribution\n     50%   {median}\n     75%   {median}\n"
        "  3058235 requests in 1.67m, 195.49MB read\nRequests/sec:  30582.35\nTransfer/sec:      1.95MB\n"
    )

    assert said(read(text)).get("contradiction", (None, ""))[0] == severity


def test_checks_of_k6_beside_their_total() -> None:
    text = (
        "    ✗ is fast\n     ↳  50% — ✓ 872 / ✗ 858\n\n    checks...............: 50.40% ✓ 872 ✗ 858\n"
        "    iteration_duration...: avg=102.38ms min=100.07ms med=102.52ms max=105.27ms p(90)=104.63ms p(95)=104.9ms\n"
        "    iterations...........: 1730    43.25/s\n"
    )

    assert "contradiction" not in said(read(text))
    assert said(read(text.replace("50.40% ✓ 872 ✗ 858", "100.00% ✓ 872 ✗ 0")))["contradiction"][0] == "F"


def test_a_run_that_ab_broke_off_is_told_beside_others() -> None:
    whole = (
        "This is ApacheBench, Version 2.3\n\nBenchmarking x (be patient)\n{end}\n"
        "Server Hostname:        x\nServer Port:            80\nDocument Path:          /\n"
        "Concurrency Level:      10\nTime taken for tests:   1.516 seconds\nComplete requests:      1000\n"
        "Failed requests:        0\nNon-2xx responses:      {other}\nTotal transferred:      179000 bytes\n"
        "HTML transferred:       27000 bytes\nRequests per second:    659.63 [#/sec] (mean)\n"
    )
    broken = "This is ApacheBench, Version 2.3\n\nBenchmarking y (be patient)\napr_socket_recv: Reset (104)\n\n"

    assert said(read(broken + whole.format(end="", other=0)))["said-by-the-tool"][0] == "F"
    assert said(read(whole.format(end="", other=0))).get("said-by-the-tool", ("W",))[0] == "W"
    assert said(read(whole.format(end="", other=1800)))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(whole.format(end="", other=900)))


def test_two_outputs_of_sysbench_without_their_first_lines_are_two_runs() -> None:
    begin = SUMMARY.index("General")
    evidence = read(HEAD + SUMMARY + SUMMARY[begin:].replace("30.0010s", "31.0010s"))

    assert [figure.levels["run"] for figure in evidence.figures if figure.metric == "total time"] == ["1", "2"]
    assert "said-by-the-tool" in said(evidence)
    assert "said-by-the-tool" not in said(read(HEAD + SUMMARY))


def test_clients_in_two_clusters_are_told() -> None:
    rates = (32.0, 129.7, 130.3, 110.6, 32.2, 130.5, 32.0, 102.5)

    def text(rates: tuple[float, ...]) -> str:
        speeds = [f"{rate:.2f} MiB/s, {rate:.2f} obj/s" for rate in (sum(rates), *rates)]
        rows = "".join(f"Client {at} throughput: {speed}\n" for at, speed in enumerate(speeds[1:], 1))
        return f"Report: PUT. Concurrency: 512. Ran: 1m3s\n * Average: {speeds[0]}\n\n{rows}"

    assert said(read(text(rates)))["modes"][0] == "W"
    assert "modes" not in said(read(text((90.0, 110.0, 95.0, 140.0, 60.0, 100.0))))


COMMAND = "$ sysbench oltp_read_write --threads={threads} --time={seconds} --tables=1 run\n"
ENDED = HEAD.replace("options:\n", "options:\nNumber of threads: 4\n") + reports(ORDINARY) + SUMMARY


@pytest.mark.parametrize(
    ("threads", "seconds", "severity"), [(4, 30, None), (4, 60, "W"), (8, 30, "F"), (4, 0, None)]
)  # fmt: skip
def test_a_run_is_held_against_the_command_above_it(threads: int, seconds: int, severity: str | None) -> None:
    found = said(read(COMMAND.format(threads=threads, seconds=seconds) + ENDED))

    assert found.get("contradiction", (None,))[0] == severity
