"""memtier_benchmark: its table of commands (memtier_benchmark.cpp)."""

from __future__ import annotations

import re

from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read

_COLUMN = re.compile(r"(?:(Avg\.|p\d{1,3}(?:\.\d{1,9})?) )?(\S+)")


def _shape(records: list[Record]) -> list[Record]:
    rows = [(record, str(row).split()) for record in records for row in record.fields.get("rows", ())]
    measured = []
    for table, (command, *cells) in rows:
        record = Record(table.line, dict(table.fields), ended=True)
        record.put({}, {"command": command})
        columns = _COLUMN.findall(re.sub(r"\s+", " ", record.text("columns") or ""))
        for (prefix, heading), cell in zip(columns, cells, strict=False):
            number = read("ms" if heading == "Latency" else "n", cell)
            if heading == "Ops/sec" and isinstance(number, Number) and number.value:
                record.fields["rate"] = [number]
            elif heading == "Latency":
                record.put({f"latency.{percentile_name(prefix[1:]) if prefix.startswith('p') else 'mean'}": number})
        measured += [record] if "rate" in record.fields else []
    # The total of one command is that command.
    return [record for record in measured if record.text("level.command") != "Totals"] or measured


MEMTIER = Text(
    name="memtier",
    title="memtier_benchmark's table",
    means="Latency is in ms, of a command until its answer; Gets count misses too, which move no data.",
    head=(
        r"{option.threads:n} Threads$",
        # Each may have many requests at once, which is not printed.
        r"{option.connections:n} Connections per thread$",
        r"{configured_s:s} Seconds$",
    ),
    starts=(r"Type (?=.{0,400}Ops/sec){columns:text}$",),
    lines=(r"(?=[A-Z]\w{2,30}\s++\d+\.\d\d\s++(?:(?:[\d.]++|---|-?nan)\s*+){3,20}$){rows:text}$",),
    fails=(r"(?:connection error|error: |handle error response):",),
    shape=_shape,
)
