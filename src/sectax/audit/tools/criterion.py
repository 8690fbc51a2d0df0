"""`cargo bench`: bheisler/criterion.rs (src/report.rs), and Rust's own harness."""

from __future__ import annotations

from sectax.audit.form import Moves
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number
from sectax.audit.reading.registry import split_levels
from sectax.formats.numbers import BINARY, DECIMAL

_SCALES = {f"{name}/s": scale for name, scale in (BINARY | DECIMAL).items()}


def _complete(record: Record) -> None:
    name = record.text("name") or record.text("previous") or f"benchmark at line {record.line}"
    record.put({"name": name}, split_levels(name))
    time, spread = record.number("time.median"), record.number("spread")
    low, high = record.number("time.low"), record.number("time.high")
    if low is not None and high is not None:
        record.add("time.error", Number((high.value - low.value) / 2, high.step, "s"))
    elif spread is not None:
        # From minimum to maximum.
        record.add("time.error", Number(spread.value / 2, spread.step, "s"))
    speed, scale = record.number("throughput"), _SCALES.get(record.text("throughput_unit") or "")
    time = record.number("time.mean") or time
    if speed is not None and time is not None and scale is not None:
        size = speed.value * scale * time.value
        record.fields |= {"size_bytes": [Number(size, 0.0, "bytes")], "moves": [Moves.BODY]}


CRITERION = Text(
    name="criterion",
    title="the output of cargo bench",
    starts=(
        # At most six words: otherwise a long line can be split in too many ways.
        r"(?=.{1,1000}$)(?:(?!change:){name:text} )?time:\s*+\[(?=(?:\S++\s++){5}\S++$)"
        r"{time.low:t} {time.mean:t} {time.high:t}\]$",
        r"(?=.{1,1000}$)test {name:text} \.\.\. bench: {time.median:ns} ns/iter \(\+/- {spread:ns}\)"
        r"(?: = {throughput:n} {throughput_unit:w})?",
    ),
    head=(
        r"Benchmarking .{1,500}?: Collecting {count:n} samples in estimated ",
        # A long name is on a separate line.
        r"(?=[^\[\]%]{1,1000}$)(?!.*: |.*\.$){previous:text}$",
    ),
    lines=(
        r"thrpt:\s*+\[\S+ \S+ {throughput:n} {throughput_unit:w} \S+ \S+\]$",
        r"Found \d+ outliers among {count:n} measurements",
    ),
    fails=(
        r"(?:Benchmarking .{0,400}?)?thread (?:'[^']{1,200}'|<unnamed>)(?: \(\d{1,12}\))? panicked",
        r"panicked at '",
        r"error: (?:bench(?:mark)?|test) failed",
        r"test \S.{0,400}? \.\.\. FAILED",
    ),
    warns=(
        r"Warning: (?:Unable to complete|It is not recommended|Benchmark)",
        r"Finished .{0,60}?\[unoptimized\b",
        # So many values are a second mode, not outliers.
        r"Found \d+ outliers among \d+ measurements \((?:[2-9]\d|100)\.",
    ),
    # Iterations fit the measurement time; all run in one process.
    fixed={"calibrated": True, "replicates": Number(1.0), "replicate": "process"},
    promises=(Promise("time.low <= time.mean", within=0.0), Promise("time.mean <= time.high", within=0.0)),
    complete=_complete,
)
