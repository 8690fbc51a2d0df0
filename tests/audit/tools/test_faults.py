"""A sample in which one thing is changed: what the audit must say of it, and what it must not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.audit.tools.said import said, sample

CONTRADICTION, UNEQUAL, FAILED = "F contradiction", "F unequal-work", "F said-by-the-tool"
STOPS = "W fixed-time-total"
DOUBT, SCATTER = "W said-by-the-tool", "W modes"


class Change(NamedTuple):
    """What is changed in a sample: one text for another (to its end: everything from there on), lines before, after."""

    sample: str
    there: str = ""
    instead: str = ""
    before: str = ""
    after: str = ""

    def made(self) -> str:
        text = sample(self.sample)
        assert self.there in text, self.there
        if self.instead == TO_THE_END:
            text = text[: text.index(self.there)]
        elif self.there:
            text = text.replace(self.there, self.instead)
        return self.before + text + self.after


TO_THE_END = "…"
GZIP, ZSTD, RATIO = "gzip -k -6 corpus.tar", "zstd -k -3 corpus.tar", "    6.68 ± 0.16 times faster than"
OLD_K6 = "......................: "
CUT_OFF = "\nError distribution:\n  [50] aborted due to deadline\n"
# Answers of another length than the first: where they are another page, they failed.
SENT = "Total transferred:      17174000 bytes\nHTML transferred:       "
LENGTHS = f"Failed requests:        100\n   (Connect: 0, Receive: 0, Length: 100, Exceptions: 0)\n{SENT}"
SHORTER, AS_LONG = (
    Change("ab.txt", f"Failed requests:        0\n{SENT}16800000", f"{LENGTHS}{html}") for html in (16140000, 16800000)
)
# 1500 requests at 50/s, of which the last answers came late: once because all waited in a queue, once by chance.
DURATION, LATENCIES = "29.99s, 29.981s, 9.08ms", "Latencies     [min, mean, 50, 90, 95, 99, max]  8.779ms, "
LATE = f"39.061s, 29.981s, 9.08s\n{LATENCIES}"
QUEUE, TAIL = (
    Change("vegeta.txt", f"{DURATION}\n{LATENCIES}10.62ms, 9.794ms", f"{LATE}{mean_and_median}")
    for mean_and_median in ("4.5s, 4.4s", "0.1s, 9.794ms")
)
VEGETA = "vegeta attack -duration=30s -rate={} | vegeta report\n"

# What must be said, and is not said of the sample as it is.
FAULTS = [
    (CONTRADICTION, Change("ab.txt", "718.10 [#/sec]", "818.10 [#/sec]")),
    (CONTRADICTION, Change("criterion.txt", "[1.0670 µs 1.0706 µs", "[1.0670 µs 1.0606 µs")),
    (CONTRADICTION, Change("fio.json", "44025.933", "4402.593")),
    (CONTRADICTION, Change("fio.txt", "IOPS=44.0k", "IOPS=132k")),
    (CONTRADICTION, Change("h2load.txt", "38910.51", "3891.05")),
    (CONTRADICTION, Change("hyperfine.txt", "… 425.0 ms", "… 405.0 ms")),
    (CONTRADICTION, Change("hyperfine.txt", f"{ZSTD} ran\n{RATIO} {GZIP}", f"{GZIP} ran\n{RATIO} {ZSTD}")),
    (STOPS, Change("hyperfine.txt", f": {GZIP}", f": timeout 0.4 {GZIP}")),
    (STOPS, Change("hyperfine-2-markdown.txt", "`sleep 0.02` | 21.3", "`openssl speed sha256` | 3021.3")),
    (CONTRADICTION, Change("hyperfine-1.20.txt", "2.84 ± 0.05", "3.84 ± 0.05")),
    (CONTRADICTION, Change("hyperfine-2.txt", "+46.8%", "+66.8%")),
    (CONTRADICTION, Change("hyperfine-2-narrow.txt", "21.1 …   21.2", "20.1 …   20.2")),
    (CONTRADICTION, Change("hyperfine-2-parameters.json", '"mean": 0.011097772', '"mean": 0.021097772')),
    (CONTRADICTION, Change("hyperfine-2-csv.txt", "21.449648", "20.449648")),
    (CONTRADICTION, Change("hyperfine-1.20-markdown.txt", "| 21.6 |", "| 20.6 |")),
    (CONTRADICTION, Change("jmh.json", "0.8590539259005358", "0.8848255436775519")),
    (CONTRADICTION, Change("k6-old.txt", f"http_reqs{OLD_K6}27950", f"http_reqs{OLD_K6}37950")),
    (CONTRADICTION, Change("k6-old.txt", "465.145833/s\n     iteration_", "565.145833/s\n     iteration_")),
    # No more runs at once than there are virtual users.
    (CONTRADICTION, Change("k6.txt", ": avg=10.3ms", ": avg=40.3ms")),
    (CONTRADICTION, Change("k6.txt", "vus_max........................: 20 ", "vus_max........................: 10 ")),
    ("W contradiction", Change("k6.txt", ": avg=10.21ms", ": avg=40.21ms")),
    (CONTRADICTION, Change("lambda-three.txt", "Duration: 12.3 ms", "Duration: 123.0 ms")),
    (CONTRADICTION, Change("lambda-three.txt", "12.3 ms\tBilled Duration: 13 ms", "1.2 ms\tBilled Duration: 1300 ms")),
    (CONTRADICTION, Change("oha.txt", "10308.1035", "20308.1035")),
    (CONTRADICTION, Change("oha.txt", "[11402]", "[19402]")),
    (CONTRADICTION, Change("oha.txt", "100.00%", "80.00%")),
    (CONTRADICTION, Change("oha.txt", "99.00% in 14", "99.00% in 94")),
    (CONTRADICTION, Change("openssl-signatures.txt", "0.000244s", "0.000344s")),
    (CONTRADICTION, Change("pytest-benchmark-data.json", '"rounds": 181', '"rounds": 180')),
    (CONTRADICTION, Change("pytest-benchmark.json", '"mean": 1.2944637944587876e-06', '"mean": 1.0')),
    (CONTRADICTION, Change("pytest-benchmark.txt", "106.3949", "16.3949")),
    (CONTRADICTION, Change("sysbench-oltp.txt", "(1000.00 per", "(1100.00 per")),
    (CONTRADICTION, Change("sysbench-oltp.txt", "avg:                                    4.00", "avg: 8.00")),
    (CONTRADICTION, Change("sysbench-oltp.txt", "2500.0000/", "3500.0000/")),
    (CONTRADICTION, Change("sysbench-oltp.txt", "percentile:                        6.00", "percentile: 26.00")),
    (CONTRADICTION, Change("vegeta.txt", "50.03, 50.02", "60.03, 50.02")),
    (CONTRADICTION, Change("vegeta.txt", "29.99s,", "39.99s,")),
    (CONTRADICTION, Change("vegeta.txt", "200:1500", "200:1400")),
    (CONTRADICTION, Change("vegeta.txt", "36ms", "136ms")),
    (CONTRADICTION, Change("warp.txt", "94.80 obj/s (57s)", "194.80 obj/s (57s)")),
    (CONTRADICTION, Change("warp.txt", "Reqs: Avg: 210.3ms", "Reqs: Avg: 610.3ms")),
    (CONTRADICTION, Change("warp.txt", "90%: 402.2ms", "90%: 102.2ms")),
    ("W contradiction", Change("warp.txt", "120.6MiB/s, 120.60", "80.6MiB/s, 80.60")),
    ("W contradiction", Change("warp.txt", "Avg: 94.80 MiB/s, 94.80 obj/s\n\nT", "Avg: 44.80 MiB/s, 44.80 obj/s\n\nT")),
    (CONTRADICTION, Change("wrk.txt", "Running 2s", "Running 5m")),
    (CONTRADICTION, Change("bssl-speed.txt", "(2104.1 ops", "(3104.1 ops")),
    (CONTRADICTION, Change("fortio.txt", "sum 0.28922959", "sum 0.98922959")),
    (CONTRADICTION, Change("h2load-warm-up.txt", "10574.67", "1057.46")),
    (CONTRADICTION, Change("redis-benchmark.txt", "55555.55", "95555.55")),
    (UNEQUAL, Change("autocannon.json", '"errors":0', '"errors":90')),
    (UNEQUAL, Change("bombardier.txt", "others - 0", "others - 90")),
    (UNEQUAL, Change("locust.csv", "/,351,0,", "/,351,51,")),
    (UNEQUAL, Change("oha.json", '"200"', '"503"')),
    (UNEQUAL, Change("pgbench-18.txt", "transactions: 0 (", "transactions: 90 (")),
    (UNEQUAL, Change("siege.txt", "transactions:\t           0", "transactions:\t 90")),
    (FAILED, Change("iperf3-udp.txt", after="\niperf3: error - the server has terminated\n")),
    (FAILED, Change("time.txt", before="Command exited with non-zero status 1\n")),
    ("F saturated-client", Change("fortio.txt", "qps=199.92", "qps=120.92")),
    ("F saturated-client", Change("pgbench-rate.txt", before="$ pgbench -R 800 bench\n")),
    ("F saturated-client", Change("pgbench-rate.txt", "skipped: 0 (", "skipped: 400 (")),
    (UNEQUAL, SHORTER),
    (UNEQUAL, Change("h2load.txt", "100000 succeeded, 0 failed", "99000 succeeded, 1000 failed")),
    (UNEQUAL, Change("lambda-three.txt", "11.29 ms\tBilled Duration: 12 ms", "3003.16 ms\tBilled Duration: 3000 ms")),
    (UNEQUAL, Change("sysbench-oltp.txt", "errors:                      0", "errors:                      90")),
    (FAILED, Change("criterion.txt", after="\nthread 'main' panicked at benches/x.rs:12:5:")),
    (FAILED, Change("hyperfine-2.txt", after="Error: Command 'b' terminated with non-zero exit code 1.\n")),
    (FAILED, Change("hyperfine.txt", "Summary", "Warning: Ignoring non-zero exit")),
    (FAILED, Change("jmh.txt", "Iteration   4: 0.866 us/op", "Iteration   4: <failure>")),
    (FAILED, Change("lambda-three.txt", after="2020-06-09T15:02:26Z 7c95 Task timed out after 3.00 seconds")),
    (FAILED, Change("openssl-aes.txt", "47308.25k", "-47308.25k")),
    (FAILED, Change("openssl-aes.txt", before='invalid engine "padlock"\n')),
    (DOUBT, AS_LONG),
    (DOUBT, Change("ab.txt", "Transfer rate", TO_THE_END)),
    (DOUBT, Change("criterion.txt", after="\nWarning: Unable to complete 100 samples in 5.0s.")),
    (DOUBT, Change("criterion.txt", "(10.00%)", "(30.00%)")),
    (DOUBT, Change("fio.txt", "Starting 2", "fio: terminating on signal 2\nStarting 2")),
    (DOUBT, Change("jmh.txt", "# Fork: 1 of 2", "# Fork: N/A, test runs in the host VM")),
    (DOUBT, Change("k6.txt", "iterations....", TO_THE_END)),
    (DOUBT, Change("openssl-aes.txt", after="\nAES-128-GCM: Unknown algorithm")),
    (DOUBT, Change("sysbench-cpu.txt", "execution time", TO_THE_END)),
    (DOUBT, Change("vegeta.txt", "Status", TO_THE_END)),
    # A line that looks like a result, and is not one.
    (DOUBT, Change("sysbench-cpu.txt", "min:                                    0.22", "min: about 0.22")),
    (DOUBT, Change("hey.txt", "10%% in 0.0010 secs", "10%% after 0.0010 secs")),
    (DOUBT, Change("vegeta.txt", after="\n| rate | p99 |\n| --- | --- |\n| 1 | 2 ms |\n")),
    (DOUBT, Change("warp.txt", after="\nwarp: <ERROR> Access Denied\n")),
    (SCATTER, Change("benchstat.txt", "± 3%", "± 31%")),
    (SCATTER, Change("fio.txt", "avg=360.02", "avg=599.02")),
    (SCATTER, Change("hyperfine.txt", "±   6.1 ms", "± 261.0 ms")),
    (SCATTER, Change("rust-bench.txt", "(+/- 377)", "(+/- 9,377)")),
    ("F contained-work", Change("warp-mixed.txt", "5598.00", "18.63")),
    ("F saturated-client", Change("vegeta.txt", before=VEGETA.format("60"))),
    ("F saturated-client", QUEUE),
    ("W apples-and-oranges", Change("pyperf.json", '"date":"2026-11-21 03:14:56.948502"', '"cpu_model_name":"other"')),
]  # fmt: skip
# What must not be said of it.
QUIET = [
    (DOUBT, SHORTER),
    (CONTRADICTION, Change("h2load-warm-up.txt", "100% of clients", "100% of the clients")),
    # Requests that were never started are failures, and the rate is of the others.
    (CONTRADICTION, Change("h2load-errors.txt", "400 started, 400 done", "300 started, 300 done")),
    ("F saturated-client", Change("pgbench-rate.txt", before="$ pgbench -R 400 bench\n")),
    (UNEQUAL, AS_LONG),
    (UNEQUAL, Change("oha.txt", after=CUT_OFF)),
    ("F saturated-client", TAIL),
    ("F saturated-client", Change("vegeta.txt", before=VEGETA.format("50/s"))),
    ("F saturated-client", Change("vegeta.txt", before=VEGETA.format("5/1m"))),
]


def marked(text: str) -> set[str]:
    return {f"{severity} {check}" for severity, check in said(text)}


@pytest.mark.parametrize(("expected", "change"), FAULTS)
def test_a_fault_fires_and_its_twin_does_not(expected: str, change: Change) -> None:
    assert expected in marked(change.made())
    assert expected not in marked(sample(change.sample))


@pytest.mark.parametrize(("unexpected", "change"), QUIET)
def test_a_sound_change_has_no_warning(unexpected: str, change: Change) -> None:
    assert unexpected not in marked(change.made())


def test_a_report_with_failures_has_no_other_warning() -> None:
    failing = sample("vegeta.txt").replace("200:1500", "200:1350  503:150").replace("100.00%", "90.00%")

    assert marked(failing.replace("50.02", "45.02")) == {UNEQUAL}
