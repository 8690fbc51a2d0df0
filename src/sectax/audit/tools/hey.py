"""hey and oha: rakyll/hey (requester/print.go), hatoo/oha (src/printer.rs)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number
from sectax.audit.tools.vegeta import count_answers

# hey keeps at most this many answers for its statistics.
_MOST_KEPT = 1_000_000


def _complete(record: Record) -> None:
    statuses, answers = record.numbers("status"), record.numbers("answers")
    if not answers:
        return
    total = sum(number.value for number in answers)
    refused = sum(n.value for code, n in zip(statuses, answers, strict=False) if not 200 <= code.value < 400)
    record.fields["failed.status"] = [Number(refused)]
    record.fields["count"] = [Number(total)]
    errors = sum(number.value for number in record.numbers("failed.error"))
    # Some versions count requests cut off at the end in the rate.
    if total < _MOST_KEPT and record.number("aborted") is None:
        record.fields["operations"] = [Number(total + errors)]


HEY = Text(
    name="hey",
    title="the output of hey or oha",
    starts=(r"[Ss]ummary:$",),
    head=(r"(?:\S{0,99}[$#>] )?(?:\S*/)?(?:hey|oha|boom) .{0,999}?-c[ =]?{connections:n}",),
    lines=(
        r"Success rate: {success:%}%",
        r"Total: {duration_s:t}$",
        r"Slowest: {latency.max:t}$",
        r"Fastest: {latency.min:t}$",
        r"Average: {latency.mean:t}$",
        r"Requests/sec: {rate:n}",
        r"Total data: {bytes:B}",
        r"Size/request: {size_bytes:B}",
        r"Size/sec: {bandwidth:B/s}",
        r"[\d.]+(?: \w{1,4})? \[{bucket:n}\]",
        r"(?!0%{1,2} in 0\.0){latency.p:q}%{1,2} in {latency.@:t}",
        r"\[{status:n}\] {answers:n} responses",
        r"\[{aborted:n}\] aborted due to deadline",
        r"\[{failed.error:n}\] \D",
    ),
    last=r"Status code distribution:",
    promises=(Promise("sum(bucket) = count", within=0.001), Promise("success * operations = count", within=0.01)),
    options={"connections": "connections"},
    complete=_complete,
)


def _complete_json(record: Record) -> None:
    if (answers := count_answers(record.fields.get("codes", ()))) is not None:
        record.put({"operations": answers[0], "failed.status": answers[1]})


OHA_JSON = Json(
    name="hey",
    title="oha's JSON",
    means="With -q and no --latency-correction, latency is from sending; a request cut off at the end does not count.",
    keys=("successRate", "requestsPerSec", "statusCodeDistribution"),
    fields={
        "summary.total": "duration_s:s",
        "summary.average": "latency.mean:s",
        "summary.fastest": "latency.min:s",
        "summary.slowest": "latency.max:s",
        "summary.requestsPerSec": "rate:n",
        "summary.sizePerSec": "bandwidth:b/s",
        **{f"latencyPercentiles.p{share}": f"latency.p{share}:s" for share in ("10", "25", "75", "90", "95", "99")},
        "latencyPercentiles.p50": "latency.median:s",
        "statusCodeDistribution": "codes:text",
    },
    complete=_complete_json,
)
