"""h2load: statistics (src/h2load.cc of nghttp2/nghttp2; sizes by 1024)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number


def _shape(records: list[Record]) -> list[Record]:
    for record in records:
        if (connections := record.number("connections")) is not None:
            # Concurrent requests per connection.
            streams = record.number("streams") or Number(1.0)
            record.fields["connections"] = [Number(connections.value * streams.value)]
    return records


H2LOAD = Text(
    name="h2load",
    title="h2load's output",
    starts=(r"starting benchmark\.\.\.",),
    head=(
        r"(?:\S{0,99}[$#>] )?(?:\S*/)?h2load (?=.{0,999}?-c[ =]?{connections:n})"
        r"(?:.{0,999}?(?:-m|--max-concurrent-streams)[ =]?{streams:n})?",
    ),
    lines=(
        r"finished in {duration_s:t}, {rate:n} req/s, {bandwidth:B/s}/s$",
        r"requests: {operations:n} total, {started:n} started, {done:n} done, {succeeded:n} succeeded, "
        r"{failed.requests:n} failed, {errored:n} errored, {timeout:n} timeout",
        r"status codes: {good:n} 2xx, {moved:n} 3xx, {refused:n} 4xx, {wrong:n} 5xx",
        r"time for request: {latency.min:t} {latency.max:t} {latency.mean:t} {latency.stddev:t} {within:%}%",
    ),
    last=r"time (?:to 1st byte|for request):",
    fails=(r"\[ERROR\]|client could not connect",),
    promises=(
        Promise("succeeded + failed.requests <= operations"),
        Promise("errored + timeout <= failed.requests"),
        Promise("good + moved + refused + wrong <= operations"),
        Promise("refused + wrong <= failed.requests", fatal=False),
    ),
    options={"connections": "connections"},
    shape=_shape,
)
GRAMMARS = (H2LOAD,)
