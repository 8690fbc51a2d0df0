"""ApacheBench: support/ab.c of apache/httpd. Times are whole milliseconds."""

from __future__ import annotations

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Csv, Promise, Record, Text
from sectax.audit.reading.printed import Number, percentile_name

# A dynamic page rarely changes its length, and by less than a factor of two.
_MOST_OTHERS, _MOST_CHANGE = 0.5, 2.0
_LENGTHS = "give -l if the page changes, or check its answers"


def _complete(record: Record) -> None:
    if (host := record.text("host")) is not None:
        port = record.text("port")
        record.put({"name": host + (f":{port}" if port else "") + (record.text("path") or "")})
    if (speed := record.number("kib_s")) is not None:
        record.fields["bandwidth"] = [Number(speed.value * 1024, speed.step * 1024, "bytes/s")]
    all_failed, other_failures = record.number("all_failed"), record.number("others")
    if other_failures is None and all_failed is not None:
        record.fields.setdefault("failed.requests", [all_failed])
    elif other_failures is not None and other_failures.value and record.number("failed.status") is None:
        if not _changing(record, other_failures.value):
            record.fields["failed.length"] = [other_failures]
            return
        count = record.number("operations")
        part = (
            f"{100 * other_failures.value / count.value:.3g} %"
            if count and count.value
            else f"{other_failures.value:g}"
        )
        text = f"{part} of the answers had another length than the first: {_LENGTHS}"
        record.troubles.append(Trouble(TroubleKind.WARNED, record.line, text))


def _changing(record: Record, other_failures: float) -> bool:
    """Whether answers of different length look like a dynamic page."""
    operations, length, body = (record.number(name) for name in ("operations", "length", "body"))
    if operations is None or operations.value <= 0 or length is None or body is None:
        return True
    mean = (body.value - (operations.value - other_failures) * length.value) / other_failures
    similar = mean <= _MOST_CHANGE * length.value and length.value <= _MOST_CHANGE * mean
    return similar and other_failures <= _MOST_OTHERS * operations.value


AB = Text(
    name="ab",
    title="ApacheBench's output",
    starts=(r"This is ApacheBench",),
    lines=(
        r"Server Hostname: {host:w}",
        r"Server Port: {port:w}",
        r"Document Path: {path:w}",
        r"Document Length: {length:n} bytes",
        r"Concurrency Level: {connections:n}",
        r"Time taken for tests: {duration_s:t}",
        r"Complete requests: {operations:n}",
        r"Failed requests: {all_failed:n}",
        r"\(Connect: {failed.connect:n}(?:, Receive: {failed.receive:n})?, Length: {others:n}, "
        r"Exceptions: {failed.exceptions:n}\)",
        r"Write errors: {failed.write:n}",
        r"Non-2xx responses: {failed.status:n}",
        r"Total transferred: {bytes:b}",
        r"HTML transferred: {body:b}",
        r"Requests per second: {rate:n} \[#/sec\]",
        r"Transfer rate: {kib_s:n} \[Kbytes/sec\] received",
        r"Total: {latency.min:ms} {latency.mean:ms} {latency.stddev:ms} {middle:ms} {latency.max:ms}$",
        r"{latency.p:q}% {latency.@:ms}$",
    ),
    last=r"Transfer rate:",
    # The maximum of 'Total' again.
    ignored=(r"100% \d+ \(longest request\)",),
    fails=(
        r"apr_\w+: .{0,400}\(\d+\)",
        r"ab: (?!option)",
        r"(?:Test aborted after|Test failed|Send request (?:failed|timed out)!|SSL (?:handshake|read|write) failed)",
        r"Total of \d+ requests completed",
    ),
    warns=(r"(?:ERROR|WARNING): The median and mean for",),
    promises=(Promise("middle = latency.median", within=0.05), Promise("body <= bytes")),
    options={"connections": "connections"},
    complete=_complete,
)


def _percentiles(records: list[Record]) -> list[Record]:
    """Join the rows of -e."""
    whole = Record(1, ended=True)
    for record in records:
        if (share := str(record.text("share"))) in ("0", "50", "75", "90", "95", "99", "100"):
            whole.put({f"latency.{percentile_name(share)}": record.number("time")})
    return [whole]


def _summary(records: list[Record]) -> list[Record]:
    """Summarize the rows of -g, which are sorted by time."""
    times = sorted(number for record in records for number in record.numbers("time"))
    whole = Record(1, ended=True)
    if times:
        mean = Number(sum(number.value for number in times) / len(times), times[0].step, "s")
        whole.put({"count": Number(float(len(times))), "latency.min": times[0], "latency.mean": mean})
        places = {"latency.median": 0.5, "latency.p90": 0.9, "latency.p99": 0.99, "latency.max": 1.0}
        whole.put({name: times[min(int(share * len(times)), len(times) - 1)] for name, share in places.items()})
    return [whole]


AB_PERCENTILES = Csv(
    name="ab",
    title="ApacheBench's percentiles (-e)",
    keys=("Percentage served", "Time in ms"),
    columns={"Percentage served": "share:text", "Time in ms": "time:ms"},
    shape=_percentiles,
)
AB_TIMES = Csv(
    name="ab",
    title="ApacheBench's times (-g)",
    means="The rows of -g are whole ms, sorted by ttime: their order says nothing.",
    keys=("starttime", "seconds", "ctime", "dtime", "ttime", "wait"),
    columns={"ttime": "time:ms"},
    separator="\t",
    shape=_summary,
)
