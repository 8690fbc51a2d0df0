"""hyperfine 1 and 2: text, JSON, CSV, Markdown, AsciiDoc and org (sharkdp/hyperfine)."""

from __future__ import annotations

import re
from typing import Any

from sectax.audit.form import Quantity, Trouble, TroubleKind
from sectax.audit.reading.grammar import Csv, Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, read

# The metrics of version 2, by their names here.
_COUNTERS = ("cpu_cycles", "instructions", "cache_references", "cache_misses", "branch_misses")
_METRICS = {"time_wall_clock": "time", "time_cpu": "cpu", "time_user": "user", "time_system": "system"}
_METRICS |= {"memory_peak_resident": "memory", **{name: name for name in _COUNTERS}}
_LABELS = {"time": "Wall Time", "cpu": "CPU time", "user": "User time", "system": "System time", "memory": "Memory"}
_LABELS |= {name: name.capitalize().replace("_", " ").replace("Cpu", "CPU") for name in _COUNTERS}
_PREFIXES = {"count": 1.0, "k": 1e3, "M": 1e6, "B": 1e9}
# The slowest run alone supports no conclusion.
_STATISTICS = {"mean": "mean", "stddev": "stddev", "median": "median", "min": "min", "max": "high"}
_COMMON: dict[str, Any] = {
    "name": "hyperfine",
    "quantities": dict.fromkeys(_COUNTERS, Quantity.COUNT),
    # Each run is a separate process.
    "fixed": {"batch": Number(1.0), "replicate": "process"},
    "promises": (
        Promise("time.mean <= time.high"),
        Promise("user + system <= 384 * time.mean", within=0.0),
        Promise("slower / faster = ratio"),
        Promise("cpu.mean = user + system"),
        Promise("cpu.mean <= 384 * time.mean", within=0.0),
        Promise("time.mean / reference - 1 = change"),
    ),
    "compares": "command",
}
_RULE = re.compile(r"(?:===|:?-)[-=:+| ]*+")
_RATIO = re.compile(r"(\S+)(?: ± \S+)? times (faster|slower) than '?(.+?)'?$")


def _shape(records: list[Record]) -> list[Record]:
    """Apply the units of version 2; assign ratios and changes to their commands."""
    begin, reference = 0, None
    for end, last in enumerate(records, 1):
        for name in _LABELS:
            _apply_unit(last, name)
            count = last.number("count")
            if name in ("user", "system"):
                # The kernel only estimates how CPU time splits into them, so these are not series of their own.
                last.put({name: _mean_alone(last, name)})
            elif count is not None and count.value == 1 and f"{name}.values" not in last.fields:
                last.put({f"{name}.one": _mean_alone(last, name)})
        # Changes of version 2 are relative to the first command.
        if (number := last.number("number")) is not None:
            reference = last.number("time.mean") if number.value == 1 else reference
            last.put({"reference": reference})
        if (first := last.text("first")) is None:
            continue
        runs, begin = records[begin:end], end
        named = {str(run.text("name")): run for run in runs}
        for match in filter(None, (_RATIO.match(str(text)) for text in last.fields.get("ratios", ()))):
            ratio, way, second = match.groups()
            if len(named) == len(runs) and {first, second} <= named.keys():
                means = [named[name].number("time.mean") for name in (first, second)]
                ends = ("faster", "slower") if way == "faster" else ("slower", "faster")
                named[second].put(dict(zip(ends, means, strict=True)) | {"ratio": read("n", ratio)})
    return records


def _apply_unit(record: Record, name: str) -> None:
    if (unit := record.text(f"{name}_unit")) is None:
        return
    unit = {"second": "s", "byte": "B"}.get(unit, unit)
    scale: Any = read("b" if unit.endswith("B") else "t", f"1 {unit}")
    if name in _COUNTERS:
        scale = Number(_PREFIXES[unit]) if unit in _PREFIXES else None
    if scale is None:
        record.troubles.append(Trouble(TroubleKind.UNREAD, record.line, f"{_LABELS[name]} in an unknown unit: {unit}"))
    for field in [field for field in record.fields if field.startswith(f"{name}.")]:
        numbers = record.numbers(field) if scale else []
        record.fields[field] = [Number(n.value * scale.value, n.step * scale.value, scale.unit) for n in numbers]


def _mean_alone(record: Record, name: str) -> Number | None:
    """Remove the statistics of a metric; return its mean."""
    mean = record.number(f"{name}.mean")
    for statistic in (*_STATISTICS.values(), "max"):
        record.fields.pop(f"{name}.{statistic}", None)
    return mean


def _of_csv(records: list[Record]) -> list[Record]:
    """Make numbers exact, as CSV has all their digits; without a spread there was one run."""
    for record in records:
        for field, values in record.fields.items():
            record.fields[field] = [
                value._replace(step=0.0) if isinstance(value, Number) else value for value in values
            ]
        spreads = [record.number(f"{name}.stddev") for name in _LABELS if f"{name}.mean" in record.fields]
        if not any(spread and spread.value for spread in spreads):
            record.put({"count": Number(1.0)})
    return _shape(records)


def _rows(records: list[Record]) -> list[Record]:
    """Make a record of each row of a table."""
    results: list[Record] = []
    for table in records:
        label = table.text("label")
        name = next((name for name in _LABELS if _LABELS[name] == label), "time")
        statistics = ("mean", "stddev", "min", "high") if label is None else ("mean", "stddev")
        for command, mean, *more in _cells(table):
            row = Record(table.line, {"name": [command], f"{name}_unit": [table.text("unit") or ""]}, ended=True)
            value, _, spread = mean.partition(" ± ")
            numbers = zip(statistics, (value, spread, *more), strict=False)
            row.put({f"{name}.{statistic}": read("n", text) for statistic, text in numbers if text})
            row.put({"count": None if spread else Number(1.0)})
            results.append(row)
        if results:
            results[-1].troubles += table.troubles
    return _shape(results)


def _cells(table: Record) -> list[list[str]]:
    """Return the command of each row, which is in backticks or in `=`, and its figures."""
    rows: list[str] = []
    rules = 0
    for line in map(str, table.fields.get("cells", ())):
        if _RULE.fullmatch(line):
            rules += "-" in line
            # The last row was the heading of another table.
            del rows[-1 if rules > 1 else len(rows) :]
        elif "|" in line.replace(r"\|", "") or line[0] in "`=":
            rows.append(line)
        elif rows:
            # AsciiDoc has one cell in a line.
            rows[-1] += f"|{line}"
        if rules > 1:
            table.troubles.append(Trouble(TroubleKind.UNREAD, table.line, "the table below is not read"))
            break
    every = ([cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in rows)
    return [[re.sub(r"^([`=])(.+)\1$", r"\2", name).replace(r"\|", "|"), *(more or [""])] for name, *more in every]


HYPERFINE = Json(
    title="hyperfine's JSON",
    keys=("results", "command"),
    each="results[]",
    fields={
        "command": "name:text",
        "times[]": "time.values:s",
        **{statistic: f"time.{statistic}:s" for statistic in _STATISTICS},
        "user": "user:s",
        "system": "system:s",
        "exit_codes[]": "failures:nonzero",
    },
    **_COMMON,
)
HYPERFINE_2 = Json(
    title="hyperfine's JSON",
    keys=("schema_version", "primary_metric", "measurements"),
    each="results[]",
    fields={
        "command": "name:text",
        "name": "name:text",
        "measurements[].time_wall_clock.value": "time.values:n",
        "measurements[].memory_peak_resident.value": "memory.values:n",
        "measurements[].exit_code": "failures:nonzero",
        **{f"summary.{metric}.unit": f"{name}_unit:w" for metric, name in _METRICS.items()},
        **{f"summary.time_wall_clock.{statistic}": f"time.{statistic}:n" for statistic in _STATISTICS},
        **{
            f"summary.{metric}.{statistic}": f"{name}.{statistic}:n"
            for metric, name in _METRICS.items()
            for statistic in ("mean", "stddev")
        },
        "summary.time_wall_clock.count": "count:n",
    },
    shape=_shape,
    **_COMMON,
)
# Of version 2 any metric may be the only one.
_ANY_METRIC = "|".join(_METRICS)
HYPERFINE_CSV = Csv(
    title="hyperfine's CSV",
    keys=("command", f"(?:{_ANY_METRIC})_unit|stddev", f"(?:{_ANY_METRIC})_mean|system"),
    columns={
        "command": "name:text",
        **{key: f"time.{statistic}:s" for key, statistic in _STATISTICS.items()},
        "user": "user:s",
        "system": "system:s",
        **{f"{metric}_unit": f"{name}_unit:w" for metric, name in _METRICS.items()},
        **{
            f"{metric}_{key}": f"{name}.{statistic}:n"
            for metric, name in _METRICS.items()
            for key, statistic in _STATISTICS.items()
        },
    },
    shape=_of_csv,
    **_COMMON,
)
_OF_CPU = r"(?: \[User: {user:t}, System: {system:t}\])?$"
_ANY_LABEL = "|".join(_LABELS.values())


def _line(name: str) -> str:
    """A metric of version 2; in a narrow terminal its unit is behind the label."""
    unit = rf"{{{name}_unit:w}}"
    first = rf"{_LABELS[name]}(?: \[{unit}\])? {{{name}.mean:n}}(?: (?=[A-Za-zµ]){unit})?"
    letters = r"(?: [A-Za-zµ]+)?"
    low_and_high = rf"{{{name}.min:n}}{letters} … {{{name}.high:n}}{letters}"
    change = "{change:%}" if name == "time" else r"[+-]?[\d.]+"
    return rf"{first}(?: ± {{{name}.stddev:n}}{letters} {low_and_high})?(?: (?:{change}%|N/A).*)?$"


HYPERFINE_TEXT = Text(
    title="hyperfine's output",
    means="Version 2 measures no peak memory below its own, about 3 MiB.",
    starts=(r"Benchmark ?#?{number:n}: {name:text} \({count:n} runs?\)$", r"Benchmark ?#?\d++: {name:text}$"),
    lines=(
        rf"Time \(mean ± σ\): {{time.mean:t}} ± {{time.stddev:t}}{_OF_CPU}",
        rf"Time \(abs ≡\): {{time.one:t}}{_OF_CPU}",
        r"Range \(min … max\): {time.min:t} … {time.high:t} {count:n} runs",
        r"'?{first:text}'? ran$",
        r"(?=[\d.]++(?: ± [\d.]++)? times (?:faster|slower) than ){ratios:text}$",
        *map(_line, _LABELS),
    ),
    last=rf"(?:Range|Time \(abs|(?:{_ANY_LABEL})(?: \[| \d))",
    fails=(r"Warning: Ignoring non-zero exit", r"Error: (?:Command |The )"),
    warns=(
        r"Warning: (?:Statistical outliers|The first benchmarking run|Command took less than|.{0,80}shell)",
        r"\S*hyperfine .{0,400}?(?:-i|--ignore-failure)\b",
    ),
    shape=_shape,
    **_COMMON,
)
# Markdown and org, or AsciiDoc with one cell in a line.
HYPERFINE_TABLE = Text(
    title="hyperfine's table",
    starts=(r"(?:\| Command )?\| Mean (?:(?!\[){label:text} )?\[{unit:w}\](?: \||$)",),
    lines=(r"\|\s*+{cells:text}$",),
    shape=_rows,
    **_COMMON,
)
