"""wrk and wrk2: wrk.c and units.c of both (sizes count in 1024)."""

from __future__ import annotations

from sectax.audit.form import EndsBy
from sectax.audit.reading.grammar import Promise, Text
from sectax.audit.reading.printed import Number

WRK = Text(
    name="wrk",
    title="wrk's output",
    starts=(r"Running {configured_s:t} test @ {name:w}", r"Making \d+ requests to {name:w}"),
    head=(r"(?:\S{1,99}[$#>] )?(?:\S*/)?wrk2? .{0,999}?(?:-R ?|--rate[ =]){target_rate:n}",),
    lines=(
        r"{by_schedule:flag}(?:Thread calibration:|Latency Distribution \(HdrHistogram)",
        r"{threads:n} threads and {connections:n} connections",
        r"Latency {latency.mean:t} {latency.stddev:t} {latency.max:t}(?: {within:%}%)?$",
        r"Req/Sec {per_thread:n} {per_thread_stddev:n} {per_thread_max:n}",
        r"{latency.p:q}% {latency.@:t}$",
        r"#\[Mean = {footer_mean:ms},",
        r"#\[Max = {footer_max:ms}, Total count = {recorded:n}\]",
        r"{operations:n} requests in {duration_s:t}, {bytes:B} read",
        r"Socket errors: connect {failed.connect:n}, read {failed.read:n}, write {failed.write:n}, timeout "
        r"{failed.timeout:n}",
        r"Non-2xx or 3xx responses: {failed.status:n}",
        r"Requests/sec: {rate:n}",
        r"Transfer/sec: {bandwidth:B/s}",
    ),
    last=r"Requests/sec:",
    fails=(
        r"unable to (?:(?:connect to|resolve) \S+:\S+ \S|create thread|initialize SSL)",
        r"number of connections must",
        r"We are about to crash",
        r"\S*\.lua:\d",
    ),
    # It prints no line of errors where there are none.
    fixed={"failures": Number(0.0), "ends_by": EndsBy.TIME},
    promises=(Promise("footer_mean = latency.mean", within=0.01), Promise("recorded <= operations + connections")),
)
