"""warp: reports of an analysis, since 2019 (cli/analyze.go of minio/warp)."""

from __future__ import annotations

import re

from sectax.audit.form import EndsBy, Quantity
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import read
from sectax.audit.reading.registry import body_direction

_FACTS = {
    "operations": ("n", re.compile(r"\((\d+)(?: reqs)?\)|total: (\d+)")),
    "size_bytes": ("n", re.compile(r"Size: (\d+) bytes")),
    "connections": ("n", re.compile(r"Concurrency: (\d+)")),
    "objects": ("n", re.compile(r"Objects per (?:request|operation): (\d+)")),
    "duration_s": ("t", re.compile(r"Ran(?: Duration)?:? ([0-9hms.]{2,20}?)(?=[.,]?(?:\s|$))")),
}
_BYTES = r"(?:[\d.]+\s?[KMGT]?i?B/s, )?"


def _complete(record: Record) -> None:
    texts = [str(text) for text in record.fields.get("facts", [])]
    for name, (kind, pattern) in _FACTS.items():
        match = next((match for text in texts if (match := pattern.search(text))), None)
        if match is not None and name not in record.fields:
            record.put({name: read(kind, next(filter(None, match.groups())))})
    operation = re.match(r"[A-Z]+", texts[0]) if texts and record.begun else None
    if operation is not None:
        record.fields |= {name: [operation[0]] for name in ("name", "operation", "level.operation")}
        # All operations of a mixed benchmark use the same objects.
        if operation[0] == "GET" and "%" in texts[0]:
            record.fields["contains"] = ["STAT"]
        record.put({"moves": body_direction(operation[0])})
    middle = record.number("segments.median")
    of_all = record.number("bandwidth" if middle is not None and middle.unit == "bytes/s" else "rate")
    if middle is not None and of_all is not None:
        record.fields["segments.mean"] = [of_all]
    objects = record.number("objects")
    if objects is not None and objects.value > 1:
        # The rate counts objects, not requests.
        record.fields["count"] = record.fields.pop("operations", [])
    elif "rate" in record.fields:
        record.fields["requests_s"] = record.fields["rate"]


WARP = Text(
    name="warp",
    title="warp's report",
    starts=(r"(?:Report|Operation): (?=[A-Z]{3,}(?:[ .,(]|$)){facts:text}$",),
    lines=(
        r"(?:\* )?(?=Objects per (?:request|operation): ){facts:text}$",
        r"Requests considered: {count:n}",
        r"(?:\* )?(?:(?:Average|Throughput): )?{bandwidth:B/s}/s, {rate:n} obj/s(?: \({duration_s:t}[,)])?",
        r"(?:\* )?(?:Average|Throughput): {rate:n} obj/s(?: \({duration_s:t}[,)])?",
        r"(?:\* )?(?:Reqs: )?Avg: {latency.mean:t}, 50%: {latency.median:t}, 90%: {latency.p90:t}, "
        r"99%: {latency.p99:t}, Fastest: {latency.min:t}, Slowest: {latency.max:t}(?:, StdDev: {latency.stddev:t})?",
        *(
            rf"(?:\* )?{heading}: {{segments.{statistic}:{kind}"
            for heading, statistic in (("Fastest", "high"), ("50% Median", "median"), ("Slowest", "low"))
            for kind in ("B/s}/s,", "n} obj/s")
        ),
        rf"(?:\* )?https?://\S+ Avg: {_BYTES}{{of_host:n}} obj/s",
        rf"Client \d+ throughput: {_BYTES}{{of_client:n}} obj/s",
        r"(?:\* )?Errors: {failed.requests:n}",
    ),
    warns=(r".{0,200}?<ERROR>", r"Total Errors: ?[1-9]", r"(?:Skipping .{0,80}too few samples|Not enough requests)"),
    fixed={"ends_by": EndsBy.TIME},
    quantities={"segments": Quantity.BANDWIDTH},
    promises=(
        Promise("rate * size_bytes = bandwidth", within=0.02),
        Promise("sum(of_host) = rate", within=0.05, fatal=False),
        Promise("sum(of_client) = rate", within=0.05, fatal=False),
        # Segments are sorted by bytes, if present.
        *(
            Promise(f"segments.{less} <= segments.{more}", within=0.02, fatal=False)
            for less, more in (("low", "mean"), ("mean", "high"), ("low", "median"), ("median", "high"))
        ),
        Promise("latency.mean * requests_s <= connections", within=0.1),
    ),
    options={"connections": "concurrency", "size_bytes": "object size"},
    complete=_complete,
)
