"""pgbench: the report of PostgreSQL 9.6 to 18 (src/bin/pgbench/pgbench.c)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import Number

# Of the time: the latency of versions up to 13 includes it, and the rate does not.
_MOST_CONNECTING = 0.98


def _shape(records: list[Record]) -> list[Record]:
    clients: dict[str, list[Number | str]] = {}
    for record in records:
        fields = record.fields
        script = record.text("script")
        if script is None:
            record.begun = True
            clients = {name: fields[name] for name in ("connections", "by_schedule") if name in fields}
        else:
            fields |= {"name": [script], "level.script": [script], **clients}
        if "progress.values" in fields and len(record.numbers("progress.values")) < 2:
            del fields["progress.values"]
        rate, processed = record.number("rate"), record.number("operations")
        failures, including = record.number("failures"), record.number("rate_including")
        connecting = including is not None and rate is not None and including.value < _MOST_CONNECTING * rate.value
        clean = not connecting and not (failures and failures.value)
        if rate is not None and rate.value > 0 and processed is not None and clean:
            # Its rate leaves out the time of connecting.
            fields["duration_s"] = [Number(processed.value / rate.value, 0.0, "s")]
        if failures is not None and failures.value and processed is not None:
            # It counts only those that succeeded as processed.
            fields["operations"] = [Number(processed.value + failures.value)]
        if "by_schedule" in fields:
            # The rate is what was asked.
            fields.pop("progress.values", None)
            fields |= {"achieved_rate": asked} if (asked := fields.pop("rate", None)) else {}
    return records


_ITEM = r"(?:- )?"
PGBENCH = Text(
    name="pgbench",
    title="pgbench's report",
    means="Without a standard deviation the latency is clients × time ÷ transactions, not a mean of measured times.",
    starts=(r"pgbench \({library:w}", r"SQL script \d{1,4}: {script:text}$"),
    head=(r"(?:\S{0,99}[$#>] )?(?:\S*/)?pgbench (?:.{0,999}? )?(?:-R ?|--rate[ =]){target_rate:n}",),
    lines=(
        r"progress: [\d.]{1,12} s, {progress.values:r} tps, lat ",
        r"(?:transaction type|SQL script): {name:text}$",
        r"query mode: {option.query_mode:w}",
        r"scaling factor: {option.scale:w}",
        r"number of clients: {connections:n}",
        r"number of threads: {option.threads:w}",
        r"duration: {configured_s:s} s$",
        r"number of transactions actually processed: {operations:n}",
        _ITEM + r"{operations:n} transactions \([\d.]+% of total, tps = {rate:n}\)",
        _ITEM + r"number of failed transactions: {failures:n} ",
        _ITEM + r"number of transactions skipped: {dropped:n} ",
        _ITEM + r"latency average[ =:]+{latency.mean:ms} ms",
        _ITEM + r"latency stddev[ =:]+{latency.stddev:ms} ms",
        r"{by_schedule:flag}rate limit schedule lag: ",
        r"average connection time = {connecting.mean:ms} ms",
        r"tps = {rate:n} \((?:excluding|without|including reconnection)",
        r"tps = {rate_including:n} \(including connections",
    ),
    last=r"(?:tps = \S+ \((?:excluding|without|including reconnection)|(?:- )?latency average = )",
    fails=(r"pgbench: error: .{0,200}aborted", r"Run was aborted"),
    options={"connections": "clients"},
    shape=_shape,
)
