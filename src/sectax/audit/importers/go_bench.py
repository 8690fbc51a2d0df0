"""What `go test -bench` prints: any number of counts, -benchmem and units of its own.

The format: go.dev/design/14313-benchmark-format; what else is printed: src/testing/benchmark.go of golang/go. Lines of
one name are one figure with a value for each count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.microbench import of_names
from sectax.audit.importers.parts import Importer, Measurement
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import named_size
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

# It stands indented, or as a quotation, in the text of others.
_MARGIN = r"[ \t>]*+"
_BEGINS = re.compile(rf"^{_MARGIN}(?:goos: \w|Benchmark\S*\s+\d+\s+\S+ \S+/op\b)", re.MULTILINE)
_RESULT = re.compile(rf"{_MARGIN}Benchmark(\S*)\s+([0-9]+)\s+(\S.*)")
_FACT = re.compile(rf"{_MARGIN}(pkg|cpu): (.*)")
_FIELD = re.compile(r"\S+")
# Unit -> quantity, and how many of its base unit it is. Others are taken as they are.
_UNITS = {
    "ns/op": (Quantity.TIME, 1e-9),
    "MB/s": (Quantity.BANDWIDTH, 1e6),
    "B/op": (Quantity.MEMORY, 1.0),
    "allocs/op": (Quantity.COUNT, 1.0),
}
# In the end of a line too: a benchmark that fails has printed its name already.
_FAILED = re.compile(
    r"--- FAIL: \S+"
    rf"|^{_MARGIN}(?:Benchmark\S{{1,400}}+\s++)?(?:FAIL|panic: |fatal error: |exit status [1-9]|signal: |SIG[A-Z]++: "
    r"|\*\*\* Test killed)\S*"
)
# What makes figures doubtful, and what that means.
_DOUBTFUL = (
    (re.compile(r"testing: \S{1,400} left GOMAXPROCS set to \d++"), "it ran on other processors than its name says"),
    (re.compile(r"coverage: [\d.]{1,10}% of statements"), "it was measured with -cover, which counts every statement"),
    (re.compile(r"WARNING: DATA RACE"), "it was measured with -race, and what it does is not safe"),
)
# They stand in the last columns of a line, or alone.
_LONGEST = 2000
# What stands after the name of a benchmark that ended without a result.
_NO_RESULT = re.compile(rf"{_MARGIN}(Benchmark[^\s/]\S{{0,400}}-\d{{1,5}})\s*+$")
_PROCS = re.compile(r"-(\d+)$")


@dataclass
class _Series:
    """One name in one unit: a value for each count."""

    package: str
    processor: str | None
    values: list[float] = field(default_factory=list)
    batches: list[float] = field(default_factory=list)


def _read(lines: Iterable[str]) -> Evidence:
    package, processor = "", None
    said = Said()
    series: dict[tuple[str, str, str], _Series] = {}
    bytes_each: dict[tuple[str, str], list[float]] = {}
    begun: tuple[int, str] | None = None
    for place, line in enumerate(lines, 1):
        if begun is not None and line and not line.isspace():
            _interrupted(said, *begun, line)
            begun = None
        if fact := _FACT.match(line):
            if fact[1] == "pkg":
                package = fact[2].strip()
            else:
                processor = fact[2].strip() or None
        elif failed := _FAILED.search(line):
            meaning = "a benchmark failed: what it printed, or what is missing of it, is of broken code"
            said.add(Severity.FATAL, place, failed[0], meaning)
        elif alone := _NO_RESULT.match(line):
            begun = place, alone[1]
        elif len(line) <= _LONGEST:
            for pattern, meaning in _DOUBTFUL:
                if doubtful := pattern.search(line):
                    said.add(Severity.WARNING, place, doubtful[0], meaning)
        found = _RESULT.match(line)
        if found is None:
            continue
        batch = number_in(found, 2, place)
        pairs = list(_pairs(line, found.start(3), place))
        if (moved := _bytes_each(dict(pairs))) is not None:
            bytes_each.setdefault((package, found[1]), []).append(moved)
        for unit, value in pairs:
            made = series.setdefault((package, found[1], unit), _Series(package, processor))
            if None not in (made.processor, processor) and made.processor != processor:
                both = f"{printable(made.processor or '', 60)} and {printable(processor or '', 60)}"
                said.add(
                    Severity.FATAL,
                    place,
                    f"values of {printable(found[1], 60)} come from two processors: {both}",
                    "its figure is of neither machine",
                )
            made.values.append(value)
            made.batches.append(batch)
    figures = [_figure(*key[1:], each, bytes_each.get(key[:2], ())) for key, each in series.items()]
    if begun is not None:
        _interrupted(said, *begun, "")
    return of_names(figures, "go test -bench", said.incidents())


def _interrupted(said: Said, place: int, name: str, after: str) -> None:
    """A name without a result. With -v sub-benchmarks follow their parent's name, and results a line of their own."""
    if after.startswith(("Benchmark", "    ", "\t", "---", "FAIL", "PASS", "ok ", "goos:", "panic:")) or _RESULT.search(
        after
    ):
        return
    if re.match(r"\s*\d+\s+\S+ ns/op", after):
        return
    meaning = "the benchmark was interrupted, or its result is lost: the file is not whole"
    said.add(Severity.WARNING, place, f"{printable(name, 60)} has no result", meaning)


def _pairs(line: str, start: int, place: int) -> Iterable[tuple[str, float]]:
    fields = list(_FIELD.finditer(line, start))
    if len(fields) % 2:
        raise BadInput("a value without its unit: this line was cut short", line=place, column=fields[-1].start() + 1)
    for value, unit in zip(fields[::2], fields[1::2], strict=True):
        scale = _UNITS[unit[0]][1] if unit[0] in _UNITS else 1.0
        yield unit[0], number_in(value, 0, place, scale)


def _bytes_each(told: dict[str, float]) -> float | None:
    """What one operation works on, as b.SetBytes was told: ns/op and MB/s print it together."""
    seconds, rate = told.get("ns/op"), told.get("MB/s")
    return seconds * rate if seconds and rate else None


def _figure(name: str, unit: str, series: _Series, bytes_each: Sequence[float]) -> Figure:
    quantity, _ = _UNITS.get(unit, (Quantity.OTHER, 1.0))
    told = Circumstances(
        operation=name,
        moves=Moves.BODY if bytes_each else None,
        # Both were printed with four digits, so their product has three.
        size_bytes=float(f"{median(bytes_each):.3g}") if bytes_each else None,
        **named_size(_PROCS.sub("", name)),
        events=sum(series.batches),
        # Of counts with different numbers of operations, the fewest: the timer's step shows most in those.
        batch=min(series.batches) if quantity is Quantity.TIME else None,
        # b.N grows until a benchmark has lasted as long as -benchtime asks; -benchtime=100x leaves no trace.
        calibrated=True,
        processor=series.processor,
    )
    of = Measurement(name, _levels(name), told, len(series.values))
    table = f"{series.package}: {unit}" if series.package else unit
    return of.figure(unit, quantity, table=table, values=tuple(series.values))


def _levels(name: str) -> dict[str, str]:
    """`Sum/hash=plain/16KiB-2` as name, hash, sub2 and procs."""
    procs = _PROCS.search(name)
    first, *below = _PROCS.sub("", name).split("/")
    levels = {"name": first}
    for at, part in enumerate(below, 1):
        key, separator, level = part.partition("=")
        levels |= {key: level} if separator and key else {f"sub{at}": part}
    return levels | ({"procs": procs[1]} if procs else {})


GO_BENCH = Importer("go-bench", "go test -bench", _read, _BEGINS)
