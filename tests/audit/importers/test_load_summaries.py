"""What a performance engineer reads in the summary of a load client besides its lines: each with a healthy twin."""

from __future__ import annotations

import re

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read, sample

AB = """$ ab -n {asked} -c {places} http://127.0.0.1:8080/login
Server Software:        nginx
Server Hostname:        127.0.0.1
Server Port:            8080

Document Path:          /login
Document Length:        8400 bytes

Concurrency Level:      {places}
Time taken for tests:   {wall:.3f} seconds
Complete requests:      {done}
Failed requests:        {failed}
   (Connect: 0, Receive: 0, Length: {lengths}, Exceptions: 0)
Total transferred:      {bytes_} bytes
HTML transferred:       {html} bytes
Requests per second:    {rate:.2f} [#/sec] (mean)
Time per request:       {each:.3f} [ms] (mean)
Time per request:       {across:.3f} [ms] (mean, across all concurrent requests)
Transfer rate:          {transfer:.2f} [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       1
Processing:     5    7  {spread}      6     {most}
Waiting:        5    7  {spread}      6     {most}
Total:          5    7  {spread}      6     {most}
"""
WRK = """Running 10s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.05ms  {stdev}  {most}   91.02%
    Req/Sec     4.90k   {spread}    11.02k    68.00%
  97655 requests in 10.00s, 23.65MB read
Requests/sec:   9765.50
Transfer/sec:      2.37MB
"""
SPECTRUM = """#[Mean    =     {mean:.3f}, StdDeviation   =      {stdev}]
#[Max     =     {most:.3f}, Total count    =         9365]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  11708 requests in 10.00s, 2.40MB read
Requests/sec:   1170.78
Transfer/sec:    245.82KB
"""
HEY = """Summary:
  Total:	{wall} secs
  Slowest:	0.1540 secs
  Fastest:	0.0142 secs
  Average:	0.0464 secs
  Requests/sec:	{rate}

Response time histogram:
{buckets}
Status code distribution:
  [200] 2000 responses
"""
K6 = """
     checks.........................: {checks}
     data_received..................: {data}
     http_req_duration..............: avg=186ms min=150ms med=180ms max=250ms p(90)=210ms p(95)=230ms
       {{ expected_response:true }}...: {passed}
     http_req_failed................: {failed}
     http_reqs......................: 1000 33.333333/s
     iteration_duration.............: avg={each}s min=0.1s med={each}s max={most}s p(90)={each}s p(95)={each}s
     iterations.....................: 1000 33.333333/s
     vus............................: 40 min={least} max=40
     vus_max........................: 40 min=40 max=40
"""
ALIKE = "avg=186ms min=150ms med=180ms max=250ms p(90)=210ms p(95)=230ms"
SLOWER = "avg=920ms min=150ms med=900ms max=1.2s p(90)=980ms p(95)=1.1s"
K6_WELL = {
    "checks": "100.00% ✓ 1000 ✗ 0",
    "data": "2.4 MB 80 kB/s",
    "passed": ALIKE,
    "failed": "0.00% ✓ 0 ✗ 1000",
    "each": 1.19,
    "most": 1.25,
    "least": "40",
}


def ab(wall: float = 0.7, *, places: int = 1, done: int = 100, lengths: int = 0, **told: object) -> str:
    """An output of ab of so many requests, all of whose lines agree."""
    well = {
        "asked": done,
        "failed": lengths,
        "bytes_": 8600 * done,
        "html": 8400 * done - 50 * lengths,
        "rate": done / wall,
        "each": 1000 * places * wall / done,
        "across": 1000 * wall / done,
        "transfer": 8600 * done / wall / 1024,
        "spread": "2.0",
        "most": "14",
    }
    return AB.format(**(well | told | {"wall": wall, "places": places, "done": done, "lengths": lengths}))


def heard(text: str, check: str) -> str:
    """The severity of what a check says of a text; empty where it says nothing."""
    return said(read(text)).get(check, ("", ""))[0]


@pytest.mark.parametrize(("lengths", "severity"), [(0, ""), (30, ""), (99, "F")])
def test_a_page_that_is_another_one_most_of_the_time_was_not_the_same_work(lengths: int, severity: str) -> None:
    assert heard(ab(lengths=lengths), "unequal-work") == severity
    assert ("another length" in str(said(read(ab(lengths=lengths))))) == (lengths == 30)


@pytest.mark.parametrize(("spread", "most", "found"), [("2.0", "14", ""), ("14.0", "146", "W"), ("40.0", "146", "")])
def test_one_answer_that_makes_all_of_the_spread_is_named(spread: str, most: str, found: str) -> None:
    assert heard(ab(spread=spread, most=most), "modes") == found


def test_a_request_of_ab_takes_no_longer_than_the_test() -> None:
    lonely = ab(10.538, places=5, done=1, spread="0.0", most="6").partition("Connection Times")[0]
    fair = ab(10.538, places=5, done=500).partition("Connection Times")[0]

    assert heard(lonely, "contradiction") == "F"
    assert heard(fair, "contradiction") == ""


@pytest.mark.parametrize(("each", "found"), [(54.77, ""), (5.477, "F")])
def test_a_time_of_a_request_is_held_against_the_command_where_no_rate_stands(each: float, found: str) -> None:
    text = (
        f"ab -n 1000 -c 10 http://x/\n\nTime taken for tests:   5.477 seconds\nTime per request:   {each} [ms] (mean)\n"
    )

    assert heard(text, "contradiction") == found


@pytest.mark.parametrize(("failed", "found"), [(30, ""), (45, "F")])
def test_failures_of_ab_by_kind_are_all_of_them(failed: int, found: str) -> None:
    assert heard(ab(lengths=30, failed=failed), "contradiction") == found


@pytest.mark.parametrize(("spread", "found"), [("0.61k", ""), ("2.90k", "W")])
def test_a_rate_that_goes_up_and_down_is_of_more_than_one_state(spread: str, found: str) -> None:
    assert heard(WRK.format(stdev="0.40ms", most="9.10ms", spread=spread), "modes") == found


def test_the_longest_answer_of_wrk_takes_no_longer_than_its_run() -> None:
    assert heard(WRK.format(stdev="0.40ms", most="9.10ms", spread="0.61k"), "contradiction") == ""
    assert heard(WRK.format(stdev="0.40ms", most="14.10s", spread="0.61k"), "contradiction") == "F"


@pytest.mark.parametrize(("mean", "found"), [(12.639, ""), (1234.639, "W")])
def test_wrk2_far_behind_its_rate_is_known_by_the_end_of_its_output(mean: float, found: str) -> None:
    assert heard(SPECTRUM.format(mean=mean, stdev=mean / 4, most=1.4 * mean), "saturated-client") == found


@pytest.mark.parametrize(("mean", "found"), [(0.58, ""), (5.8, "F")])
def test_waits_for_wrk2s_own_timer_are_no_queue(mean: float, found: str) -> None:
    text = sample("wrk2.txt")
    one = re.sub(r"\d+ threads and \d+ connections", "1 threads and 1 connections", text)
    quick = re.sub(r"(Latency +)[\d.]+[mu]?s", rf"\g<1>{mean}ms", one)
    fast = re.sub(r"Requests/sec: +[\d.]+", "Requests/sec:  59998.73", quick)

    assert heard(fast, "saturated-client") == found


@pytest.mark.parametrize(("asked", "found"), [(1_000_000, "F"), (0, "")])
def test_a_list_of_commands_with_the_rate_of_each_is_read(asked: int, found: str) -> None:
    runs = [
        f'{name}\nwrk2/wrk -d20 -c10 -t10 -R {asked} "http://localhost/{name}"\nRequests/sec: {rate}\n'
        for name, rate in (("nginx", 177811.23), ("apache", 51086.05))
    ]

    assert heard("\n".join(runs), "saturated-client") == found
    assert len([one for one in read("\n".join(runs)).figures if one.metric == "requests/s"]) == 2


# The counts of buckets that end at 10, 20, … ms.
@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ((1, 720, 680, 120, 60, 90, 180, 90, 56, 3), "W"),
        ((1, 720, 620, 280, 160, 90, 60, 40, 26, 3), ""),
        ((1, 620, 520, 280, 150, 160, 150, 60, 56, 3), ""),
    ],
)
def test_two_heaps_of_a_histogram_need_no_empty_bucket_between_them(counts: tuple[int, ...], found: str) -> None:
    buckets = "".join(f"  {0.014 * at:.3f} [{count}]\t|■\n" for at, count in enumerate(counts, 1))

    assert heard(HEY.format(wall=2.42, rate=826.4463, buckets=buckets), "modes") == found


@pytest.mark.parametrize(
    ("changes", "check", "found"),
    [
        ({}, "contradiction", ""),
        ({"least": "1"}, "contradiction", ""),
        # Forty users who were there for 30 s would have made three times as many iterations.
        ({"each": 0.4, "most": 0.5}, "contradiction", "W"),
        ({"each": 0.4, "most": 0.5, "least": "1"}, "contradiction", ""),
        # Each of them may have been in a long iteration at the end.
        ({"each": 0.8, "most": 19.0}, "contradiction", ""),
        # A request takes no longer than the iteration that makes it.
        ({"each": 0.15, "most": 0.2, "least": "1"}, "contradiction", "F"),
        ({"data": "2.4 MB 210 kB/s"}, "contradiction", "W"),
        ({"failed": "0.00% ✓ 0 ✗ 600"}, "contradiction", "W"),
        ({}, "unequal-work", ""),
        ({"failed": "0.52% ✓ 52 ✗ 9948"}, "unequal-work", "F"),
        ({"checks": "99.95% ✓ 9995 ✗ 5"}, "unequal-work", ""),
        ({"checks": "98.91% ✓ 4561 ✗ 50"}, "unequal-work", "F"),
        ({"passed": SLOWER, "failed": "18.00% ✓ 180 ✗ 820"}, "modes", "W"),
        ({"failed": "18.00% ✓ 180 ✗ 820"}, "modes", ""),
    ],
)
def test_what_the_numbers_of_a_k6_summary_say_of_each_other(changes: dict[str, object], check: str, found: str) -> None:
    assert heard(K6.format(**(K6_WELL | changes)), check) == found


@pytest.mark.parametrize(("mean", "found"), [("186ms", ""), ("436.89ms", "W")])
def test_a_mean_beyond_nine_tenths_of_all_answers_is_made_by_few(mean: str, found: str) -> None:
    text = K6.format(**K6_WELL).replace("avg=186ms", f"avg={mean}").replace("max=250ms", "max=9.8s")

    assert heard(text, "modes") == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("✓ 'p(95)<500' p(95)=230ms", ""),
        ("✗ 'p(95)<200' p(95)=230ms", ""),
        ("✓ 'p(95)<200' p(95)=230ms", "F"),
        ("✓ 'rate<0.01' rate=0.52%", ""),
        ("✗ 'rate<0.01' rate=0.52%", "F"),
        ("✓ 'count>=100' count=1000", ""),
        # Digits: it may have been 229.6 ms.
        ("✗ 'p(95)<230' p(95)=230ms", ""),
    ],
)
def test_the_mark_of_a_threshold_is_that_of_its_value(line: str, found: str) -> None:
    head = f"  █ THRESHOLDS\n\n    http_req_duration\n    {line}\n\n  █ TOTAL RESULTS\n"

    assert heard(head + K6.format(**K6_WELL), "contradiction") == found


@pytest.mark.parametrize(("mean", "found"), [("1.05ms", ""), ("0.21ms", "W")])
def test_connections_of_wrk_that_ask_at_once_are_not_idle(mean: str, found: str) -> None:
    text = WRK.format(stdev="0.10ms", most="9.10ms", spread="0.61k").replace("1.05ms", mean)

    assert heard(text, "contradiction") == found
    # wrk2 sends when it is time.
    assert heard(f"wrk2 -R9800 http://127.0.0.1:8080/\n{text}", "contradiction") == ""


@pytest.mark.parametrize(("seconds", "found"), [(10, ""), (8, "W"), (3, "F")])
def test_a_run_of_wrk_that_was_broken_off_has_no_figures_of_the_test_that_was_asked_for(
    seconds: int, found: str
) -> None:
    text = WRK.format(stdev="0.40ms", most="9.10ms", spread="0.61k").replace("97655", f"{int(9765.5 * seconds)}")
    text = text.replace("10.00s", f"{seconds}.00s").replace("23.65MB", f"{2.365 * seconds:.2f}MB")

    assert heard(text, "said-by-the-tool") == found


SYSBENCH = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)
Running the test with following options:
Number of threads: 4

{reports}
SQL statistics:
    transactions:                        12000  (1000.00 per sec.)

General statistics:
    total time:                          12.0000s
    total number of events:              12000

Latency (ms):
         min:                                    0.20
         avg:                                    3.90
         max:                                {most}
         sum:                                {sum_}
"""


@pytest.mark.parametrize(
    ("rate", "most", "sum_", "found"),
    [
        (1000, "31.20", "46800.00", ""),
        (400, "31.20", "46800.00", "W"),
        (1000, "14200.00", "46800.00", "F"),
        (1000, "31.20", "96800.00", "F"),
    ],
)
def test_reports_and_latencies_of_sysbench_fit_its_whole_run(rate: int, most: str, sum_: str, found: str) -> None:
    reports = "\n".join(
        f"[ {at}s ] thds: 4 tps: {rate + at % 3:.2f} qps: 1.00 (r/w/o: 1/0/0) lat (ms,95%): 5.00 err/s: 0.00"
        for at in range(1, 13)
    )

    assert heard(SYSBENCH.format(reports=reports, most=most, sum_=sum_), "contradiction") == found


@pytest.mark.parametrize(("mean", "found"), [("0.0402", ""), ("0.0880", "F"), ("0.0150", "F")])
def test_the_mean_of_hey_is_that_of_its_histogram(mean: str, found: str) -> None:
    counts = (1, 720, 620, 280, 160, 90, 60, 40, 26, 3)
    buckets = "".join(f"  {0.014 * at:.3f} [{count}]\t|■\n" for at, count in enumerate(counts, 1))
    text = HEY.format(wall=2.42, rate=826.4463, buckets=buckets)

    assert heard(text.replace("0.0464", mean), "contradiction") == found


def test_runs_of_k6_with_unlike_users_are_not_set_side_by_side() -> None:
    one = K6.format(**K6_WELL)

    assert heard(one + one.replace("180ms", "181ms"), "apples-and-oranges") == ""
    assert heard(one + one.replace("180ms", "181ms").replace("40", "50"), "apples-and-oranges") == "W"
