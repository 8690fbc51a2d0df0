"""k6: the summary at the end of a test (internal/js/summary.go of grafana/k6), and the two forms of its JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sectax.audit.form import EndsBy
from sectax.audit.reading.document import number
from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, read

_STATISTIC = re.compile(r"(avg|min|med|max|p\((\d{1,2}(?:\.\d{1,9})?)\))=(\S+)")
_COUNTER = re.compile(r"(\d[\d.]*) \(?(\d[\d.]*)/s")
_SHARE = re.compile(r"[\d.]+% (?:[✓✗] (\d+) [✓✗] (\d+)|(\d+) out of (\d+))")
_NAMES = {"avg": "mean", "med": "median", "min": "min", "max": "max"}
_METRICS = (
    "http_req_duration",
    "http_req_failed",
    "http_reqs",
    *("iterations", "dropped_iterations"),
)
PROMISES = (
    Promise("operations / rate = iterations / iteration_rate"),
    Promise("failed_of = operations"),
)


def _trend(record: Record, metric: str, statistics: Mapping[str, Number]) -> None:
    if metric == "http_req_duration":
        record.fields |= {f"latency.{name}": [value] for name, value in statistics.items()}


def _counter(record: Record, metric: str, count: Number, rate: Number) -> None:
    names = {"http_reqs": ("operations", "rate"), "iterations": ("iterations", "iteration_rate")}
    if metric == "dropped_iterations":
        record.fields["dropped"] = [count]
    elif metric in names:
        of_count, of_rate = names[metric]
        record.fields |= {of_count: [count], of_rate: [rate]}


def _shape(records: list[Record]) -> list[Record]:
    for record in records:
        for metric in _METRICS:
            if (text := record.text(f"told.{metric}")) is not None:
                _line(record, metric, re.sub(r"\s+", " ", text))
        _asked(record)
    return records


def _asked(record: Record) -> None:
    """What the scenario asked for, where it is the only one."""
    if len(record.numbers("asked")) == 1:
        record.fields |= {"target_rate": record.fields["asked"], "by_schedule": ["yes"]}
        if "iteration_rate" in record.fields:
            record.fields["achieved_rate"] = record.fields["iteration_rate"]


def _line(record: Record, metric: str, text: str) -> None:
    statistics = {}
    for name, percentile, value in _STATISTIC.findall(text):
        told = read("t", value) if not value.startswith("0s") else Number(0.0, 0.0, "s")
        if isinstance(told, Number) and told.unit == "s":
            statistics[_NAMES.get(name) or f"p{float(percentile):.10g}"] = told
    if statistics:
        return _trend(record, metric, statistics)
    if found := _COUNTER.match(text):
        _counter(record, metric, *(read("n", found[at]) for at in (1, 2)))  # type: ignore[arg-type]
    elif (found := _SHARE.match(text)) and metric == "http_req_failed":
        failed = read("n", found[1] or found[3])
        every = read("n", found[4]) if found[4] else Number(float(found[1]) + float(found[2]))
        record.fields |= {"failed.requests": [failed], "failed_of": [every]}  # type: ignore[list-item]


def _document(document: Any) -> list[Record]:
    record = Record(1, ended=True)
    for metric, told in document["metrics"].items():
        values = told.get("values", told)
        if not isinstance(values, dict):
            continue
        _metric(record, metric, {name: value for name, value in values.items() if isinstance(value, int | float)})
    return [record]


def _metric(record: Record, metric: str, values: dict[str, float]) -> None:
    def at(name: str, kind: str = "n") -> Number:
        return number(values[name], kind, f"metrics.{metric}.{name}")

    if "avg" in values:
        names = {name: _NAMES.get(name) or re.sub(r"^p\(([\d.]+)\)$", r"p\1", name) for name in values}
        _trend(record, metric, {names[name]: at(name, "ms") for name in values if names[name] != "count"})
    elif "count" in values and "rate" in values:
        _counter(record, metric, at("count"), at("rate"))
    elif metric == "http_req_failed" and "passes" in values and "fails" in values:
        every = Number(values["passes"] + values["fails"])
        record.fields |= {"failed.requests": [at("passes")], "failed_of": [every]}


K6 = Text(
    name="k6",
    title="k6's summary",
    starts=(r"execution: (?:local|cloud|distributed)",),
    lines=(
        r"script: {name:w}",
        r"[*•] .{0,120}?: {asked:n} iterations/s for {asked_s:t}",
        *(rf"(?:[✓✗]\s?)?{metric}\.{{2,}}: {{told.{metric}:text}}$" for metric in _METRICS),
    ),
    last=r"(?:[✓✗]\s?)?(?:iterations|vus_max)\.{2,}:",
    warns=(
        r"(?:WARN\[\d+\] |time=\S{1,60} level=warning msg=\"?)(?:Insufficient VUs|Request Failed)",
        r"(?:ERRO\[\d+\] |time=\S{1,60} level=error msg=)(?!.{0,80}thresholds)",
        r"running \([0-9hms.]{1,20}\), 0+/\d+ VUs, .{0,80} and [1-9]\d* interrupted",
        r"↳ \d{1,3}% — ✓ \d+ / ✗ [1-9]",
    ),
    fixed={"ends_by": EndsBy.TIME},
    promises=PROMISES,
    shape=_shape,
)
K6_JSON = Json(
    name="k6", title="k6's JSON", keys=("metrics", "http_req_duration"), records=_document, promises=PROMISES
)
GRAMMARS = (K6, K6_JSON)
