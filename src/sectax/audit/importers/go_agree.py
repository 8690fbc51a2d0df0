"""What results of go test tell twice: in one line, beside other counts of one name, and beside all others of a file."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import median

from sectax.audit.evidence import Incident, Twice
from sectax.audit.importers.microbench import copied_rows
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import size_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

PROCS = re.compile(r"-(\d+)$")
DIFFERS = "set beside each other they show the difference of that as well"
# Names end in these too: 'AES-128', 'SHA-256'.
_KEY_SIZES = frozenset({"128", "160", "192", "224", "256", "384", "512", "1024", "2048", "3072", "4096"})
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
# Units that authors report: quantiles of times, and times of an operation in another unit than go test's.
_QUANTILE = re.compile(r"(?:ns|us|µs|ms|s)?[-_./]?p(\d{1,2}(?:\.\d{1,3})?|100)(?!\d)(.{0,20})", re.IGNORECASE)
_OTHER_TIMES = frozenset({"us/op", "µs/op", "ms/op", "s/op"})
# Of the time that a benchmark runs for, in all its iterations: how near most of a file must be to the middle one before
# one that is far from it is doubted, and how far. Setting up with b.N in it makes a few longer.
NEAR_EACH_OTHER, MOST_OF_THEM, LEAST_TOTAL, MOST_TOTAL, FEWEST_TOTALS = 1.6, 0.6, 0.4, 20.0, 4
TIMEOUT_S = 600.0
# Go stops there, however short the time is.
MOST_ITERATIONS = 1e9
# Of the seconds of a package, that its benchmarks may be more.
LONGER, MORE_S = 0.05, 0.5
# The same where nothing but other figures explains it.
FAR_LONGER = 1.2
# Iterations of one count beside a single one of another.
MANY = 100
# Numbers of iterations of one name, so many times apart, and totals that are the same.
MORE_ITERATIONS, SAME_TOTAL = 5.0, 1.1
# Allocations of an operation, in two counts of one name: by so many more, and so many times as many.
# What is allocated once counts among few iterations.
MORE_ALLOCATIONS, TIMES_ALLOCATIONS = 5.0, 1.3
# The same of bytes, where the number of allocations differs too.
MORE_BYTES, TIMES_BYTES = 256.0, 1.3
# Of the names of a package: how many have one number of counts, where one that has another is doubted.
FEWEST_NAMES, FEWEST_COUNTS = 4, 3
# Times of one name under headings of their own, where the file holds all its names under each.
UNLIKE_BLOCKS = 1.1
# Bytes of an operation by its name and by its rate, where they are this far apart.
UNLIKE_BYTES = 1.9


@dataclass(frozen=True)
class Line:
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


def agree(results: Sequence[Line]) -> Iterator[Twice]:
    """Everything that results tell twice."""
    return chain(
        _beside_itself(results),
        _quantiles(results),
        _totals(results),
        _allocations(results),
        _under_headings(results),
        _divided(results),
    )


def _divided(results: Sequence[Line]) -> Iterator[Twice]:
    """A name whose time falls as its iterations rise: what is done once, whatever b.N is, divided by it.

    That the total is the same is what -benchtime asks for. So its memory must fall as well, or another name with the
    same numbers of iterations go on for longer with them.
    """
    counts: dict[tuple[str, str], dict[float, Line]] = {}
    for line in results:
        if line.iterations > 1 and line.total_s:
            counts.setdefault((line.package, line.name), {})[line.iterations] = line
    for (package, name), lines in counts.items():
        few, many = lines[min(lines)], lines[max(lines)]
        if many.iterations < MORE_ITERATIONS * few.iterations or not _same([each.total_s for each in lines.values()]):
            continue
        taken = [each.told.get("B/op", 0.0) for each in lines.values()]
        memory = min(taken) >= MORE_BYTES and _same([each * count for each, count in zip(taken, lines, strict=True)])
        beside = [of for key, of in counts.items() if key[0] == package and of.keys() == lines.keys() and len(of) > 2]
        longer = any((of[max(of)].total_s or 0.0) >= MORE_ITERATIONS * (of[min(of)].total_s or 0.0) for of in beside)
        if memory or (longer and len(lines) > 2):
            what = f"the time of {printable(name, 60)} with {many.iterations:.0f} iterations, in seconds,"
            from_ = f"with {few.iterations:.0f}, which all together take as long, so that it is done once, it is"
            yield Twice(what, many.told["ns/op"], few.told["ns/op"], from_, 0.0, (), 0.0)


def _same(totals: Sequence[float | None]) -> bool:
    told = [each or 0.0 for each in totals]
    return max(told) <= SAME_TOTAL * min(told)


def _quantiles(results: Sequence[Line]) -> Iterator[Twice]:
    """Quantiles that authors report as units of their own rise."""
    for line in results:
        placed: dict[str, dict[float, float]] = {}
        for unit, value in line.told.items():
            if found := _QUANTILE.match(unit):
                rest = unit[: found.start(1)].lower() + (found[2] or "").lower()
                placed.setdefault(rest, {})[float(found[1])] = value
        for quantiles in placed.values():
            for (low, one), (high, other) in pairwise(sorted(quantiles.items())):
                if one > other:
                    what = f"the p{low:g} of {printable(line.name, 60)}"
                    yield Twice(what, one, other, f"it can be no more than the p{high:g},", 0.0, (), 1e-6)


def other_units(said: Said, results: Sequence[Line]) -> None:
    """A time in another unit than that which go test prints, beside lines that have it."""
    if not any("ns/op" in line.told for line in results):
        return
    for line in results:
        if "ns/op" not in line.told and (units := _OTHER_TIMES & line.told.keys()):
            unit = min(units)
            meaning = "go test prints ns/op: the unit was typed over, or the time is of something else"
            said.add(
                Severity.WARNING, 0, f"{printable(line.name, 60)} has its time in {unit}", meaning, "contradiction"
            )


def copies(results: Sequence[Line]) -> Iterator[Incident]:
    """Names with one count each that share it and its time."""
    often = Counter((line.package, line.name) for line in results)
    told = [line for line in results if often[line.package, line.name] == 1 and line.iterations > 1]
    return copied_rows((line.name, "ns/op", (line.iterations, line.told.get("ns/op", 0.0))) for line in told)


def counts(said: Said, results: Sequence[Line]) -> None:
    """A name with fewer or more counts than all others: -count is the same for all of them."""
    packages: dict[str, Counter[str]] = {}
    for line in results:
        packages.setdefault(line.package, Counter())[line.name] += 1
    for names in packages.values():
        (usual, of_names), *_ = Counter(names.values()).most_common(1)
        others = [name for name, count in names.items() if count != usual]
        if usual >= FEWEST_COUNTS and of_names >= FEWEST_NAMES * len(others) > 0:
            saw = f"{printable(others[0], 60)} has {names[others[0]]} counts, and {of_names} others have {usual} each"
            meaning = "lines were taken out or added: what is left may have been chosen"
            said.add(Severity.WARNING, 0, saw, meaning, "contradiction")


def package_is_long_enough(package: str, seconds: float, lines: Sequence[Line], *, is_one: bool) -> Iterator[Twice]:
    """All benchmarks of a package last no longer than the package; *is_one*: its lines stand between head and end."""
    total = sum(line.total_s or 0.0 for line in lines)
    if total > (1 + LONGER) * seconds + MORE_S:
        what, from_ = f"the time of {printable(package or 'a package', 60)}, in seconds,", "its benchmarks last for"
        # Lines of several runs may have been put above the end of one; a name has the same number of counts in each.
        severity = Severity.FATAL if total > FAR_LONGER * seconds + MORE_S and is_one else Severity.WARNING
        yield Twice(what, seconds, total, from_, 0.0, (), 0.0, severity)


def _beside_itself(results: Sequence[Line]) -> Iterator[Twice]:
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
        size = size_in(PROCS.sub("", name))
        if size is not None and not low / UNLIKE_BYTES <= size <= high * UNLIKE_BYTES:
            what, from_ = (
                f"the bytes of an operation of {printable(name, 60)}, by MB/s and ns/op,",
                "by its name they are",
            )
            yield Twice(what, (low + high) / 2, size, from_, 0.0, (), 0.0, Severity.WARNING)


def _bytes_within(line: Line) -> tuple[float, float]:
    """The least and the most bytes of an operation that its printed MB/s and ns/op can stand for; zeros where none."""
    ends = []
    for unit in ("ns/op", "MB/s"):
        text, value = line.printed.get(unit, ""), line.told.get(unit, 0.0)
        shown = float(text) if value > 0 and _PLAIN.fullmatch(text) else 0.0
        step = 10.0 ** -len(text.partition(".")[2])
        if shown <= step:
            return 0.0, 0.0
        # Before Go 1.13 whole nanoseconds were cut off, and not rounded.
        more = 1.1 if step == 1 else 0.6
        ends.append((value * (1 - 0.6 * step / shown), value * (1 + more * step / shown)))
    (short, long), (slow, fast) = ends
    return short * slow, long * fast


def _allocations(results: Sequence[Line]) -> Iterator[Twice]:
    """Allocations do not depend on how fast it went: counts of one build have the same, or near it."""
    counts: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for line in results:
        if "allocs/op" in line.told:
            told = line.told["allocs/op"], line.told.get("B/op", 0.0)
            counts.setdefault((line.package, line.name), []).append(told)
    unlike = {name: each for (_, name), each in counts.items() if _other_build(each)}
    if unlike:
        name, each = max(unlike.items(), key=lambda item: max(item[1])[0] - min(item[1])[0])
        few, many = min(each)[0], max(each)[0]
        what = f"the allocations of an operation of {printable(name, 60)}, the farthest of {len(unlike)},"
        from_ = "in another count, so of other code or data, they are"
        yield Twice(what, many, few, from_, 0.0, (), 0.0, Severity.WARNING)


def _other_build(counts: Sequence[tuple[float, float]]) -> bool:
    """Whether counts (allocations, bytes) cannot be of one program."""
    few, many = min(counts), max(counts)
    more, bytes_more = many[0] - few[0], many[1] - few[1]
    if more >= MORE_ALLOCATIONS and many[0] >= TIMES_ALLOCATIONS * few[0]:
        return True
    return more >= 2 and bytes_more >= MORE_BYTES and many[1] >= TIMES_BYTES * few[1]


def _under_headings(results: Sequence[Line]) -> Iterator[Twice]:
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


def _totals(results: Sequence[Line]) -> Iterator[Twice]:
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


def single(said: Said, results: Sequence[Line]) -> None:
    """A count of one iteration beside counts of many."""
    counts: dict[tuple[str, str], list[float]] = {}
    for line in results:
        counts.setdefault((line.package, line.name), []).append(line.iterations)
    for (_, name), each in counts.items():
        if min(each) <= 1 and max(each) >= MANY:
            saw = f"{printable(name, 60)} was done once in one count, and {max(each):.0f} times in another"
            said.add(Severity.WARNING, 0, saw, "the two are not of the same work, or one was typed over")


def processors(said: Said, names: Sequence[str]) -> None:
    """Names that end in another GOMAXPROCS than those of others, where -cpu did not ask for several of each."""
    procs: dict[str, set[str]] = {}
    for name in names:
        found = PROCS.search(name)
        # Without one there is a single processor, or a name that ends in a number.
        if found is None:
            return
        procs.setdefault(PROCS.sub("", name), set()).add(found[1])
    of_each = {next(iter(each)) for each in procs.values()}
    if len(of_each) > 1 and all(len(each) == 1 for each in procs.values()) and not of_each & _KEY_SIZES:
        both = " and ".join(sorted(of_each, key=int)[:3])
        said.add(Severity.WARNING, 0, f"the results are of {len(of_each)} values of GOMAXPROCS: {both}", DIFFERS)
