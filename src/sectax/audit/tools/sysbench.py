"""sysbench 0.4 to 1.1: src/sysbench.c and src/tests of akopytov/sysbench."""

from __future__ import annotations

from sectax.audit.form import EndsBy, Moves
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number

_MIB = 2.0**20
# Name of a rate in MiB/s -> metric.
_BANDWIDTHS = {"read_mib": "read bytes", "written_mib": "written bytes", "moved_mib": "transferred"}


def _complete(record: Record) -> None:
    fields = record.fields
    kind = next((name for name in ("cpu", "memory", "fileio", "threads_test", "mutex", "sql") if name in fields), "")
    fields["name"] = [" ".join(filter(None, ("sysbench", kind.removesuffix("_test"), record.text("doing"))))]
    for name, metric in _BANDWIDTHS.items():
        if (speed := record.number(name)) is not None:
            fields[f"{metric}.rate"] = [Number(speed.value * _MIB, speed.step * _MIB, "bytes/s")]
    if kind in ("memory", "fileio"):
        fields["moves"] = [Moves.BODY]
        if kind == "memory" and "block" in fields:
            fields["size_bytes"] = fields["block"]
    tps = record.number("tps")
    if tps is not None and tps.value > 0:
        fields.setdefault("rate", [tps])
    moved, asked = record.number("moved"), record.number("asked")
    if moved is not None and asked is not None and moved.value * _MIB < asked.value:
        fields["ends_by"] = [EndsBy.TIME]
    if "duration_s" in fields:
        fields["total_time"] = fields["duration_s"]
    if kind == "fileio" and "operations" in fields:
        # The rates count reads, writes and syncs, not events.
        fields["count"] = fields.pop("operations")
        # A test of reads does not write.
        rates = {name: number.value for name in fields if name.endswith(".rate") and (number := record.number(name))}
        for name in [name for name, rate in rates.items() if not rate and any(rates.values())]:
            del fields[name]


SYSBENCH = Text(
    name="sysbench",
    title="sysbench's output",
    starts=(r"sysbench v?{version:w}",),
    lines=(
        r"Number of threads: {threads:n}",
        r"Target transaction rate: {target_rate:n}/sec",
        r"{cpu:flag}(?:CPU speed:|Doing CPU performance)",
        r"(?:Prime numbers limit|Maximum prime number checked in CPU test): {primes:n}",
        r"{memory:flag}(?:Running memory speed test|Doing memory operations speed test)",
        r"{fileio:flag}(?:File operations:|Extra file open flags:)",
        r"{threads_test:flag}Doing thread subsystem performance test",
        r"{mutex:flag}Doing mutex performance test",
        r"{sql:flag}(?:SQL statistics:|OLTP test statistics:)",
        r"Doing {doing:text} test$",
        r"(?:Memory )?[Bb]lock size:? {block:B}",
        r"(?:total size|Memory transfer size): {asked:B}$",
        r"(?:operation|Memory operations type): {doing:w}$",
        r"(?:total time|time elapsed): {duration_s:t}",
        r"total number of events: {operations:n}",
        r"(?:events per second|events/s \(eps\)): {rate:n}",
        r"(?:Total operations|Operations performed): {performed:n} \(\s?{rate:n} (?:per second|ops/sec)\)",
        r"{moved:n} Mi?B transferred \({moved_mib:n} Mi?B/sec\)",
        r"reads/s: {reads.rate:r}",
        r"writes/s: {writes.rate:r}",
        r"fsyncs/s: {fsyncs.rate:r}",
        r"read, MiB/s: {read_mib:n}",
        r"written, MiB/s: {written_mib:n}",
        r"\[\s*[\d.]+s\s*\] (?:thds|threads): \d+,?\s(?:tps|eps): {reports.values:r}",
        r"transactions: {transactions:n} \(\s?{tps:n} per sec\.\)",
        r"(?:ignored errors|deadlocks): {failed.errors:n}",
        r"reconnects: {failed.reconnects:n}",
        *(
            rf"{name}: {{latency.{statistic}:{kind}}}$"
            for name, statistic in (("min", "min"), ("avg", "mean"), ("max", "max"))
            for kind in ("t", "ms")
        ),
        *(rf"(?:approx\. )?{{latency.p:q}}(?:th)? percentile: {{latency.@:{kind}}}$" for kind in ("t", "ms")),
        r"sum: {taken:ms}$",
        r"total time taken by event execution: {taken:s}s?$",
        r"events \(avg/stddev\): {thread_events:n}/{thread_events_stddev:n}",
        r"execution time \(avg/stddev\): {thread_time:s}/{thread_time_stddev:n}",
    ),
    ignored=(r"Memory transfer size: \d+M$",),
    last=r"execution time \(avg/stddev\):",
    fails=(r"FATAL: ", r"(?:PANIC: )?[Ee]rror (?:in|while)\b", r"Segmentation fault"),
    warns=(r"(?:ALERT|WARNING): ", r"Number of unfinished transactions", r"Forcing shutdown"),
    promises=(
        Promise("thread_events * threads = operations"),
        Promise("latency.mean * operations = taken", within=0.02),
        Promise("thread_time * threads = taken", within=0.02),
        Promise("taken <= threads * duration_s", within=0.02),
        Promise("transactions / duration_s = tps", within=0.02),
        Promise("moved / duration_s = moved_mib", within=0.02),
    ),
    options={"threads": "threads", "block": "block size", "primes": "largest prime"},
    complete=_complete,
)
