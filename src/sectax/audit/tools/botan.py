"""`botan speed`: its text and JSON (src/cli/speed.cpp of randombit/botan)."""

from __future__ import annotations

from sectax.audit.reading.grammar import UNMARKED, Json, Record, Text
from sectax.audit.reading.printed import Number

_PRECISE = 100


def _shape(records: list[Record]) -> list[Record]:
    for record in records:
        # Of a rate and a time, the one with more digits.
        if (rate := record.number("rate")) is not None and "time.mean" in record.fields:
            if rate.value > _PRECISE:
                record.fields["time.mean"] = [Number(1 / rate.value, rate.step / rate.value**2, "s")]
            del record.fields["rate"]
        took, operations = record.number("took"), record.number("operations")
        if took is not None and operations is not None and operations.value and "bandwidth" not in record.fields:
            record.fields.setdefault("time.mean", [Number(took.value / operations.value, 0.0, "s")])
    return [record for record in records if "level.algorithm" in record.fields]


_PROVIDER = r"(?: \[{option.provider:w}\])?"
BOTAN = Text(
    name="botan",
    title="the output of botan speed",
    means="MiB/sec and bps (bytes per second) are of one thread; the time of an operation is a mean.",
    rows=(
        UNMARKED + rf"{{level.algorithm:text}}{_PROVIDER} {{level.operation:w}} buffer size {{size_bytes:n}} "
        r"bytes: {bandwidth:B/s}/sec ",
        UNMARKED + rf"{{level.algorithm:text}}{_PROVIDER} {{rate:n}} {{level.operation:text}}/sec; "
        r"{time.mean:ms} ms/op .{0,60}\({operations:n} ops? in {took:ms} ms\)",
    ),
    options={"size_bytes": "buffer"},
    shape=_shape,
)
BOTAN_JSON = Json(
    name="botan",
    title="the JSON of botan speed",
    keys=("algo", "op", "nanos"),
    each="[]",
    fields={
        "algo": "level.algorithm:text",
        "op": "level.operation:text",
        "buf_size": "size_bytes:n",
        "bps": "bandwidth:b/s",
        "nanos": "took:ns",
        "events": "operations:n",
    },
    options={"size_bytes": "buffer"},
    shape=_shape,
)
