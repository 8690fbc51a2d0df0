"""What `go test -bench` prints: any number of counts, -benchmem and units of its own.

The format: go.dev/design/14313-benchmark-format; what else is printed: src/testing/benchmark.go of golang/go. Lines of
one name are one figure with a value for each count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import median

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.microbench import of_names
from sectax.audit.importers.parts import Importer, Measurement
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import named_size, size_in
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

# It stands indented, or as a quotation, in the text of others.
_MARGIN = r"[ \t>]*+"
_BEGINS = re.compile(rf"^{_MARGIN}(?:goos: \w|Benchmark\S*\s+\d+\s+\S+ \S+/op\b)", re.MULTILINE)
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
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
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
_PROCS = re.compile(r"-(\d+)$")
# Names end in these too: 'AES-128', 'SHA-256'.
_KEY_SIZES = frozenset({"128", "160", "192", "224", "256", "384", "512", "1024", "2048", "3072", "4096"})
_DIFFERS = "set beside each other they show the difference of that as well"


# Of the time that a benchmark runs for, in all its iterations: how near most of a file must be to the middle one before
# one that is far from it is doubted, and how far. Setting up with b.N in it makes a few longer.
NEAR_EACH_OTHER, MOST_OF_THEM, LEAST_TOTAL, MOST_TOTAL, FEWEST_TOTALS = 1.6, 0.6, 0.4, 20.0, 4
TIMEOUT_S = 600.0
# Go stops there, however short the time is.
MOST_ITERATIONS = 1e9
# Of the seconds of a package, that its benchmarks may be more.
LONGER, MORE_S = 0.05, 0.5
# Iterations of one count beside a single one of another.
MANY = 100
# Allocations of an operation, in two counts of one name: by so many more, and so many times as many.
# What is allocated once counts among few iterations.
MORE_ALLOCATIONS, TIMES_ALLOCATIONS = 5.0, 1.3
# Times of one name under headings of their own, where the file holds all its names under each.
UNLIKE_BLOCKS = 1.1
# Bytes of an operation by its name and by its rate, where they are this far apart.
UNLIKE_BYTES = 1.9


@dataclass(frozen=True)
class _Line:
    """One result, and what it says of itself."""

    package: str
    name: str
    iterations: float
    told: dict[str, float]
    # The same in the units and digits that are printed.
    printed: dict[str, str]
    # The words above it that are no line of go test's.
    heading: str = ""

    @property
    def total_s(self) -> float | None:
        seconds = self.told.get("ns/op")
        return None if seconds is None else seconds * self.iterations


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
    results: list[_Line] = []
    since_passed: list[_Line] = []
    twice: list[Twice] = []
    systems: dict[str, dict[str, None]] = {}
    for place, line in enumerate(lines, 1):
        if begun is not None and line and not line.isspace():
            _interrupted(said, *begun, line)
            begun = None
        if fact := _FACT.match(line):
            if fact[1] == "pkg":
                package = fact[2].strip()
            elif fact[1] in ("goos", "goarch"):
                systems.setdefault(fact[1], {}).setdefault(fact[2].strip())
                machine = fact[2].strip() if fact[1] == "goarch" else machine
            else:
                machine = processor = fact[2].strip() or None
                if _EMULATED.search(processor or ""):
                    said.add(Severity.WARNING, place, line, "a program of another architecture, emulated on this one")
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
            twice += _package(package, number_in(passed, 1, place), since_passed)
            since_passed = []
        matches = [found for part in _parts(line) if (found := _RESULT.match(part))]
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
            results.append(_Line(package, found[1], batch, dict(pairs), printed, heading))
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
            said.add(Severity.WARNING, 0, f"the results are of {len(told)} machines, {name}: {both}", _DIFFERS)
    _processors(said, list(dict.fromkeys(line.name for line in results)))
    _single(said, results)
    return of_names(
        figures,
        "go test -bench",
        said.incidents(),
        chain(twice, _beside_itself(results), _totals(results), _allocations(results), _under_headings(results)),
    )


def _parts(line: str) -> list[str]:
    """A line, cut where a second result begins in it."""
    if line.count("Benchmark") < 2:
        return [line]
    cuts = [found.start() for found in _GLUED.finditer(line[:_LONGEST])]
    return [line[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]


def _package(package: str, seconds: float, lines: Sequence[_Line]) -> Iterator[Twice]:
    """All benchmarks of a package last no longer than the package."""
    total = sum(line.total_s or 0.0 for line in lines)
    if total > (1 + LONGER) * seconds + MORE_S:
        what, from_ = f"the time of {printable(package or 'a package', 60)}, in seconds,", "its benchmarks last for"
        yield Twice(what, seconds, total, from_, 0.0, (), 0.0, Severity.WARNING)


def _beside_itself(results: Sequence[_Line]) -> Iterator[Twice]:
    """Units of one line that contradict each other, or those of another count."""
    moved: dict[tuple[str, str], tuple[float, float]] = {}
    for line in results:
        name = printable(line.name, 60)
        size, allocations = line.told.get("B/op"), line.told.get("allocs/op")
        if size is not None and allocations is not None and size < math.floor(allocations):
            what, from_ = f"the bytes of an operation of {name}", "each allocation has one at the least, which makes"
            yield Twice(what, size, allocations, from_, 0.0, (), 0.0)
        low, high = _bytes_within(line)
        if not high:
            continue
        key = line.package, line.name
        before = moved.setdefault(key, (low, high))
        if low > before[1] or high < before[0]:
            what, from_ = f"the bytes of an operation of {name}, by MB/s and ns/op,", "in another count they are"
            yield Twice(what, (low + high) / 2, sum(before) / 2, from_, 0.0, (), 0.0)
    for (_, name), (low, high) in moved.items():
        size = size_in(_PROCS.sub("", name))
        if size is not None and not low / UNLIKE_BYTES <= size <= high * UNLIKE_BYTES:
            what, from_ = (
                f"the bytes of an operation of {printable(name, 60)}, by MB/s and ns/op,",
                "by its name they are",
            )
            yield Twice(what, (low + high) / 2, size, from_, 0.0, (), 0.0, Severity.WARNING)


def _bytes_within(line: _Line) -> tuple[float, float]:
    """The least and the most bytes of an operation that its printed MB/s and ns/op can stand for; zeros where none."""
    ends = []
    for unit in ("ns/op", "MB/s"):
        text, value = line.printed.get(unit, ""), line.told.get(unit, 0.0)
        shown = float(text) if value > 0 and _PLAIN.fullmatch(text) else 0.0
        half = 0.6 * 10.0 ** -len(text.partition(".")[2])
        if shown <= half:
            return 0.0, 0.0
        ends.append((value * (1 - half / shown), value * (1 + half / shown)))
    (short, long), (slow, fast) = ends
    return short * slow, long * fast


def _allocations(results: Sequence[_Line]) -> Iterator[Twice]:
    """Allocations do not depend on how fast it went: counts of one build have the same, or near it."""
    counts: dict[tuple[str, str], list[float]] = {}
    for line in results:
        if "allocs/op" in line.told:
            counts.setdefault((line.package, line.name), []).append(line.told["allocs/op"])
    (name, few, many), others = ("", 0.0, 0.0), 0
    for (_, of), each in counts.items():
        if max(each) - min(each) >= MORE_ALLOCATIONS and max(each) >= TIMES_ALLOCATIONS * min(each):
            others += 1
            name, few, many = max((name, few, many), (of, min(each), max(each)), key=lambda told: told[2] - told[1])
    if others:
        what = f"the allocations of an operation of {printable(name, 60)}, the farthest of {others},"
        from_ = "in another count, so of other code or data, they are"
        yield Twice(what, many, few, from_, 0.0, (), 0.0, Severity.WARNING)


def _under_headings(results: Sequence[_Line]) -> Iterator[Twice]:
    """The same names again under each heading: other builds or settings, and no values of one figure."""
    blocks: dict[str, dict[tuple[str, str], list[float]]] = {}
    for line in results:
        if "ns/op" in line.told:
            times = blocks.setdefault(line.heading, {}).setdefault((line.package, line.name), [])
            times.append(line.told["ns/op"])
    named = [block for heading, block in blocks.items() if heading]
    if len(named) < 2 or len({frozenset(block) for block in named}) > 1:
        return
    for (_, name), of in {key: [block[key] for block in named] for key in named[0]}.items():
        fast, slow = min(of, key=max), max(of, key=min)
        if min(slow) > UNLIKE_BLOCKS * max(fast):
            what = f"the time of {printable(name, 60)}, in seconds,"
            from_ = "under another heading, so of another state of the code, it is"
            yield Twice(what, min(slow), max(fast), from_, 0.0, (), 0.0, Severity.WARNING)
            return


def _totals(results: Sequence[_Line]) -> Iterator[Twice]:
    """Iterations are added until all of them last as long as -benchtime asks, so their total is much alike."""
    totals = {
        at: total
        for at, line in enumerate(results)
        if 1 < line.iterations < MOST_ITERATIONS and (total := line.total_s) is not None and total > 0
    }
    if len(totals) < FEWEST_TOTALS:
        return
    middle = median(totals.values())
    near = sum(middle / NEAR_EACH_OTHER <= total <= middle * NEAR_EACH_OTHER for total in totals.values())
    alike = near >= MOST_OF_THEM * len(totals)
    told: set[str] = set()
    for at, total in totals.items():
        name = results[at].name
        what = f"the time of all iterations of {printable(name, 60)}, in seconds,"
        if name in told:
            continue
        if alike and not LEAST_TOTAL * middle <= total <= MOST_TOTAL * middle:
            from_ = "go test goes on until it is long enough, and others of the file last for"
        elif total > TIMEOUT_S:
            middle, from_ = TIMEOUT_S, "by default go test ends all of a package after"
        else:
            continue
        told.add(name)
        yield Twice(what, total, middle, from_, 0.0, (), 0.0, Severity.WARNING)


def _single(said: Said, results: Sequence[_Line]) -> None:
    """A count of one iteration beside counts of many."""
    counts: dict[tuple[str, str], list[float]] = {}
    for line in results:
        counts.setdefault((line.package, line.name), []).append(line.iterations)
    for (_, name), each in counts.items():
        if min(each) <= 1 and max(each) >= MANY:
            saw = f"{printable(name, 60)} was done once in one count, and {max(each):.0f} times in another"
            said.add(Severity.WARNING, 0, saw, "the two are not of the same work, or one was typed over")


def _processors(said: Said, names: Sequence[str]) -> None:
    """Names that end in another GOMAXPROCS than those of others, where -cpu did not ask for several of each."""
    procs: dict[str, set[str]] = {}
    for name in names:
        found = _PROCS.search(name)
        # Without one there is a single processor, or a name that ends in a number.
        if found is None:
            return
        procs.setdefault(_PROCS.sub("", name), set()).add(found[1])
    of_each = {next(iter(each)) for each in procs.values()}
    if len(of_each) > 1 and all(len(each) == 1 for each in procs.values()) and not of_each & _KEY_SIZES:
        both = " and ".join(sorted(of_each, key=int)[:3])
        said.add(Severity.WARNING, 0, f"the results are of {len(of_each)} values of GOMAXPROCS: {both}", _DIFFERS)


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
    for size in re.findall(r"\d{2,12}", _PROCS.sub("", found[1])) if rates else ():
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


def _ran(head: str) -> bool:
    """Whether go test ran, with benchmarks or without."""
    return _RAN.search(head) is not None


GO_BENCH = Importer("go-bench", "go test -bench", _read, _BEGINS, _ran)
