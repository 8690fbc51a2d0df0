"""What outputs of k6, warp, sysbench and Lambda tell of runs that went wrong: each beside one that went well."""

from __future__ import annotations

import json

import pytest

from sectax.formats.bad_input import BadInput
from tests.audit.importers.said import said
from tests.audit.importers.samples import read

K6 = """     scenarios: (100.00%) 1 scenario, 10 max VUs, 1m0s max duration (incl. graceful stop):
              * smoke: 10 looping VUs for 30s (gracefulStop: 30s)

running (0m14.0s), 10/10 VUs, 1300 complete and 0 interrupted iterations
smoke   [  47% ] 10 VUs  {clock}/30s

    checks...............: 100.00% ✓ 2910 ✗ 0
    http_req_duration....: avg=1.42ms min=460.67µs med=1.06ms max=5.64ms p(90)=2.92ms p(95)=3.42ms
    http_reqs............: 2910   {rate}/s
    iteration_duration...: avg={each}ms min=100.5ms med=102ms max=140ms p(90)=104ms p(95)=105ms
    iterations...........: 2910   {rate}/s
    vus..................: 10     min=10 max=10
    vus_max..............: 10     min=10 max=10
    data_received........: 40 MB  1.3 MB/s

running (0m30.0s), 00/10 VUs, 2910 complete and 0 interrupted iterations
smoke {mark} [ 100% ] 10 VUs  {ended}/30s
"""
K6_WELL = {"clock": "14.0s", "rate": "97.0", "each": "102.9", "mark": "✓", "ended": "30.0s"}


def k6(**changes: str) -> dict[str, tuple[str, str]]:
    return said(read(K6.format(**(K6_WELL | changes))))


def test_a_rate_that_would_need_more_users_than_there_were_is_found() -> None:
    assert "contradiction" not in k6()
    # setup() and teardown() may be the longest of its iterations.
    assert "contradiction" not in k6(each="103.1")
    assert k6(each="113.1")["contradiction"][0] == "F"


def test_a_scenario_that_is_older_than_its_test_is_found() -> None:
    severity, saw = k6(clock="16.7s")["contradiction"]

    assert severity == "F"
    assert "said to be 16.7; in the same second the whole test says 14" in saw
    # A scenario may begin later than the test.
    assert "contradiction" not in k6(clock="04.0s")


def test_a_run_of_k6_that_was_stopped_is_no_whole_one() -> None:
    assert k6(mark="✗", ended="16.8s")["said-by-the-tool"][0] == "F"
    # A scenario of a number of iterations is given up when its time is over, and its rates are as they are.
    assert "said-by-the-tool" not in k6(mark="✗")


def test_checks_of_k6_without_metrics_are_known_and_were_cut_short() -> None:
    with pytest.raises(BadInput, match=r"cut short: it has checks .* 'log in' failed 90 times of 100"):
        read("     ✗ log in\n      ↳  10% — ✓ 10 / ✗ 90\n     ✓ log out\n")


WARP = """Report: PUT. Concurrency: 64. Ran: 6m19s
 * Average: 85.66 MiB/s, 0.67 obj/s
 * Reqs: Avg: 95619.0ms, 50%: 95622.4ms, 90%: 95654.6ms, 99%: 95679.0ms, Fastest: 93505.5ms, Slowest: 98936.8ms, {}

Throughput, split into 379 x 1s:
 * Fastest: 87.5MiB/s, 0.68 obj/s
 * 50% Median: 85.2MiB/s, 0.67 obj/s
 * Slowest: 82.9MiB/s, 0.65 obj/s
"""


@pytest.mark.parametrize(("spread", "found"), [("27.1ms", True), ("127.1ms", False), ("300ms", False)])
def test_a_spread_that_the_slowest_request_rules_out_is_found(spread: str, found: bool) -> None:
    assert ("contradiction" in said(read(WARP.format(f"StdDev: {spread}")))) is found


@pytest.mark.parametrize(("times", "severity"), [(0, ""), (1, "W"), (9, "W"), (10, "F")])
def test_errors_of_warp_are_counted_also_on_one_line(times: int, severity: str) -> None:
    text = WARP.format("StdDev: 300ms") + "warp: <ERROR> unrecognized option:Marker" * times + "\n"

    assert said(read(text)).get("said-by-the-tool", ("", ""))[0] == severity


SCREEN = """ λ ██████ 100%

Reqs: 5490161, Errs:0, Objs:5490161, Bytes: 12.57GiB
 -    DELETE Average: 3053 Obj/s; Current 3125 Obj/s, 0.9 ms/req
 -       GET Average: {} Obj/s, 53.7MiB/s; Current 14074 Obj/s, 55.0MiB/s, 0.6 ms/req, TTFB: 0.6ms
"""


def test_the_screen_of_warp_is_read_where_there_is_no_report() -> None:
    # It is printed again and again.
    evidence = read(SCREEN.format(12000) + SCREEN.format(13740))
    rates = [figure.value for figure in evidence.figures if figure.metric == "rate"]

    assert rates == [3053, 13740]
    assert said(evidence)["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(read(SCREEN.format(13740) + WARP.format("StdDev: 300ms")))


SECONDS = """Operation: PUT. Concurrency: 40. Hosts: 1.
* Average: {mean} MiB/s, {mean} obj/s (4m30.985s, starting 23:57:00 UTC)

Aggregated Throughput, split into 270 x 1s time segments:
 * Fastest: 400.2MiB/s, 400.20 obj/s (1s, starting {fastest} UTC)
 * 50% Median: 18.8MiB/s, 18.80 obj/s (1s, starting 23:58:15 UTC)
 * Slowest: 10.7MiB/s, 10.70 obj/s (1s, starting {slowest} UTC)
"""


def test_a_mean_far_above_the_median_second_that_began_fast_is_one_of_a_drift() -> None:
    falls = {"mean": "121.34", "fastest": "23:57:04", "slowest": "00:00:32"}

    assert said(read(SECONDS.format(**falls)))["drift"][0] == "W"
    assert "drift" not in said(read(SECONDS.format(**falls | {"mean": "19.10"})))
    assert "drift" not in said(read(SECONDS.format(**falls | {"fastest": "00:01:04"})))


SYSBENCH = """sysbench 0.4.12:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 16

Doing CPU performance benchmark

Threads started!
{said}Done.

Maximum prime number checked in CPU test: 10000

Test execution summary:
    total time:                          8.9837s
    total number of events:              10000
    total time taken by event execution: 125.3635
    per-request statistics:
         min:                                  {least}ms
         avg:                                 12.54ms
         max:                                200.82ms
         approx.  95 percentile:              12.08ms

Threads fairness:
    events (avg/stddev):           625.0000/94.73
    execution time (avg/stddev):   7.8352/0.14
"""
NO_TIME = (
    "WARNING: Operation time (0.000000) is less than minimal counted value, counting as 1.000000\n"
    "WARNING: Percentile statistics will be inaccurate\n"
)


def test_an_event_of_sysbench_that_took_no_time_shows_that_the_clock_stood_still() -> None:
    assert said(read(SYSBENCH.format(said=NO_TIME, least="0.00")))["said-by-the-tool"][0] == "F"
    assert said(read(SYSBENCH.format(said=NO_TIME, least="11.02")))["said-by-the-tool"][0] == "W"
    assert "said-by-the-tool" not in said(read(SYSBENCH.format(said="", least="11.02")))


SQL = """SQL statistics:
    queries performed:
        read:                            {read} // all of them
        write:                           40000
        other:                           20000
        total:                           {total}
    transactions:                        10000 (1000.00 per sec.)
    queries:                             {total} ({rate} per sec.)
    ignored errors:                      0      (0.00 per sec.)

General statistics:
    total time:                          10.0000s
    total number of events:              10000
"""


@pytest.mark.parametrize(("read_", "severity"), [(140000, ""), (140140, ""), (139900, "W"), (70000, "")])
def test_transactions_that_lack_queries_are_doubted(read_: int, severity: str) -> None:
    total = read_ + 60000
    # What is missing is missing of every kind.
    lack = {"40000": "39990", "20000": "19995"} if severity else {}
    text = SQL.format(read=read_, total=total - 15 * bool(lack), rate=f"{total / 10:.2f}")
    for one, other in lack.items():
        text = text.replace(f" {one}\n", f" {other}\n")

    assert said(read(text)).get("contradiction", ("", ""))[0] == severity


def report(took: str, billed: str, request: int = 1) -> str:
    return (
        f"REPORT RequestId: {request}\tDuration: {took} ms\tBilled Duration: {billed} ms\tMemory Size: 1024 MB\t"
        "Max Memory Used: 376 MB\t\n"
    )


def test_less_is_billed_than_it_took_only_where_an_invocation_was_stopped() -> None:
    assert said(read(report("3169.01", "3000")))["said-by-the-tool"][0] == "F"
    assert "said-by-the-tool" not in said(read(report("2999.01", "3000")))
    rare = "".join(report("12.5", "13", at) for at in range(2000)) + report("3169.01", "3000", 2001)
    assert said(read(rare))["said-by-the-tool"][0] == "W"


def test_a_log_of_lambda_in_json_is_read_as_one_of_text() -> None:
    def line(at: int, status: str) -> str:
        metrics = {"durationMs": 12.5 + at, "billedDurationMs": 14 + at, "memorySizeMB": 256, "maxMemoryUsedMB": 99}
        record = {"requestId": str(at), "metrics": metrics, "status": status}
        return json.dumps({"time": "2024-03-13T18:56:24.046Z", "type": "platform.report", "record": record})

    well = read("\n".join(line(at, "success") for at in range(3)))
    (duration,) = (figure for figure in well.figures if figure.metric == "duration")
    assert duration.values == pytest.approx((0.0125, 0.0135, 0.0145))
    assert "unequal-work" not in said(well)
    assert said(read("\n".join(line(at, "timeout") for at in range(3))))["unequal-work"][0] == "F"
