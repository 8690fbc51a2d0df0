"""Defects in what sysbench prints."""

from __future__ import annotations

import re

from benchmarks.audit_corpus.planted_prints.frame import (
    Format,
    Kind,
    Plant,
    Rng,
    above,
    and_again,
    both,
    cut_before,
    each_match,
    holding,
    instead,
    lacking,
    main_findings,
    some,
    times,
)

_EVENTS = r"^\s+total number of events:\s+(?P<n>\d+)"
_TOTAL = r"^\s+(?:total time|time elapsed):\s+(?P<n>[\d.]+)s"


def _ignored(share: float) -> Plant:
    def put(text: str, rng: Rng) -> str | None:
        found = re.search(r"^\s+transactions:\s+(\d+)", text, re.MULTILINE)
        if found is None or not re.search(r"ignored errors: +0 ", text):
            return None
        count = some(share, found[1])
        return instead(r"^(\s+ignored errors:\s+)\d+", rf"\g<1>{count}")(text, rng)

    return put


def _fails(line: str) -> Plant:
    return instead(r"^Threads started!$", f"Threads started!\n{line}", first=True)


def _seconds_of(*rows: str) -> Plant:
    put = instead(r"^Threads started!$", "Threads started!\n\n" + "\n".join(rows), first=True)
    return both(lacking(r"s ?\] (?:thds|threads):"), put)


_ROW = "[ {at}s ] thds: 8 tps: {tps} qps: {qps} (r/w/o: 10.00/2.00/2.00) lat (ms,95%): 5.10 err/s: {err} reconn/s: 0.00"
_STOPPED = [
    _ROW.format(at=at, tps=tps, qps=tps, err="0.00")
    for at, tps in enumerate(["512.10", "0.00", "0.00", "0.00", "498.00"], 1)
]
_ERRING = [
    _ROW.format(at=at, tps="500.00", qps="900.00", err=err) for at, err in enumerate(["0.00", "34.00", "12.00"], 1)
]

_UNLIKE = both(
    times(r"^\s+(?:min|max):\s+(?P<n>[\d.]+)", 1.2),
    times(r"^\s+(?:95th|approx\.\s+95) percentile:\s+(?P<n>[\d.]+)", 1.1),
)


def _fairness(text: str, _: Rng) -> str | None:
    def row(found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]}/{0.9 * float(found[2]):.2f}"

    if "Number of threads: 1\n" in text:
        return None
    return each_match(r"^(\s+events \(avg/stddev\):\s+)([\d.]+)/([\d.]+)", row)(text, _)


_KINDS = (
    Kind(
        "events a second are not events over time",
        "F contradiction",
        # What lasted so long has rates that are those of its numbers.
        both(lacking(r"total time:\s+0\."), times(r"^\s+(?:events per second|events/s \(eps\)):\s+(?P<n>[\d.]+)", 2.5)),
    ),
    Kind(
        "operations a second are not operations over time",
        "F contradiction",
        times(r"^Total operations: \d+ \(\s*(?P<n>[\d.]+)", 2.5),
    ),
    Kind(
        "transactions a second are not transactions over time",
        "F contradiction",
        times(r"^\s+transactions:\s+\d+\s+\((?P<n>[\d.]+)", 2.5),
    ),
    Kind(
        "queries a second are not queries over time",
        "F contradiction",
        times(r"^\s+queries:\s+\d+\s+\((?P<n>[\d.]+)", 2.5),
    ),
    Kind("events are not transactions", "F contradiction", times(r"^\s+transactions:\s+(?P<n>\d+)\s", 3)),
    Kind("MiB a second are not MiB over time", "F contradiction", times(r"transferred \((?P<n>[\d.]+)", 3)),
    Kind("MiB are not operations times their block", "F contradiction", times(r"^(?P<n>[\d.]+) Mi?B transferred", 0.2)),
    Kind("reads a second are not MiB a second", "F contradiction", times(r"^\s+read, MiB/s:\s+(?P<n>[\d.]+)", 5)),
    Kind("queries are not their sum", "F contradiction", times(r"^\s+total:\s+(?P<n>\d+)$", 2)),
    Kind("mean is not sum over events", "F contradiction", times(r"^\s+avg:\s+(?P<n>[1-9][\d.]{3,})", 3)),
    Kind("mean above the maximum", "F contradiction", times(r"^\s+avg:\s+(?P<n>[\d.]+)", 1e5)),
    Kind(
        "mean beyond its quantile",
        "F contradiction",
        times(r"^\s+(?:approx\.\s+)?95(?:th)? percentile:\s+(?P<n>[1-9][\d.]*)", 0.05),
    ),
    Kind("minimum above the mean", "F contradiction", instead(r"^(\s+min:\s+)[\d.]+", r"\g<1>99999.00")),
    Kind("threads lived for less than they worked", "F contradiction", times(r"^\s+sum:\s+(?P<n>[\d.]+)", 40)),
    Kind(
        "all events took longer than threads lived",
        "F contradiction",
        times(r"^\s+total time taken by event execution:\s+(?P<n>[\d.]+)", 40),
    ),
    Kind("events by thread are not all", "F contradiction", times(r"^\s+events \(avg/stddev\):\s+(?P<n>[\d.]+)", 3)),
    Kind(
        "a thread worked for longer than the test",
        "F contradiction",
        times(r"^\s+execution time \(avg/stddev\):\s+(?P<n>[\d.]+)", 50),
    ),
    Kind("threads did unlike shares", "W contradiction|modes|said-by-the-tool", _fairness),
    Kind("a tenth of the errors ignored", "F unequal-work", _ignored(0.1)),
    Kind("one error ignored", "W unequal-work|said-by-the-tool", _ignored(1e-9)),
    Kind("reconnects", "W said-by-the-tool", instead(r"^(\s+reconnects:\s+)\d+", r"\g<1>312")),
    Kind("deadlocks", "W said-by-the-tool|unequal-work", instead(r"^(\s+deadlocks:\s+)\d+", r"\g<1>412")),
    Kind(
        "unfinished transactions",
        "W said-by-the-tool",
        instead(
            r"^(General statistics:|Test execution summary:)$",
            r"Number of unfinished transactions on forced shutdown: 12\n\n\1",
        ),
    ),
    Kind(
        "tables were not prepared",
        "F said-by-the-tool",
        _fails(
            "FATAL: mysql_drv_query() returned error 1146 (Table 'sbtest.sbtest1' doesn't exist) for query 'SELECT'"
        ),
    ),
    Kind(
        "the script failed",
        "F said-by-the-tool",
        _fails(
            "(last message repeated 3 times)\n"
            "FATAL: `thread_run' function failed: oltp_common.lua:409: SQL error, errno = 1213"
        ),
    ),
    Kind(
        "errors of the script, without their first word",
        "W said-by-the-tool",
        _fails("Error in my_thread_init(): thread was not attached"),
    ),
    Kind("seconds without a transaction", "W said-by-the-tool", _seconds_of(*_STOPPED)),
    Kind(
        "a second beyond all others",
        "W said-by-the-tool",
        _seconds_of(
            "[  11s] threads: 16, tps: 18446842801212211200.00, reads: 18446842801212035072.00, "
            "response time: 60.10ms (95%), errors: 0.00, reconnects:  0.00"
        ),
    ),
    Kind("errors by the second", "W said-by-the-tool|unequal-work", _seconds_of(*_ERRING)),
    Kind(
        "no event at all",
        "F zero-event-run",
        both(
            instead(r"^(\s+total number of events:\s+)\d+", r"\g<1>0"),
            instead(r"^(\s+events per second:\s+)[\d.]+", r"\g<1>0.00"),
            instead(r"^(\s+sum:\s+)[\d.]+", r"\g<1>0.00"),
        ),
    ),
    Kind("one of two cut short", "W said-by-the-tool", and_again(cut_before(r"^\s+(?:total time|time elapsed):"))),
    Kind("cut short", "refused or W said-by-the-tool", cut_before(r"^\s+(?:total time|time elapsed):")),
    Kind("cut before its latencies", "W said-by-the-tool", cut_before(r"^Latency \(ms\):|^\s+per-request statistics:")),
    Kind(
        "a rate that was asked for and reached",
        "F fixed-time-total",
        main_findings(
            r"events per second:\s+([\d.]+)",
            lambda rate: instead(
                r"^Number of threads: .*$", rf"\g<0>\nTarget transaction rate: {rate:.0f}/sec", first=True
            ),
        ),
    ),
    Kind(
        "sides with unlike threads and versions",
        "W apples-and-oranges|contradiction",
        and_again(
            _UNLIKE, instead(r"^sysbench v?[\d.]+", "sysbench 0.5"), instead(r"^(Number of threads:) .*", r"\1 64")
        ),
    ),
    Kind(
        "sides with unlike primes",
        "W apples-and-oranges",
        and_again(
            _UNLIKE,
            times(r"^(?:Prime numbers limit|Maximum prime number checked in CPU test): (?P<n>\d+)", 2),
        ),
    ),
    Kind(
        "sides of unlike length",
        "W apples-and-oranges|fixed-time-total|said-by-the-tool",
        and_again(holding(r"^\s+(?:total time|time elapsed):\s+\d+\.000\d*s"), _UNLIKE, times(_TOTAL, 6)),
    ),
    Kind(
        "warned of by itself",
        "W said-by-the-tool",
        above("WARNING: --num-threads is deprecated, use --threads instead"),
    ),
)

_OLTP = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)

Running the test with following options:
Number of threads: 8
Initializing random number generator from current time


Initializing worker threads...

Threads started!

SQL statistics:
    queries performed:
        read:                            560014
        write:                           160004
        other:                           80002
        total:                           800020
    transactions:                        40001  (666.60 per sec.)
    queries:                             800020 (13332.04 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          60.0074s
    total number of events:              40001

Latency (ms):
         min:                                    5.02
         avg:                                   12.00
         max:                                  101.22
         95th percentile:                       17.95
         sum:                               479893.77

Threads fairness:
    events (avg/stddev):           5000.1250/31.20
    execution time (avg/stddev):   59.9867/0.00
"""
_OLTP_0_5 = """sysbench 0.5:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 4
Random number generator seed is 0 and will be ignored


Threads started!

OLTP test statistics:
    queries performed:
        read:                            280000
        write:                           80000
        other:                           40000
        total:                           400000
    transactions:                        20000  (333.31 per sec.)
    deadlocks:                           0      (0.00 per sec.)
    read/write requests:                 360000 (5999.64 per sec.)
    other operations:                    40000  (666.63 per sec.)

General statistics:
    total time:                          60.0036s
    total number of events:              20000
    total time taken by event execution: 239.9128s
    response time:
         min:                                  6.11ms
         avg:                                 12.00ms
         max:                                 87.15ms
         approx.  95 percentile:              16.02ms

Threads fairness:
    events (avg/stddev):           5000.0000/18.30
    execution time (avg/stddev):   59.9782/0.00
"""
_MEMORY = """sysbench 1.0.18 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 2
Initializing random number generator from current time


Running memory speed test with the following options:
  block size: 8KiB
  total size: 102400MiB
  operation: read
  scope: global

Initializing worker threads...

Threads started!

Total operations: 9321477 (931911.20 per second)

72824.04 MiB transferred (7280.56 MiB/sec)


General statistics:
    total time:                          10.0004s
    total number of events:              9321477

Latency (ms):
         min:                                    0.00
         avg:                                    0.00
         max:                                    4.12
         95th percentile:                        0.00
         sum:                                18502.11

Threads fairness:
    events (avg/stddev):           4660738.5000/2110.50
    execution time (avg/stddev):   9.2511/0.01
"""

FORMATS = (
    Format(
        "sysbench",
        _KINDS,
        samples=("sysbench-cpu.txt", "sysbench-fileio.txt", "sysbench-threads.txt"),
        prints=("sysbench",),
        may=("fixed-time-total",),
        others={"oltp of 1.0": _OLTP, "oltp of 0.5": _OLTP_0_5, "memory of 1.0": _MEMORY},
    ),
)
