"""Tools whose output is known, but not read."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOOLS = {
    "dd": r"\d+ bytes (?:\([^()]{1,60}\) ){0,2}(?:copied|transferred)",
    "Gatling": r"---- (?:Global Information|Requests) -|> request count",
    "liboqs speed": r"Operation\s+\| (?:Iterations \| Total time|Mean time)",
    "drill": r"Time taken for tests\s+[\d.]+ seconds",
    "vegeta plot": r".{0,200}<title>Vegeta Plot",
    "vegeta encode": r'\{"attack":"[^"]{0,99}","seq":\d',
    "vegeta hist": r"Bucket\s+#\s+%\s+Histogram",
    "Locust": r"Type\s+Name\s+# reqs\s",
    "JMeter": r"timeStamp,elapsed,label,|summary [+=]\s+\d+ in ",
    "pyperf compare_to": r"Mean \+- std dev: \[",
    "k6": r"metric_name,timestamp,metric_value",
    "perf stat": r"Performance counter stats for",
    "perf bench": r"# Running '?[\w/-]{1,60}'? benchmark:",
    "netperf": r"MIGRATED (?:TCP|UDP)_\w{1,20} TEST",
    "ioping": r"--- .{1,200} ioping statistics ---",
    "hdparm": r"Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) reads:",
    "wolfCrypt": r"wolfCrypt Benchmark",
    "YCSB": r"\[OVERALL\], RunTime\(ms\)",
    "mysqlslap": r"Average number of seconds to run all queries",
    "STREAM": r"Function\s+Best Rate MB/s",
    "UnixBench": r"System Benchmarks Index Score",
    "cyclictest": r"T:\s?\d+ \(\s*\d+\) P:",
    "sockperf": r"sockperf: ",
    "qperf": r"(?:tcp|udp)_(?:bw|lat):$",
    "Artillery": r"Summary report @ ",
    "cassandra-stress": r"Op rate\s+:\s+[\d,]+ op/s",
    "7-Zip": r"Tot:(?:\s+\d+){3}",
}


def unread_tool(lines: Sequence[str]) -> str | None:
    """Return the tool that wrote one of these lines."""
    patterns = {name: re.compile(pattern) for name, pattern in _TOOLS.items()}
    return next((name for line in lines for name, pattern in patterns.items() if pattern.match(line)), None)
