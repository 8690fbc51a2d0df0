"""JMH: tables, logs (TextResultFormat of openjdk/jmh) and `-rf json`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sectax.audit.form import Quantity
from sectax.audit.reading.grammar import Json, Record, Text
from sectax.audit.reading.printed import Number, percentile_name, read
from sectax.audit.reading.units import base_unit
from sectax.formats import json_text

_TIME = r"(?:[nmu]?s(?:ec)?|min)"
_UNIT = rf"(?:{_TIME}/op|ops/{_TIME})"
_UNITS = {Quantity.TIME: "s", Quantity.RATE: "op/s"}
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_ROUGH = re.compile(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$")
_PARAMETER = re.compile(r"\(([^()]{1,100})\)")
_QUANTILE_ROW = re.compile(r"(.+?):(?:\S*[·.])?p(\d\.\d+)$")
# Old versions print no sign before the error, and some terminals a different one.
_ROW = re.compile(r"(?:(\d+)\s+)?(?:≈\s*)?([\d.,⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?:\s+(?:[^\d\s]{1,3}\s+)?(\d[\d.,]*))?$")
# Options that make everything slower than in production.
_SLOW = r"-Xint\b|-Xcomp\b|-XX:TieredStopAtLevel=[0-3]\b|-agentlib:jdwp|-Xrunjdwp|-Xdebug\b|-javaagent:\S{0,400}jacoco"


def _number(text: str | float | None, unit: str) -> Number | None:
    """Parse a score; text has three decimals, with a comma in some locales."""
    if isinstance(text, float | int):
        plain = Number(float(text))
    elif rough := _ROUGH.match(text or ""):
        power = 10.0 ** int(rough[1].translate(_SUPERSCRIPTS))
        plain = Number(power, power)
    else:
        plain = read("n", (text or "").replace(",", "."))  # type: ignore[assignment]
    known = base_unit(unit)
    if known is None or plain is None:
        return None
    return Number(plain.value * known[1], plain.step * known[1], _UNITS.get(known[0], "1"))


def _fill(record: Record, unit: str, claims: Iterable[tuple[str, str | float | None]]) -> None:
    metric = "throughput" if unit.startswith("ops") else "time"
    for statistic, text in claims:
        if (number := _number(text, unit)) is not None:
            record.add(f"{metric}.{statistic}", number)


def _name(record: Record, benchmark: str, parameters: Mapping[str, str], mode: str) -> None:
    name = ", ".join([benchmark, *(f"{key}={value}" for key, value in parameters.items()), mode])
    record.put({"name": name}, {"benchmark": benchmark, **parameters, "mode": mode})


def _shape(records: list[Record]) -> list[Record]:
    rows: dict[str, Record] = {}
    for record in records:
        if "row" in record.fields:
            _of_row(record, rows)
    # The table repeats the log above it.
    logs = [record for record in records if "score" in record.fields and "other_result" not in record.fields]
    for record in logs:
        parameters = (part.partition(" = ") for part in (record.text("parameters") or "").split(", "))
        levels = {key: value for key, _, value in parameters if value}
        _name(record, record.text("benchmark") or "benchmark", levels, record.text("mode") or "")
        _fill(record, record.text("unit") or "", [("mean", record.text("score")), ("error", record.text("error"))])
    return [*rows.values()] or logs


def _of_row(record: Record, rows: dict[str, Record]) -> None:
    """Group the quantiles of each benchmark."""
    fields = {key: record.text(key) or "" for key in record.fields}
    if (row := _ROW.match(fields["numbers"])) is None:
        return
    quantile = _QUANTILE_ROW.match(fields["row"])
    names, values = _PARAMETER.findall(fields.get("columns", "")), fields.get("given_parameters", "").split()
    if len(names) != len(values):
        names = [f"parameter {at}" for at, _ in enumerate(values, 1)]
    result = Record(record.line, ended=True)
    _name(result, quantile[1] if quantile else fields["row"], dict(zip(names, values, strict=True)), fields["mode"])
    result = rows.setdefault(f"{result.text('name')} {fields.get('columns')}", result)
    statistic = percentile_name(f"{100 * float(quantile[2]):.10g}") if quantile else "mean"
    _fill(result, fields["unit"], [(statistic, row[2]), ("error", row[3])])
    if row[1] and not quantile:
        result.fields["count"] = [Number(float(row[1]))]


def _result(result: Mapping[str, Any]) -> Record:
    record, metric = Record(1, ended=True), result["primaryMetric"]
    _name(record, result["benchmark"], result.get("params") or {}, result["mode"])
    record.put({"runtime": json_text.text(result, "vmName", "jdkVersion", "vmVersion") or None})
    forks = metric.get("rawData") or []
    claims = [("values", value) for fork in forks for value in fork]
    claims += [("mean", metric["score"]), ("error", metric.get("scoreError"))]
    shares = ((percentile_name(share), value) for share, value in (metric.get("scorePercentiles") or {}).items())
    # With few iterations, other percentiles are single values.
    claims += [(statistic, value) for statistic, value in shares if statistic in ("min", "median", "max") or not forks]
    _fill(record, metric["scoreUnit"], [(name, value) for name, value in claims if isinstance(value, int | float)])
    if forks:
        record.fields |= {"replicates": [Number(float(len(forks)))], "replicate": ["process"]}
    return record


JMH = Text(
    name="jmh",
    title="JMH's output",
    starts=(r"# Benchmark: {benchmark:w}$", r"{other_result:flag}Secondary result "),
    head=(
        r"# Benchmark mode: {mode:text}, ",
        r"(?=Benchmark\s)(?=.{1,1000}$){columns:text} Mode (?:Thr )?(?:Cnt|Samples) ",
    ),
    lines=(
        r"# Parameters: \({parameters:text}\)$",
        r"(?:Result\s?: )?(?:mean = )?(?:≈ )?{score:w} ±\(99[.,]9%\) {error:w} "
        rf"(?={_UNIT}){{unit:w}}(?: \[\w+\])?$",
    ),
    rows=(
        r"(?=.{1,600}$){row:w} (?:{given_parameters:text} )?(?=(?:thrpt|avgt|sample|ss) ){mode:w} {numbers:text} "
        rf"(?={_UNIT}$){{unit:w}}$",
    ),
    last=r"(?:Secondary result|Result) ",
    fails=(
        r"(?:Iteration.{1,40})?<failure>",
        r"<(?:forked VM failed|failed to invoke the VM|host VM has been interrupted|binary link had failed)",
        r"(?:\S*RunnerException|ERROR): ",
        r"Benchmark had encountered error|Cancell?ing execution\.\.\.|Run cancell?ed\.|\(benchmark timed out, ",
    ),
    warns=(
        r"\*\*\* ?WARNING: ",
        r"WARNING: (?:System\.gc|JMH lock|The perf event count|Failed |Unable |Could not )",
        rf"# VM options: .{{0,2000}}?(?:{_SLOW})",
        r"# Fork: N/A|# Warmup: <none>",
    ),
    fixed={"calibrated": True},
    shape=_shape,
)
JMH_JSON = Json(
    name="jmh",
    title="JMH's JSON",
    keys=("benchmark", "primaryMetric"),
    records=lambda document: [
        _result(benchmark) for benchmark in (document if isinstance(document, list) else [document])
    ],
    fixed={"calibrated": True},
)
