"""Locust: `--csv` of the requests, and of their history (locust/stats.py)."""

from __future__ import annotations

from sectax.audit.reading.grammar import Csv, Record


def _shape(records: list[Record]) -> list[Record]:
    # The last row of a name counts all before it.
    last = {(record.text("level.type"), record.text("level.request")): record for record in records}
    parts = [record for (_, name), record in last.items() if name != "Aggregated"]
    for record in parts or last.values():
        record.keep_supported(record.number("operations"))
        for name in [name for name in record.fields if name.startswith(("latency.p", "latency.median"))]:
            number = record.numbers(name)[-1]
            record.fields[name] = [
                number._replace(step=0.1 if number.value >= 1 else 0.01 if number.value >= 0.1 else 1e-3)
            ]
    return parts or [*last.values()]


_COLUMNS = {"Type": "level.type:text", "Name": "level.request:text", "Requests/s": "rate:n"}
_TIMES = {"Average": "mean", "Min": "min", "Max": "max"}
LOCUST_CSV = Csv(
    name="locust",
    title="Locust's CSV",
    means="Times are in ms; percentiles are rounded to 10 ms from 100 ms on, to 100 from 1 s on, or left out of few.",
    keys=("Type", "Name", "Request Count", "Failure Count", "Average Response Time"),
    columns=_COLUMNS
    | {"Request Count": "operations:n", "Failure Count": "failures:n", r"(50|75|90|95|99|100)%": "latency.@:ms"}
    | {f"{word} Response Time": f"latency.{name}:ms" for word, name in _TIMES.items()},
    shape=_shape,
)
LOCUST_HISTORY = Csv(
    name="locust",
    title="Locust's history",
    keys=("Timestamp", "User Count", "Total Request Count", "Total Average Response Time"),
    columns={name: place for name, place in _COLUMNS.items() if name != "Requests/s"}
    | {"Total Request Count": "operations:n", "Total Failure Count": "failures:n"}
    | {f"Total {word} Response Time": f"latency.{name}:ms" for word, name in _TIMES.items()},
    shape=_shape,
)
