"""fortio: the report of `fortio load`, and its JSON (fortio.org/fortio)."""

from __future__ import annotations

from sectax.audit.form import EndsBy
from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read
from sectax.audit.tools.vegeta import count_answers


def _shape(records: list[Record]) -> list[Record]:
    # A histogram of the times of sleeping may be first.
    records = [record for record in records if record.begun]
    for record in records:
        fields = record.fields
        for share, value in zip(fields.pop("share", []), record.numbers("of_share"), strict=False):
            if isinstance(read("n", str(share)), Number):
                fields[f"latency.{percentile_name(str(share))}"] = [value]
        # Histograms of errors and of connecting follow that of the calls.
        fields |= {name: values[:1] for name, values in fields.items() if name.startswith("latency.")}
        record.keep_supported(record.number("operations"))
        if (answers := count_answers(fields.get("codes", ()))) is not None:
            fields["failures"] = [answers[1]]
        record.put({"configured_s": read("t", record.text("asked_s") or "")})
        target = record.number("target_rate") or read("n", record.text("asked") or "0")
        if isinstance(target, Number) and target.value > 0:
            record.put({"target_rate": target, "achieved_rate": record.number("rate")})
            fields.pop("rate", None)
        else:
            fields.pop("target_rate", None)
    return records


FORTIO = Text(
    name="fortio",
    title="fortio's report",
    means=(
        "Percentiles are interpolated in a histogram with steps of 1 ms (-r), and left out of few calls; "
        "latency is not corrected."
    ),
    head=(
        r"(?:Fortio \S+ r|R)unning at {target_rate:n} queries per second,? .{0,60}?(?:for {configured_s:t})?: "
        r"{name:w}$",
        r"Starting at (?:max|{target_rate:n}) qps with {connections:n} thread",
        r"Ended after {duration_s:t} : {operations:n} calls\. qps={rate:n}",
    ),
    starts=(
        r"Aggregated Function Time : count {count:n} avg {latency.mean:s} \+/- {latency.stddev:s} "
        r"min {latency.min:s} max {latency.max:s} sum {taken:s}",
    ),
    lines=(r"(?:# )?target {latency.p:q}% {latency.@:s}$", r"Code (?=-?\d{1,9} : \d){codes:text}$"),
    fails=(r"Aborting because of ",),
    warns=(r"WARNING [\d.]+% of sleep were falling behind",),
    fixed={"ends_by": EndsBy.TIME},
    promises=(Promise("latency.mean * count = taken"),),
    options={"connections": "threads"},
    shape=_shape,
)
FORTIO_JSON = Json(
    name="fortio",
    title="fortio's JSON",
    keys=("RequestedQPS", "DurationHistogram"),
    fields={
        "URL": "name:text",
        "RequestedQPS": "asked:text",
        "RequestedDuration": "asked_s:text",
        "ActualQPS": "rate:n",
        "ActualDuration": "duration_s:ns",
        "NumThreads": "connections:n",
        "RetCodes": "codes:text",
        "DurationHistogram.Count": "operations:n",
        "DurationHistogram.Min": "latency.min:s",
        "DurationHistogram.Max": "latency.max:s",
        "DurationHistogram.Avg": "latency.mean:s",
        "DurationHistogram.StdDev": "latency.stddev:s",
        "DurationHistogram.Percentiles[].Percentile": "share:text",
        "DurationHistogram.Percentiles[].Value": "of_share:s",
    },
    options={"connections": "threads"},
    shape=_shape,
)
