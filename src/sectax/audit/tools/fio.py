"""fio: text output (stat.c of axboe/fio, version 3) and JSON output."""

from __future__ import annotations

import re
from typing import Any

from sectax.audit.form import Moves
from sectax.audit.reading.document import parse_record
from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read

_UNITS = {"nsec": "ns", "usec": "us", "msec": "ms"}
_QUANTILE = re.compile(r"(\d+\.\d+)th=\[\s*(\d+)\]")
_SUMMARY = re.compile(r"min=\s*(\S+), max=\s*(\S+), avg=\s*(\S+), stdev=\s*(\S+?)(?:,|$)")
_STATISTICS = ("min", "max", "mean", "stddev")


def _shape(records: list[Record]) -> list[Record]:
    """A record for each direction of a job; latencies are those of completion."""
    planned = {record.text("planned"): record for record in records if "planned" in record.fields}
    records = [record for record in records if "planned" not in record.fields]
    for record in records:
        job, direction = record.text("job"), record.text("direction")
        record.fields["name"] = [f"{job or 'job'}, {direction or 'cut'}"]
        size, most = (
            planned[job].number(f"{end}_{direction}") if job in planned else None for end in ("block", "most")
        )
        if size is not None and size == most:
            record.fields |= {"size_bytes": [size], "option.block": [size], "moves": [Moves.BODY]}
        unit = _UNITS.get(record.text("latency_unit") or "", "us")
        if (match := _SUMMARY.search(record.text("latencies") or "")) is not None:
            texts = zip(_STATISTICS, match.groups(), strict=True)
            record.put({f"latency.{statistic}": read(unit, text) for statistic, text in texts})
        unit = _UNITS.get(record.text("quantile_unit") or "", "us")
        for text in record.fields.get("quantiles", ()):
            quantiles = _QUANTILE.findall(str(text))
            record.put({f"latency.{percentile_name(share)}": read(unit, value) for share, value in quantiles})
    return records


_PLACES = {
    "iops": "rate:n",
    "total_ios": "operations:n",
    "io_bytes": "bytes:b",
    "bw_bytes": "bandwidth:b/s",
    "runtime": "duration_s:ms",
    **{f"clat_ns.{statistic}": f"latency.{statistic}:ns" for statistic in _STATISTICS},
    "clat_ns.percentile.*": "latency.@:ns",
}


def _records(document: Any) -> list[Record]:
    records = []
    for job in document["jobs"]:
        for direction in ("read", "write", "trim"):
            if isinstance(figures := job.get(direction), dict) and figures.get("iops"):
                record = parse_record(_PLACES, figures, f"jobs.{direction}")
                record.fields["name"] = [f"{job.get('jobname', 'job')}, {direction}"]
                record.fields |= {"failures": [Number(float(job["error"] != 0))]} if "error" in job else {}
                records.append(record)
    return records


_PROMISES = (Promise("bandwidth / rate = size_bytes", within=0.05),)
FIO = Text(
    name="fio",
    title="fio's output",
    starts=(
        r"{direction:w}: IOPS=\s?{rate:n}, BW=\s?{bandwidth:B/s}/s (?:\(.{1,40}\))?\({bytes:B}/{duration_s:ms}msec\)",
    ),
    head=(r"{job:w}: \(groupid=\d+, jobs=\d+\): err=",),
    rows=(
        r"{planned:w}: \(g=\d+\): rw=\w+, bs=\(R\) {block_read:B}-{most_read:B}, \(W\) {block_write:B}-{most_write:B},",
    ),
    lines=(
        r"clat \({latency_unit:w}\): (?=min=){latencies:text}$",
        r"clat percentiles \({quantile_unit:w}\):",
        r"\| (?=\s*[\d.]+th=\[){quantiles:text}$",
    ),
    fails=(r"\S+: \(groupid=\d+, jobs=\d+\): err=\s?[1-9]", r"fio: (?:io_u error|pid=\d+, err=)"),
    warns=(r"fio: terminating on signal", r"note: both iodepth >= 1 and synchronous"),
    promises=_PROMISES,
    shape=_shape,
)
FIO_JSON = Json(name="fio", title="fio's JSON", keys=("fio version", "jobs"), records=_records, promises=_PROMISES)
