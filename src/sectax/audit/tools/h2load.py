"""h2load: statistics (src/h2load.cc of nghttp2/nghttp2; sizes by 1024)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number


def _complete(record: Record) -> None:
    if (connections := record.number("connections")) is not None:
        # Concurrent requests per connection.
        streams = record.number("streams") or Number(1.0)
        record.fields["connections"] = [Number(connections.value * streams.value)]
        if (each := record.number("rps")) is not None:
            record.put({"target_rate": Number(each.value * connections.value), "achieved_rate": record.number("rate")})
            del record.fields["rate"]
    finished, warm_up = record.number("finished"), record.number("warm_up") or Number(0.0)
    done, total = record.number("succeeded"), record.number("operations")
    # The rate is of what succeeded, in the time after the warm-up.
    if finished is not None and done is not None and total is not None and done.value == total.value:
        record.fields["duration_s"] = [finished._replace(value=finished.value - warm_up.value)]


_STATISTICS = ("min", "max", "median", "p95", "p99", "mean")
H2LOAD = Text(
    name="h2load",
    title="h2load's output",
    means="'finished in' includes the warm-up, requests and rate do not; the rate is of requests that succeeded.",
    starts=(r"starting benchmark\.\.\.",),
    head=(
        r"(?:\S{0,99}[$#>] )?(?:\S*/)?h2load (?=.{0,999}?-c[ =]?{connections:n})"
        r"(?:(?=.{0,999}?--rps[ =]{rps:n}))?(?:.{0,999}?(?:-m|--max-concurrent-streams)[ =]?{streams:n})?",
    ),
    lines=(
        r".{0,80}Timing-based test with {warm_up:t} of warm-up time and {configured_s:t} of main duration",
        r"finished in {finished:t}, {rate:n} req/s, {bandwidth:B/s}/s$",
        r"requests: {operations:n} total, {started:n} started, {done:n} done, {succeeded:n} succeeded, "
        r"{failed.requests:n} failed, {errored:n} errored, {timeout:n} timeout",
        r"status codes: {good:n} 2xx, {moved:n} 3xx, {refused:n} 4xx, {wrong:n} 5xx",
        r"time for request: {latency.min:t} {latency.max:t} {latency.mean:t} {latency.stddev:t} {within:%}%",
        r"(?=request\s++:(?:\s++[\d.]{1,12}\w{0,2}%?){8}$)request : {latency.min:t} {latency.max:t} {latency.median:t} "
        r"{latency.p95:t} {latency.p99:t} {latency.mean:t} {latency.stddev:t} {within:%}%",
    ),
    last=r"(?:time (?:to 1st byte|for request)|TTFB ):",
    fails=(r"\[ERROR\]|client could not connect",),
    promises=(
        Promise("succeeded + failed.requests <= operations"),
        Promise("errored + timeout <= failed.requests"),
        Promise("good + moved + refused + wrong <= operations"),
        Promise("refused + wrong <= failed.requests", fatal=False),
    ),
    options={"connections": "connections"},
    complete=_complete,
)
H2LOAD_JSON = Json(
    name="h2load",
    title="h2load's JSON",
    keys=("generator", "measurements", "request_per_second"),
    fields={
        "measurements.duration": "finished:s",
        "measurements.request_per_second": "rate:n",
        "measurements.bytes_per_second": "bandwidth:b/s",
        "measurements.requests.total": "operations:n",
        "measurements.requests.failed": "failed.requests:n",
        # Its samples are sorted, so they show no order.
        **{f"measurements.performance.request.{name}": f"latency.{name}:s" for name in _STATISTICS},
        "measurements.performance.request.sd": "latency.stddev:s",
    },
    complete=_complete,
)
