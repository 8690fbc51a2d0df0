"""bombardier: its report and `-o json` (codesenberg/bombardier)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Json, Record, Text
from sectax.audit.reading.printed import Number

_CODES = ("1xx", "2xx", "3xx", "4xx", "5xx", "others")


def _complete(record: Record) -> None:
    counts = [number for code in _CODES if (number := record.number(f"code_{code}")) is not None]
    operations = sum(number.value for number in counts)
    record.put({"operations": Number(operations) if counts else None})
    record.put({f"failed.{code}": record.number(f"code_{code}") for code in _CODES[3:]})
    if (seconds := record.number("duration_s")) is not None and seconds.value > 0 and counts:
        record.put({"achieved_rate" if "target_rate" in record.fields else "rate": Number(operations / seconds.value)})
    if "target_rate" in record.fields:
        record.fields = {name: of for name, of in record.fields.items() if not name.startswith("samples.")}


BOMBARDIER = Text(
    name="bombardier",
    title="bombardier's report",
    means="Reqs/sec is a mean of samples, not requests over time; latency is in µs in JSON, and not corrected with -r.",
    starts=(r"Bombarding {name:w} (?:for {configured_s:t}|with \d+ request\(s\)) using {connections:n} connection",),
    head=(r"(?:\S{0,99}[$#>] )?(?:\S*/)?bombardier (?:.{0,999}? )?(?:-r ?|--rate[ =]){target_rate:n}",),
    lines=(
        r"Reqs/sec {samples.mean:r} {samples.stddev:r} {samples.high:r}$",
        r"Latency {latency.mean:t} {latency.stddev:t} {latency.max:t}$",
        r"{latency.p:q}% {latency.@:t}$",
        ", ".join(rf"{code} - {{code_{code}:n}}" for code in _CODES[:5]),
        r"others - {code_others:n}$",
    ),
    last=r"Throughput:",
    options={"connections": "connections"},
    complete=_complete,
)
BOMBARDIER_JSON = Json(
    name="bombardier",
    title="bombardier's JSON",
    keys=("spec", "numberOfConnections", "result"),
    fields={
        "spec.url": "name:text",
        "spec.numberOfConnections": "connections:n",
        "spec.testDurationSeconds": "configured_s:s",
        "spec.rate": "target_rate:n",
        "result.timeTakenSeconds": "duration_s:s",
        **{f"result.req{code}": f"code_{code}:n" for code in _CODES[:5]},
        "result.others": "code_others:n",
        **{f"result.latency.{name}": f"latency.{name}:us" for name in ("mean", "stddev", "max")},
        "result.latency.percentiles.*": "latency.@:us",
    },
    options={"connections": "connections"},
    complete=_complete,
)
