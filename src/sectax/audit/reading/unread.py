"""Tools whose output is known, but not read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sectax.formats.bad_input import BadInput

# Their tables mix several quantities in a column, or units in a cell, so they are not read as tables either.
_TABLES = {
    "Locust": r"Type\s+Name\s+# reqs\s",
    "liboqs speed": r"Operation\s+\| (?:Iterations \| Total time|Mean time)",
    "k6": r"metric_name,timestamp,metric_value",
}
_TOOLS = _TABLES | {
    "dd": r"\d+ bytes (?:\([^()]{1,60}\) ){0,2}(?:copied|transferred)",
    "Gatling": r"---- (?:Global Information|Requests) -|> request count",
    "drill": r"Time taken for tests\s+[\d.]+ seconds",
    "vegeta plot": r".{0,200}<title>Vegeta Plot",
    "vegeta encode": r'\{"attack":"[^"]{0,99}","seq":\d',
    "vegeta hist": r"Bucket\s+#\s+%\s+Histogram",
    "JMeter": r"timeStamp,elapsed,label,|summary [+=]\s+\d+ in ",
    "pyperf compare_to": r"Mean \+- std dev: \[",
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


def refuse_unread(lines: Sequence[str], *, tables_only: bool = False) -> None:
    """Raise `BadInput` with the name of the tool that wrote one of these lines."""
    patterns = {name: re.compile(pattern) for name, pattern in (_TABLES if tables_only else _TOOLS).items()}
    tool = next((name for line in lines for name, pattern in patterns.items() if pattern.match(line)), None)
    if tool is not None:
        hint = "copy its figures into a table, with a line of names above them (--format csv)"
        raise BadInput(f"this is {tool}'s output, which is not read", hint)
