"""hyperfine: `--export-json` and text output (sharkdp/hyperfine)."""

from __future__ import annotations

import re

from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, read

# Each run is a separate process.
_FIXED = {"batch": Number(1.0), "replicate": "process"}
# The slowest run alone supports no conclusion.
_PROMISES = (
    Promise("time.mean <= time.high"),
    Promise("user + system <= 384 * time.mean", within=0.0),
    Promise("slower / faster = ratio"),
)
_RATIO = re.compile(r"(\S+) .* times (faster|slower) than '?(.+?)'?$")
HYPERFINE = Json(
    name="hyperfine",
    title="hyperfine's JSON",
    keys=("results", "command"),
    each="results[]",
    fields={
        "command": "name:text",
        "times[]": "time.values:s",
        **{statistic: f"time.{statistic}:s" for statistic in ("mean", "stddev", "median", "min", "max")},
        "user": "user:s",
        "system": "system:s",
        "exit_codes[]": "failures:nonzero",
    },
    fixed=_FIXED,
    promises=_PROMISES,
    compares="command",
)


def _shape(records: list[Record]) -> list[Record]:
    """Assign the ratios of the summary to their commands."""
    begin = 0
    for end, last in enumerate(records, 1):
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


_OF_CPU = r"(?: \[User: {user:t}, System: {system:t}\])?$"
HYPERFINE_TEXT = Text(
    name="hyperfine",
    title="hyperfine's output",
    starts=(r"Benchmark ?#?\d++: {name:text}$",),
    lines=(
        rf"Time \(mean ± σ\): {{time.mean:t}} ± {{time.stddev:t}}{_OF_CPU}",
        rf"Time \(abs ≡\): {{time.one:t}}{_OF_CPU}",
        r"Range \(min … max\): {time.min:t} … {time.high:t} {count:n} runs",
        r"'?{first:text}'? ran$",
        r"(?=[\d.]+ ± [\d.]+ times (?:faster|slower) than ){ratios:text}$",
    ),
    last=r"(?:Range|Time \(abs)",
    fails=(r"Warning: Ignoring non-zero exit", r"Error: (?:Command terminated|The command)"),
    warns=(
        r"Warning: (?:Statistical outliers|The first benchmarking run|Command took less than|.{0,80}shell)",
        r"\S*hyperfine .{0,400}?(?:-i|--ignore-failure)\b",
    ),
    fixed=_FIXED,
    promises=_PROMISES,
    compares="command",
    shape=_shape,
)
GRAMMARS = (HYPERFINE, HYPERFINE_TEXT)
