"""h2load: print of the statistics (src/h2load.cc of nghttp2/nghttp2; sizes count in 1024)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Promise, Record, Text

_SPREAD = "{{{0}.min:t}} {{{0}.max:t}} {{{0}.mean:t}} {{{0}.stddev:t}} {{{1}:%}}%"


def _shape(records: list[Record]) -> list[Record]:
    for record in records:
        if (connections := record.number("connections")) is not None:
            record.fields["option.connections"] = [connections]
    return records


H2LOAD = Text(
    name="h2load",
    title="h2load's output",
    starts=(r"starting benchmark\.\.\.",),
    head=(r"(?:\S{0,99}[$#>] )?(?:\S*/)?h2load .{0,999}?-c[ =]?{connections:n}",),
    lines=(
        r"finished in {duration_s:t}, {rate:n} req/s, {bandwidth:B/s}/s$",
        r"requests: {operations:n} total, {started:n} started, {done:n} done, {succeeded:n} succeeded, "
        r"{failed.requests:n} failed, {errored:n} errored, {timeout:n} timeout",
        r"status codes: {good:n} 2xx, {moved:n} 3xx, {failed.status:n} 4xx, {wrong:n} 5xx",
        r"time for request: " + _SPREAD.format("latency", "within"),
        r"time for connect: " + _SPREAD.format("connect", "connects_within"),
        r"time to 1st byte: " + _SPREAD.format("first byte", "bytes_within"),
    ),
    last=r"time (?:to 1st byte|for request):",
    fails=(r"\[ERROR\]|client could not connect",),
    promises=(
        Promise("succeeded + failed.requests <= operations"),
        Promise("errored + timeout <= failed.requests"),
        Promise("good + moved + failed.status + wrong <= operations"),
    ),
    shape=_shape,
)
GRAMMARS = (H2LOAD,)
