"""redis-benchmark and valkey-benchmark: report, -q and --csv (src/redis-benchmark.c)."""

from __future__ import annotations

from sectax.audit.reading.grammar import UNMARKED, Csv, Promise, Text

REDIS_BENCHMARK = Text(
    name="redis-benchmark",
    title="the output of redis-benchmark or valkey-benchmark",
    means="Latency is from queueing a command to its answer; with -P it is that of the whole pipeline.",
    starts=(r"(?=.{1,400}$)====== {name:text} ======$",),
    lines=(
        r"{operations:n} requests completed in {duration_s:t}$",
        # With -P, which is not printed, each has many requests at once.
        r"{clients:n} parallel clients$",
        r"{size_bytes:n} bytes payload$",
        r"threads: {option.threads:w}$",
        # Its own heading, which another tool has too.
        r"{summary:flag}Summary:$",
        r"(?:throughput summary: )?{rate:n} requests per second$",
        r"(?=(?:[\d.]++\s++){5}[\d.]++$){latency.mean:ms} {latency.min:ms} {latency.median:ms} {latency.p95:ms} "
        r"{latency.p99:ms} {latency.max:ms}$",
    ),
    # A progress line may be before it.
    rows=(
        UNMARKED + r"(?:.{0,300}\(overall: \S+\) )?{name:text}: {rate:n} requests per second, "
        r"p50={latency.median:ms} msec$",
        r"(?=[A-Z_0-9]{3,20}(?: \([^()]{1,60}\))?: \d+\.\d\d ){name:text}: {rate:n} requests per second$",
    ),
    last=r"(?:throughput summary: )?\S+ requests per second$",
    fails=(r"(?:Error from server|Could not connect to (?:Redis|Valkey|server)|Error: Server closed)",),
    promises=(Promise("operations / duration_s = rate", within=0.05),),
    options={"clients": "clients", "size_bytes": "payload"},
)
REDIS_CSV = Csv(
    name="redis-benchmark",
    title="the CSV of redis-benchmark or valkey-benchmark",
    keys=("test", "rps", "avg_latency_ms"),
    columns={
        "test": "name:text",
        "rps": "rate:n",
        "avg_latency_ms": "latency.mean:ms",
        "min_latency_ms": "latency.min:ms",
        "max_latency_ms": "latency.max:ms",
        r"p(\d{1,3}(?:\.\d{1,9})?)_latency_ms": "latency.@:ms",
    },
)
