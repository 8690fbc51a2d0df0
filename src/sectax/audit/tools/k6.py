"""k6: the final summary (internal/js/summary.go of grafana/k6), and its JSON."""

from __future__ import annotations

import re

from sectax.audit.form import EndsBy
from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read

_STATISTIC = re.compile(r"(avg|min|med|max|p\((\d{1,2}(?:\.\d{1,9})?)\))=(\S+)")
_NAMES = {"avg": "mean", "med": "median", "min": "min", "max": "max"}
# Metric -> key in its JSON -> place.
_PLACES = {
    "http_req_duration": {key: f"latency.{name}:ms" for key, name in _NAMES.items()}
    | {f"p({share})": f"latency.p{share}:ms" for share in (75, 90, 95, 99)},
    "http_reqs": {"count": "operations:n", "rate": "rate:n"},
    "http_req_failed": {"passes": "failed.requests:n", "fails": "passed:n"},
    "iterations": {"count": "iterations:n", "rate": "iteration_rate:n"},
    "dropped_iterations": {"count": "dropped:n"},
    "iteration_duration": {"avg": "iteration:ms"},
    "vus_max": {"max": "vus:n"},
}
_PROMISES = (
    Promise("operations / rate = iterations / iteration_rate"),
    Promise("failed_of = operations"),
    Promise("failed.requests + passed = operations"),
    # Little's law: a virtual user has one iteration at a time, and one request unless it sends them by http.batch.
    Promise("iteration * iteration_rate <= vus", within=0.05),
    Promise("latency.mean * rate <= vus", within=0.05, fatal=False),
)
_CHECKED = r"(?:[✓✗]\s?)?"


def _complete(record: Record) -> None:
    for name, percentile, value in _STATISTIC.findall(record.text("latencies") or ""):
        number = Number(0.0, 0.0, "s") if value.startswith("0s") else read("t", value)
        record.put({f"latency.{_NAMES.get(name) or percentile_name(percentile)}": number})
    # The target of the scenario, if it is the only one.
    if len(record.numbers("asked")) == 1:
        record.fields |= {"target_rate": record.fields["asked"], "by_schedule": ["yes"]}
        if "iteration_rate" in record.fields:
            record.fields["achieved_rate"] = record.fields["iteration_rate"]


K6 = Text(
    name="k6",
    title="k6's summary",
    starts=(r"execution: (?:local|cloud|distributed)",),
    lines=(
        r"script: {name:w}",
        r"[*•] .{0,120}?: {asked:n} iterations/s for {asked_s:t}",
        _CHECKED + r"http_req_duration\.{2,}: {latencies:text}$",
        _CHECKED + r"http_reqs\.{2,}: {operations:n} \(?{rate:n}/s",
        _CHECKED + r"http_req_failed\.{2,}: [\d.]+% [✓✗] {failed.requests:n} [✓✗] {passed:n}",
        _CHECKED + r"http_req_failed\.{2,}: [\d.]+% {failed.requests:n} out of {failed_of:n}",
        _CHECKED + r"iterations\.{2,}: {iterations:n} \(?{iteration_rate:n}/s",
        _CHECKED + r"iteration_duration\.{2,}: avg={iteration:t} ",
        _CHECKED + r"vus_max\.{2,}: {vus:n} ",
        _CHECKED + r"dropped_iterations\.{2,}: {dropped:n} ",
    ),
    last=r"(?:[✓✗]\s?)?(?:iterations|vus_max)\.{2,}:",
    warns=(
        r"(?:WARN\[\d+\] |time=\S{1,60} level=warning msg=\"?)(?:Insufficient VUs|Request Failed)",
        r"(?:ERRO\[\d+\] |time=\S{1,60} level=error msg=)(?!.{0,80}thresholds)",
        r"running \([0-9hms.]{1,20}\), 0+/\d+ VUs, .{0,80} and [1-9]\d* interrupted",
        r"↳ \d{1,3}% — ✓ \d+ / ✗ [1-9]",
    ),
    fixed={"ends_by": EndsBy.TIME},
    promises=_PROMISES,
    complete=_complete,
)
K6_JSON = Json(
    name="k6",
    title="k6's JSON",
    keys=("metrics", "http_req_duration"),
    fields={
        f"metrics.{metric}.{form}{key}": place
        for metric, places in _PLACES.items()
        for key, place in places.items()
        for form in ("", "values.")
    },
    promises=_PROMISES,
)
