"""What lines of each tool begin with, margins and marks aside.

By them an output is known whose first lines were not copied, and what stands before such lines is known to be none of
them. Numbers that any text may hold are not enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_N = r"\d[\d.,]*+"

_OF_TOOLS = {
    "sysbench": (
        r"sysbench v?\d|Running the test with following options|Number of threads: \d|Threads started!"
        r"|Initializing (?:worker threads|random number generator)|Prime numbers limit: \d"
        r"|(?:General statistics|Test execution summary|SQL statistics|OLTP test statistics|Throughput|Latency \(ms\)"
        r"|CPU speed|File operations|Threads fairness|queries performed|per-request statistics|response time):$"
        rf"|(?:total time|time elapsed):\s{{1,60}}{_N}s$|total (?:number of events|time taken by event execution):"
        rf"|events(?: per second|/s \(eps\)):\s|(?:min|avg|max|sum):\s{{5,60}}{_N}(?:ms)?$"
        rf"|(?:approx\. {{1,4}})?\d{{2}}(?:th)? percentile:|(?:read|write|other|total):\s{{5,60}}\d++$"
        rf"|(?:transactions|queries|ignored errors|reconnects|deadlocks|read/write requests"
        rf"|other operations):\s{{5,60}}\d"
        rf"|(?:reads|writes|fsyncs)/s:\s|(?:read|written), MiB/s:\s|(?:read|write|fsync): {{1,4}}IOPS="
        rf"|Total operations: \d|{_N} MiB transferred \(|(?:events|execution time) \(avg/stddev\):"
    ),
    "openssl-speed": (
        r"type(?:\s{2,40}\d+ bytes)+$|\+(?:H|F\d*|R\d*|DTP?):\d|Doing .{1,100} for \d+(?:\.\d+)?s"
        r"|The 'numbers' are in 1000s"
        r"|(?:sign|op|keygen|encaps)\s+[a-z/. ]{2,80}/s$|OpenSSL \d+\.\d+\.\d|version: \d+\.\d+\.\d|built on: "
        r"|options: ?bn\(|Got: \+|Forked child \d"
        r"|CPUINFO: OPENSSL|[A-Za-z][\w ./-]{1,40}(?:\s{1,20}\d+\.\d\dk){3,}"
        r"|[A-Za-z0-9][\w ().,/-]{1,60}?(?:\s{1,9}\d\.\d+s){1,4}(?:\s{1,20}\d+\.\d){1,4}$"
    ),
    "lambda": (
        r"(?:REPORT|START|END|INIT_REPORT) RequestId: |INIT_START |XRAY TraceId: "
        r"|(?:REPORT )?Duration: [\d.]+ ms\s+Billed Duration: "
    ),
    "go-bench": (
        r"goos: \w|goarch: \w|pkg: \S|cpu: \S|Benchmark\S{0,2000}\s{1,200}\d+\s+\S+ \S+/op\b|PASS$|ok\s+\S+\s+\d+\.\d+s"
        r"|--- (?:FAIL|BENCH|SKIP): "
    ),
    "jmh": (
        r"# (?:JMH version|VM (?:version|invoker|options)|Warmup|Measurement|Timeout|Threads|Benchmark(?: mode)?"
        r"|Parameters"
        r"|Run (?:progress|complete)|Fork|Blackhole mode|Warmup Iteration {1,3}\d+)[:.]|Iteration {1,3}\d+: "
        r"|Benchmark\s(?:.{0,1000}\s)?Mode\s+(?:Cnt|Samples|Thr)\b|Result \"|\(min, avg, max\) = "
        r"|[A-Za-z]\S{1,400}(?:\s{1,200}\S{1,200}){0,6}\s{1,200}(?:thrpt|avgt|sample|ss)\s{1,200}(?:\d+\s+)?[≈\d]"
    ),
    "criterion": (
        r"(?:[A-Za-z][^\[\n]{0,400}\b)?time: {1,20}\[\d|thrpt: {1,20}\[\d|change:(?: |$)|Benchmarking \S{1,400}(?:$"
        r"|: [A-Z])"
        r"|Found \d+ outliers among|test \S{1,400} \.\.\. bench: |(?:Performance has|No change in performance)"
    ),
    "warp": (
        r"(?:Report|Operation): [A-Z]{3,}|\* (?:Average|Throughput|Reqs: Avg|TTFB|Fastest|Slowest|50% Median"
        r"|First Byte): "
        r"|\* Objects per request: |\* \S{1,200} Avg: |Throughput(?: by host:|, split into)|Cluster Total: \d"
        r"|Mixed operations\.|Requests considered: \d|Requests - "
    ),
    "wrk": (
        r"Running \S+ test @ |Making \d+ requests to |\d+ threads and \d+ connections|Thread Stats\s+Avg"
        rf"|Latency\s{{1,40}}{_N}[um]?s\s|Req/Sec\s{{1,40}}{_N}|Latency Distribution|\d+ requests in {_N}[a-z]+, "
        rf"|(?:Requests|Transfer)/sec:\s{{1,40}}\d|Socket errors: connect \d|Non-2xx or 3xx responses: \d"
        rf"|Thread calibration: |{_N}%\s{{1,40}}{_N}(?:us|ms|s|m)$|#\[(?:Mean|Max|Buckets) |Uncorrected Latency"
        rf"|{_N}\s{{1,20}}\d\.\d{{6}}\s{{1,20}}\d+\s"
    ),
    "ab": (
        r"This is ApacheBench|Copyright 1996 Adam Twiss|Licensed to The Apache|Benchmarking \S{1,200} \(be patient"
        r"|(?:Completed|Finished) \d+ requests|(?:Server (?:Software|Hostname|Port)|Document (?:Path|Length)"
        r"|SSL/TLS Protocol"
        r"|Concurrency Level|Time taken for tests|(?:Complete|Failed|Keep-Alive) requests|Write errors"
        r"|Non-2xx responses"
        r"|(?:Total|HTML) transferred|Total (?:body sent|POSTed)|Requests per second|Time per request|Transfer rate):\s"
        r"|Connection Times \(ms\)|min\s{1,9}mean\[\+/-sd\]|(?:Connect|Processing|Waiting|Total):(?:\s{1,20}\d+){2}"
        r"|Percentage of the requests served|\d{1,3}%\s{1,20}\d+(?: \(longest request\))?$"
    ),
    "hey": (
        rf"[Ss]ummary:$|(?:Total|Slowest|Fastest|Average):\s{{1,20}}{_N} (?:secs|sec|min|ms|us|µs|ns|s)$"
        rf"|Requests/sec:\s{{1,20}}\d|(?:Total data|Size/request|Size/sec):\s{{1,20}}\d|Success rate:\s"
        rf"|(?:Response time|Latency|Status code|Error) (?:histogram|distribution):$|{_N}%{{1,2}} in {_N} "
        r"|\[\d{3}\]\s{1,20}\d+ responses|DNS\+dialup:|Details \(average"
    ),
    "k6": (
        r"(?:[✓✗] {0,3})?(?:\{ [^{}]{1,200}\}|[A-Za-z_][\w ]{0,127}(?:\{[^{}]{1,200}\})?)\.{2,}: {1,9}\S"
        r"|execution: local"
        r"|scenarios: \(|running \([\dhms.]+\), |█ \S|script: \S|(?:WARN|ERRO|INFO)\[\d+\] "
    ),
    # A file of any of the tools that write one.
    "JSON": r'[{}\[\]]{1,3},?$|"[^"\n]{1,200}"\s?:|[\[{]\s?["\[{]',
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _OF_TOOLS.items()}
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in _OF_TOOLS.values()))
# Whose command stands above lines that two tools print: wrk -c10 http://…
_COMMAND = re.compile(
    r"(?:\S{1,200}[$#>] )?(?:\S{1,200}/)?(wrk2?|ab|hey|oha)(?:\.exe)? (?:\S{1,200} ){0,40}?(?:-|.?https?://)"
)
_OF_COMMAND = {"wrk2": "wrk", "oha": "hey"}
# So many lines of one tool, and of no other as many.
_LEAST_LINES = 2
# One row of it is unlike anything else.
_ALONE = ("openssl-speed",)


def is_known(line: str) -> bool:
    """Whether a line, without its margin, is surely of some tool's output."""
    return _ANY.match(line) is not None


def most_lines(lines: Sequence[str]) -> str | None:
    """The tool of which most of these lines are; None where that is not clear."""
    counts = Counter(
        name
        for line in lines
        if line and is_known(line)
        for name, pattern in _PATTERNS.items()
        if name != "JSON" and pattern.match(line)
    )
    if _is_open(counts):
        asked = {found[1] for line in lines if (found := _COMMAND.match(line))}
        counts.update({_OF_COMMAND.get(name, name) for name in asked} & counts.keys())
    first, second = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    enough = 1 if first[0] in _ALONE else _LEAST_LINES
    return first[0] if first[1] >= enough and first[1] > second[1] else None


def _is_open(counts: Counter[str]) -> bool:
    """Whether as many lines are of one tool as of another."""
    most = [count for _, count in counts.most_common(2)]
    return len(most) > 1 and most[0] == most[1]
