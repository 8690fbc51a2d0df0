"""What `go test -bench` prints: any number of counts, -benchmem and units of its own.

The format: go.dev/design/14313-benchmark-format; what else is printed: src/testing/benchmark.go of golang/go. Lines of
one name are one figure with a value for each count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.go_agree import (
    DIFFERS,
    PROCS,
    Line,
    agree,
    copies,
    counts,
    other_units,
    package_is_long_enough,
    processors,
    single,
)
from sectax.audit.importers.microbench import of_names
from sectax.audit.importers.parts import Importer, Measurement
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import named_size
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

# It stands indented, or as a quotation, in the text of others.
_MARGIN = r"[ \t>]*+"
_BEGINS = re.compile(rf"^{_MARGIN}(?:goos: \w|Benchmark\S*\s+\d+\s+\S+ \S+/op\b)", re.MULTILINE)
# Some write their own commas into long numbers.
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_RESULT = re.compile(rf"{_MARGIN}Benchmark(\S*)\s+([0-9]+)\s+(\S.*)")
_FACT = re.compile(rf"{_MARGIN}(pkg|cpu|goos|goarch): (.*)")
# Rosetta's name for the processor that it pretends to be.
_EMULATED = re.compile(r"VirtualApple|QEMU|TCG")
# A second result in a line: behind the last unit of the first, or a name without a result.
_GLUED = re.compile(r"(?<=[\s/ps])Benchmark[A-Z_0-9]\S*\s+\d+\s+[\d.]+ \S+/\S+")
# A name that has no result in its line, and a result without a name: what logs leaves of a line.
_NAME = re.compile(rf"{_MARGIN}Benchmark([^\s/]\S*)")
_BARE = re.compile(r"\s*+\d+\s+[\d.]+ ns/op\b.*")
_IDLE = re.compile(r"testing: warning: no tests to run|(?:ok|FAIL|\?) {0,4}\t\S|PASS$")
_NOT_READ = "this line is in no figure"
_PASSED = re.compile(rf"{_MARGIN}ok\s+\S+\s+(\d{{1,9}}(?:\.\d{{1,6}})?)s")
_FIELD = re.compile(r"\S+")
# Words of the author's own: 'With a pool:', '# after'.
_HEADING = re.compile(
    r"(?!\s*+(?:Benchmark|goos|goarch|pkg|cpu|ok\s|PASS|FAIL|exit|---|===|\?\s|\d|[\[{<(|$%>`+-]|testing:))"
    r"[ \t#*=]*+[A-Za-z][^\t{};]{2,120}$"
)
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
    (re.compile(r"--- SKIP: \S{1,400}"), "a benchmark was skipped: it is not among the figures"),
    (re.compile(r"go test [^#\n]{0,400}?-race\b"), "the race detector makes code 2 to 20 times as slow, not all alike"),
    (re.compile(r"go test [^#\n]{0,400}?-cover(?:profile|mode|pkg)?\b"), "coverage counts every statement"),
    (re.compile(r"WARNING: DATA RACE"), "it was measured with -race, and what it does is not safe"),
)
# They stand in the last columns of a line, or alone.
_LONGEST = 2000
# What stands after the name of a benchmark that ended without a result.
_NO_RESULT = re.compile(rf"{_MARGIN}(Benchmark[^\s/]\S{{0,400}}-\d{{1,5}})\s*+$")
_RAN = re.compile(
    r"^(?:testing: warning: no tests to run|--- FAIL: Benchmark|Benchmark\S*[ \t]+--- FAIL"
    r"|(?:ok|FAIL|\?) {0,4}\t\S+\t(?:[\d.]+s|\(cached\)|\[))",
    re.MULTILINE,
)


@dataclass
class _Series:
    """One name in one unit: a value for each count."""

    package: str
    processor: str | None
    machine: str | None
    values: list[float] = field(default_factory=list)
    batches: list[float] = field(default_factory=list)


def _read(lines: Iterable[str]) -> Evidence:
    package, processor, machine = "", None, None
    said = Said()
    series: dict[tuple[str, str, str], _Series] = {}
    bytes_each: dict[tuple[str, str], list[float]] = {}
    begun: tuple[int, str] | None = None
    # The last name without a result: logs may stand between the two.
    open_name, idle, heading = "", "", ""
    results: list[Line] = []
    since_passed: list[Line] = []
    heads = 0
    twice: list[Twice] = []
    systems: dict[str, dict[str, None]] = {}
    for place, line in enumerate(lines, 1):
        if begun is not None and line and not line.isspace():
            _interrupted(said, *begun, line)
            begun = None
        if fact := _FACT.match(line):
            if fact[1] == "pkg":
                package = fact[2].strip()
                heads += 1
            elif fact[1] in ("goos", "goarch"):
                systems.setdefault(fact[1], {}).setdefault(fact[2].strip())
                machine = fact[2].strip() if fact[1] == "goarch" else machine
            else:
                machine = processor = fact[2].strip() or None
                if _EMULATED.search(processor or ""):
                    meaning = "a program of another architecture, emulated on this one"
                    said.add(Severity.WARNING, place, line, meaning, "apples-and-oranges")
        elif failed := _FAILED.search(line):
            meaning = "a benchmark failed: what it printed, or what is missing of it, is of broken code"
            said.add(Severity.FATAL, place, failed[0], meaning)
        elif alone := _NO_RESULT.match(line):
            begun = place, alone[1]
        if len(line) <= _LONGEST:
            for pattern, meaning in _DOUBTFUL:
                if doubtful := pattern.search(line):
                    said.add(Severity.WARNING, place, doubtful[0], meaning)
            idle = idle or (line.strip() if _IDLE.match(line) else "")
        if passed := _PASSED.match(line):
            twice += package_is_long_enough(package, number_in(passed, 1, place), since_passed, is_one=heads == 1)
            since_passed, heads = [], 0
        matches = [found for part in _parts(line) if (found := _RESULT.match(_without_commas(part)))]
        if words := _HEADING.match(line):
            heading = words[0].strip()
        if not matches and open_name and (bare := _BARE.match(line)):
            matches = [found for found in [_RESULT.match(f"Benchmark{open_name} {bare[0]}")] if found]
        if named := _NAME.match(line):
            open_name = "" if matches else named[1]
        if len(matches) > 1:
            said.add(Severity.WARNING, place, f"{len(matches)} results stand in one line", "a line break was lost here")
        for found in matches:
            pairs = list(_pairs(found, place, said, twice))
            if not pairs:
                continue
            batch = number_in(found, 2, place)
            fields = _FIELD.findall(found.string, found.start(3))[: 2 * len(pairs)]
            # What stands behind the last pair is none, and may name a unit again.
            printed = dict(zip(fields[1::2], fields[::2], strict=True))
            results.append(Line(package, found[1], batch, dict(pairs), printed, heading))
            since_passed.append(results[-1])
            if (moved := _bytes_each(dict(pairs))) is not None:
                bytes_each.setdefault((package, found[1]), []).append(moved)
            for unit, value in pairs:
                made = series.setdefault((package, found[1], unit), _Series(package, processor, machine))
                if None not in (made.machine, machine) and made.machine != machine:
                    both = f"{printable(made.machine or '', 60)} and {printable(machine or '', 60)}"
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
    if idle and not figures:
        said.add(Severity.WARNING, 0, f"go test itself says: {idle}", "no benchmark ran")
    for name, told in systems.items():
        if len(told) > 1:
            both = " and ".join(printable(each, 40) for each in told)
            said.add(Severity.WARNING, 0, f"the results are of {len(told)} machines, {name}: {both}", DIFFERS)
    processors(said, list(dict.fromkeys(line.name for line in results)))
    single(said, results)
    counts(said, results)
    other_units(said, results)
    return of_names(figures, "go test -bench", [*said.incidents(), *copies(results)], [*twice, *agree(results)])


def _without_commas(line: str) -> str:
    return _GROUPED.sub("", line) if "," in line[:_LONGEST] else line


def _parts(line: str) -> list[str]:
    """A line, cut where a second result begins in it."""
    if line.count("Benchmark") < 2:
        return [line]
    cuts = [found.start() for found in _GLUED.finditer(line[:_LONGEST])]
    return [line[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]


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


def _pairs(found: re.Match[str], place: int, said: Said, twice: list[Twice]) -> Iterator[tuple[str, float]]:
    """Values and units of a result, as far as they can be read; what follows is said."""
    fields = list(_FIELD.finditer(found.string, found.start(3)))
    name = printable(found[1], 60)
    if fields and fields[0][0] == "ns/op":
        twice += _run_together(found, fields, place)
        said.add(Severity.WARNING, place, f"{name} has a time and no count", _NOT_READ)
        return
    for value, unit in zip(fields[::2], fields[1::2], strict=False):
        scale = _UNITS[unit[0]][1] if unit[0] in _UNITS else 1.0
        try:
            told = number(value[0], scale=scale)
        except BadInput as error:
            # Words that begin with a benchmark's name are no result.
            if "/op" in found[3]:
                severity = Severity.FATAL if "negative" in error.message else Severity.WARNING
                said.add(severity, place, f"{name}, {unit[0]}: {error.message}", _NOT_READ)
            return
        yield unit[0], told
    if len(fields) % 2:
        said.add(Severity.WARNING, place, f"{name} ends in {fields[-1][0]}, without its unit", "it was cut short")


def _run_together(found: re.Match[str], fields: list[re.Match[str]], place: int) -> Iterator[Twice]:
    """A count and a time without a blank between them, where MB/s and the bytes in the name tell the time."""
    rates = [value[0] for value, unit in zip(fields[1::2], fields[2::2], strict=False) if unit[0] == "MB/s"]
    for size in re.findall(r"\d{2,12}", PROCS.sub("", found[1])) if rates else ():
        rate = number(rates[0], scale=1e6, line=place)
        if rate > 0:
            yield Twice(
                f"the time of {printable(found[1], 60)}, in line {place}, in seconds,",
                number(found[2], scale=1e-9, line=place),
                float(size) / rate,
                "by the bytes in its name and its MB/s it is",
                0.0,
            )


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
        **named_size(PROCS.sub("", name)),
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
    procs = PROCS.search(name)
    first, *below = PROCS.sub("", name).split("/")
    levels = {"name": first}
    for at, part in enumerate(below, 1):
        key, separator, level = part.partition("=")
        levels |= {key: level} if separator and key else {f"sub{at}": part}
    return levels | ({"procs": procs[1]} if procs else {})


def _ran(head: str) -> bool:
    """Whether go test ran, with benchmarks or without."""
    return _RAN.search(head) is not None


GO_BENCH = Importer("go-bench", "go test -bench", _read, _BEGINS, _ran)
