"""JMH's log and its table: TextReportFormat, TextResultFormat and ScoreFormatter of openjdk/jmh."""

from __future__ import annotations

import re

from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import Number, statistic_of
from sectax.audit.tools.jmh_results import PROMISES, QUANTITIES, SLOW, UNIT, fill, name, set_up

_MODES = {"Throughput": "thrpt", "Average time": "avgt", "Sampling time": "sample", "Single shot invocation time": "ss"}
_PARAMETER = re.compile(r"\(([^()]{1,100})\)")
_QUANTILE_ROW = re.compile(r"(.+?):(?:\S*[·.])?p(\d\.\d+)$")
# Single iterations are not counted. Old versions print no sign before the error, and terminals another one.
_ROW = re.compile(r"(?:(\d+)\s+)?(?:≈\s*)?([\d.,⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?:\s+(?:[^\d\s]{1,3}\s+)?(\d[\d.,]*))?$")


def _shape(records: list[Record]) -> list[Record]:
    logs = [record for record in records if "row" not in record.fields and "other_result" not in record.fields]
    of_rows: dict[str, Record] = {}
    for record in logs:
        _of_log(record)
    for record in records:
        if "row" in record.fields:
            _of_row(record, logs, of_rows)
    return [*logs, *of_rows.values()]


def _of_log(record: Record) -> None:
    """Iterations begin again from 1 in each fork."""
    told, forks = {key: record.text(key) for key in record.fields}, list[list[str]]()
    texts = [value for value in record.fields.get("iteration", ()) if isinstance(value, str)]
    for number, iteration in zip(record.numbers("at"), texts, strict=False):
        if number.value == 1 or not forks:
            forks.append([])
        forks[-1].append(iteration)
    mode = _MODES.get(told.get("mode_name") or "", "avgt")
    parameters = [part.partition(" = ") for part in (told.get("parameters") or "").split(", ")]
    name(record, told.get("benchmark") or "benchmark", {key: value for key, _, value in parameters if value}, mode)
    set_up(record, mode, told.get("warmup"), told.get("fork_note"))
    unit = told.get("unit") or told.get("iteration_unit") or ""
    claims = [(key, told.get("score")) for key in ("score", ".mean")] + [
        (key, told.get("error")) for key in ("error", ".error")
    ]
    fill(record, unit, forks if mode != "sample" else [], claims)


def _of_row(record: Record, logs: list[Record], of_rows: dict[str, Record]) -> None:
    """A row beside the log that it sums up; quantiles of one benchmark are together."""
    told = {key: record.text(key) or "" for key in record.fields}
    found = _ROW.match(told["numbers"])
    if found is None:
        return
    quantile = _QUANTILE_ROW.match(told["row"])
    benchmark = quantile[1] if quantile else told["row"]
    names, given = _PARAMETER.findall(told.get("columns", "")), told.get("given_parameters", "").split()
    if len(names) != len(given):
        names = [f"parameter {at}" for at, _ in enumerate(given, 1)]
    count, score, error = found.groups()
    made = Record(record.line, ended=True)
    name(made, benchmark, dict(zip(names, given, strict=True)), told["mode"])
    log = next((one for one in logs if _sums_up(made, one)), None)
    if log is not None:
        fill(log, told["unit"], (), () if quantile else (("row_score", score),))
    else:
        made = of_rows.setdefault(f"{made.text('name')} {told.get('columns')}", made)
        share = statistic_of(f"{100 * float(quantile[2]):.10g}") if quantile else "mean"
        fill(made, told["unit"], (), ((f".{share}", score), (".error", error)))
    if count and not quantile:
        (log or made).fields["count"] = [Number(float(count))]


def _sums_up(row: Record, log: Record) -> bool:
    """The table leaves out what all names begin with."""
    factors = {key for key in (*row.fields, *log.fields) if key.startswith("level.")} - {"level.benchmark"}
    whole, part = log.text("level.benchmark") or "", row.text("level.benchmark") or ""
    alike = whole == part or whole.endswith(f".{part}")
    return alike and all(row.text(factor) == log.text(factor) for factor in factors)


JMH = Text(
    name="jmh",
    title="JMH's output",
    starts=(r"# Benchmark: {benchmark:text}$", r"{other_result:flag}Secondary result "),
    head=(
        r"# VM version: {runtime:text}$",
        r"# VM options: {option.jvm_options:text}$",
        r"# Warmup: {warmup:text}$",
        r"# Measurement: {planned:n} iterations?, {option.iteration:text}$",
        r"# Threads: {option.threads:n} thread",
        r"# Benchmark mode: {mode_name:text}, ",
        r"(?=Benchmark\s)(?=.{1,1000}$){columns:text} Mode (?:Thr )?(?:Cnt|Samples) ",
    ),
    lines=(
        r"# Parameters: \({parameters:text}\)$",
        r"# Fork: (?={fork_note:w})\S+(?: of {forks:n})?",
        r"Iteration {at:n}: (?:n = \d+, mean = )?(?:≈ )?{iteration:w} (?:±\(99[.,]9%\) \S+ )?{iteration_unit:w}$",
        rf"(?:Result\s?: )?(?:mean = )?(?:≈ )?{{score:w}} ±\(99[.,]9%\) {{error:w}} (?={UNIT}){{unit:w}}(?: \[\w+\])?$",
    ),
    rows=(
        r"(?=.{1,600}$){row:w} (?:{given_parameters:text} )?(?=(?:thrpt|avgt|sample|ss) ){mode:w} {numbers:text} "
        rf"(?={UNIT}$){{unit:w}}$",
    ),
    last=r"(?:Secondary result|Result) ",
    fails=(
        r"(?:Iteration.{1,40})?<failure>",
        r"<(?:forked VM failed|failed to invoke the VM|host VM has been interrupted|binary link had failed)",
        r"(?:\S*RunnerException|ERROR): ",
        r"Benchmark had encountered error|Cancell?ing execution\.\.\.|Run cancell?ed\.",
        r"\(benchmark timed out, interrupted ",
    ),
    warns=(
        r"\*\*\* ?WARNING: ",
        r"WARNING: (?:System\.gc|JMH lock|The perf event count|Failed |Unable |Could not )",
        r"<JMH had finished, but forked VM did not exit|<shutdown timeout of ",
        rf"# VM options: .{{0,2000}}?(?:{SLOW})",
    ),
    fixed={"calibrated": True},
    quantities=QUANTITIES,
    promises=PROMISES,
    shape=_shape,
)
GRAMMARS = (JMH,)
