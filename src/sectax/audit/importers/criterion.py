"""What Criterion.rs prints under `cargo bench`, and Rust's own harness, whose form Criterion can print too.

Source: src/report.rs, format.rs and measurement.rs of bheisler/criterion.rs. Each estimate stands between the ends of
its interval.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.microbench import WIDE, copied_rows, of_names
from sectax.audit.importers.parts import Importer, Measurement
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import named_size, size_in
from sectax.formats.numbers import BINARY, DECIMAL, SECONDS, number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

_N = r"(\d++(?:\.\d++)?)"
# The sign of micro is two others where a terminal took UTF-8 for something else ('┬╡s', 'Âµs').
_TIME = r"(ps|ns|us|ms|s|[^\x00-\x7f\s]{1,4}s|\?{1,2}s)"
_SPEED = r"([KMGT]?i?[Bb]/s|[KMG]?elem/s)"
_BEGINS = re.compile(
    rf"\btime:[ \t]++\[{_N} {_TIME} {_N} {_TIME} {_N} {_TIME}\]|^test .{{1,400}} \.\.\. bench:[ \t]", re.MULTILINE
)
_RESULT = re.compile(rf"\btime:\s++\[{_N} {_TIME} {_N} {_TIME} {_N} {_TIME}\]")
_THROUGHPUT = re.compile(rf"\s*+thrpt:\s++\[{_N}\s++{_SPEED} {_N}\s++{_SPEED} {_N}\s++{_SPEED}\]")
_OUTLIERS = re.compile(r"\s*+Found (\d++) outliers among (\d++) measurements(?: \((\d++\.\d++)%\))?")
# A share of the time, whether it is more than chance, and what Criterion makes of both.
_PER_CENT = r"[-+−]\d++(?:\.\d++)?%"
_CHANGE = re.compile(
    rf"\s*+(?:change|time):\s++\[{_PER_CENT} ({_PER_CENT}) {_PER_CENT}\] \(p = (\d\.\d++) [<>] (\d\.\d++)\)"
)
_JUDGED = re.compile(r"\s*+(No change in performance detected|Performance has (?:improved|regressed))\.")
_BUILT = re.compile(r"\s*+Finished .{0,60}\[(un)?optimized\b")
_OF_A_KIND = re.compile(r"\s*+(\d++) \(\d++\.\d++%\) (?:low|high) (?:mild|severe)\s*+$")
_SAMPLES = re.compile(
    r".{0,500}?: Collecting (\d++) samples in estimated "
    r"(?:(\d++(?:\.\d++)?) (ns|us|µs|┬╡s|Âµs|┬Ás|ms|s|m|h) \((\d++(?:\.\d++)?)([kMBT]?) )?"
)
# The number at the end of a name.
_COUNT = re.compile(r"(\d{1,15})([kKMG]?)")
_COUNTS = {"": 1.0, "K": 1e3, "G": 1e9, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_BENCHER = re.compile(
    r"\s*+test (\S.{0,400}?) \.\.\. bench:\s++([\d,]++(?:\.\d++)?) ns/iter \(\+/- ([\d,]++(?:\.\d++)?)\)"
)
_MB = re.compile(r".{0,600}= ([\d,]++) MB/s")
# In the end of a line too: behind what Criterion was about to do, or behind the head of a log.
_PANICKED = re.compile(r"\bthread (?:'[^']{1,200}'|<unnamed>)(?: \(\d{1,12}\))? panicked.*|(?<!\S)panicked at '.*")
_SAID = re.compile(
    r"\s*+(Warning: (?:Unable to complete|It is not recommended|Benchmark).*"
    r"|error: (?:bench(?:mark)?|test) failed.*|test \S.{0,400}? \.\.\. FAILED)"
)
_FAILED = re.compile(r"\s*+(?:error: bench(?:mark)? failed|error: test failed|test )")
_PREFIX = re.compile(r"(?:Benchmarking .{0,500}?: (?:Warming up|Collecting|Analyzing).{0,200}\r)++")
# `Benchmarking NAME`, and behind a colon what it is doing.
_BEGUN = re.compile(r"\s*+Benchmarking (\S.{0,498}?)(?:: [A-Z][a-z].{0,200})?$")
# What stands above the output of each machine, in a file of several; or in the path of what was built for it.
_MACHINE = re.compile(
    r"[#*=\s-]*+(?:target/)?(x86_64|amd64|x64|aarch64|arm64|armv7\w*|i686|riscv64\w*|ppc64le|s390x)\b[-\w.]*+(?:/.*|[:*=#\s-]*+)$"
)
_ALIASES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
_RAN = re.compile(r"^test result: \w+\. .{1,100} measured|^error: bench failed", re.MULTILINE)
_BROKEN = "a benchmark failed: what is missing of it is of broken code"
_NO_TIME = "the benchmark was begun, and interrupted or cut off: the file is not whole"
_UNITS = SECONDS | {"ps": 1e-12}
_MICRO = SECONDS["us"]
_BYTES = {f"{name}/s": scale for name, scale in (BINARY | DECIMAL).items()}
_BYTES |= {f"{prefix}b/s": 1000.0**power / 8 for power, prefix in enumerate(("", "K", "M", "G"))}
_ELEMENTS = {"elem/s": 1.0, "Kelem/s": 1e3, "Melem/s": 1e6, "Gelem/s": 1e9}


# Of the time, that an interval of 95 % is wide: of the mean of a hundred samples, so that they are far apart.
WIDE_INTERVAL = 0.25
# By Criterion's own count; among real outputs there are up to 17 %.
MANY_OUTLIERS = 0.2
# Times that are so far from what the warm-up showed, or from what others of a group work on; and how alike these are.
UNEXPECTED, ALIKE = 2.5, 1.2
# Times the stored time: programs become so much faster when they are mended, and never so much slower unseen.
LEAST_TIMES, MOST_TIMES, FATAL_TIMES = 0.1, 10.0, 100.0


@dataclass
class _Result:
    """One benchmark: seconds of an iteration, and its throughput where it was told what an iteration does."""

    name: str
    line: int
    low: float
    seconds: float
    high: float
    trials: int | None = None
    bytes_s: float | None = None
    elements_s: float | None = None
    bencher: bool = False
    machine: str | None = None
    expected: float | None = None
    outliers: int | None = None
    of_kinds: int = 0


def _read(lines: Iterable[str]) -> Evidence:
    results: list[_Result] = []
    incidents: list[Incident] = []
    twice: list[Twice] = []
    said = Said()
    before, samples, expected = "", None, None
    machine, idle = None, ""
    begun: dict[str, int] = {}
    of: _Result | None = None
    significant: bool | None = None
    unoptimized: tuple[int, str] | None = None
    for place, line in enumerate(lines, 1):
        if len(line) > 5000:
            continue
        # A terminal writes over what was there.
        text = line.rsplit("\r", 1)[-1] if "\r" in line.rstrip("\r") else line
        if panicked := _PANICKED.search(text):
            said.add(Severity.FATAL, place, panicked[0], _BROKEN)
        if found := _BEGUN.match(text):
            begun.setdefault(found[1], place)
            # What follows is not of the one before, whether or not it has a time that can be read.
            of = of if of is not None and of.name == found[1] else None
        if found := _RESULT.search(text):
            of = _result(found, text, before, place)
            of.trials, of.expected = samples, expected
            results.append(of)
            samples = expected = None
            if unoptimized is not None:
                said.add(Severity.WARNING, *unoptimized, "a build without optimisation was measured")
        elif found := _BENCHER.match(text):
            of = _of_bencher(found, text, place)
            results.append(of)
        elif of is not None and (found := _THROUGHPUT.match(text)):
            twice += _throughput(of, found, place)
        elif of is not None and (found := _OUTLIERS.match(text)):
            of.outliers = int(number_in(found, 1, place))
            of.trials = int(number_in(found, 2, place))
            twice += _share(of, found, place)
        elif found := _CHANGE.match(text):
            _other_work(said, place, "" if of is None else of.name, found[1])
            significant = float(found[2]) < float(found[3])
        elif significant is not None and (found := _JUDGED.match(text)):
            if significant is found[1].startswith("No change"):
                meaning = "its p-value says otherwise: one of the two is not of this run"
                said.add(Severity.WARNING, place, found[1], meaning, "contradiction")
            significant = None
        elif found := _BUILT.match(text):
            unoptimized = None if found[1] is None else (place, text)
        elif of is not None and (found := _OF_A_KIND.match(text)):
            of.of_kinds += int(number_in(found, 1, place))
        elif found := _SAMPLES.match(text):
            samples = int(number_in(found, 1, place))
            expected = _expected(found, place)
        elif found := _SAID.match(text):
            broken = _FAILED.match(text) is not None
            said.add(
                Severity.FATAL if broken else Severity.WARNING,
                place,
                found[1],
                _BROKEN if broken else "Criterion itself says that it measured less than it was to, or otherwise",
            )
        elif found := _MACHINE.match(text):
            machine = _ALIASES.get(found[1], found[1])
        elif _RAN.match(text):
            idle = text.strip()
        if of is not None and of.line == place:
            of.machine = machine
        if text and not text.isspace():
            before = text
    timed = {result.name for result in results}
    for name, place in begun.items():
        if name not in timed:
            said.add(Severity.WARNING, place, f"{printable(name, 60)} has no time", _NO_TIME)
    if idle and not results:
        said.add(Severity.WARNING, 0, f"cargo itself says: {idle}", "no benchmark ran")
    for result in results:
        twice += _interval(result)
        twice += _samples(result)
    incidents += [*_wide(results), *_outliers(results)]
    named = [each for each in results if each.name != _nameless(each.line)]
    incidents += copied_rows((each.name, "time", (each.low, each.seconds, each.high)) for each in named)
    twice += _amounts(results)
    return of_names([_figure(each) for each in results], "Criterion", [*said.incidents(), *incidents], twice)


def _result(found: re.Match[str], text: str, before: str, place: int) -> _Result:
    # A long name stands on a line of its own.
    name = text[: found.start()].strip() or before.strip()
    if not re.search(r"\w", name):
        name = _nameless(place)
    low, middle, high = (number_in(found, at, place, _UNITS.get(found[at + 1], _MICRO)) for at in (1, 3, 5))
    return _Result(name[:500], place, low, middle, high)


def _nameless(place: int) -> str:
    return f"benchmark at line {place}"


def _of_bencher(found: re.Match[str], text: str, place: int) -> _Result:
    nanoseconds, spread = (number(found[at].replace(",", ""), line=place) for at in (2, 3))
    result = _Result(found[1].strip(), place, 0.0, 1e-9 * nanoseconds, 1e-9 * (nanoseconds + spread), bencher=True)
    if speed := _MB.match(text):
        result.bytes_s = number(speed[1].replace(",", ""), scale=1e6, line=place)
    return result


def _share(result: _Result, found: re.Match[str], place: int) -> Iterator[Twice]:
    if found[3] is not None and result.trials:
        share = 100 * (result.outliers or 0) / result.trials
        name = f"the share of outliers of {printable(result.name, 60)}, in per cent,"
        yield Twice(name, number_in(found, 3, place), share, "their number makes", 0.011, (result.name,), 0.0)


def _throughput(result: _Result, found: re.Match[str], place: int) -> Iterator[Twice]:
    scale = _BYTES.get(found[4]) or _ELEMENTS.get(found[4])
    if scale is None:
        return
    speed = number_in(found, 3, place, scale)
    slow = number_in(found, 1, place, (_BYTES | _ELEMENTS).get(found[2], scale))
    if found[4] in _BYTES:
        result.bytes_s = speed
    else:
        result.elements_s = speed
    if result.high > 0 and result.seconds > 0:
        yield Twice(
            f"the throughput of {printable(result.name, 60)}, in line {place},",
            speed,
            # The slower end of the one interval is the longer end of the other.
            slow * result.high / result.seconds,
            "by the ends of the intervals beside it, it is",
            1.0,
        )


def _other_work(said: Said, place: int, name: str, change: str) -> None:
    """A time that is so far from the stored one that the two are hardly of the same work."""
    times = 1 + float(change.rstrip("%").replace("−", "-")) / 100
    if not LEAST_TIMES <= times <= MOST_TIMES:
        meaning = "the run that it is compared with did other work, or was broken: no change of one program is so large"
        severity = Severity.FATAL if times > FATAL_TIMES else Severity.WARNING
        said.add(severity, place, f"{printable(name, 40)} changed by {change}", meaning, "apples-and-oranges")


def _expected(found: re.Match[str], place: int) -> float | None:
    """Seconds of an iteration, by what Criterion saw of it while it warmed up."""
    if found[2] is None:
        return None
    count = number_in(found, 4, place, _COUNTS[found[5]])
    return number_in(found, 2, place, _UNITS[found[3]]) / count if count else None


def _wide(results: list[_Result]) -> Iterator[Incident]:
    """Intervals, and ranges of Rust's own harness, that are too wide to show a difference."""
    told = [(each.high - each.low if not each.bencher else each.high - each.seconds, each) for each in results]
    wide = [
        (reach / each.seconds, each.name)
        for reach, each in told
        if each.seconds > 0 and reach >= (WIDE if each.bencher else WIDE_INTERVAL) * each.seconds
    ]
    if wide:
        share, name = max(wide)
        others = f", the widest of {len(wide)} among {len(results)}" if len(wide) > 1 else ""
        yield Incident(
            Severity.WARNING,
            f"the interval of {printable(name, 60)} is as wide as {100 * share:.0f} % of its time{others}",
            "its samples are on two levels or far apart, and no difference below that can be seen",
            "modes",
        )


def _outliers(results: list[_Result]) -> Iterator[Incident]:
    many = [
        (each.outliers / each.trials, each)
        for each in results
        if each.outliers is not None and each.trials and each.outliers >= MANY_OUTLIERS * each.trials
    ]
    if many:
        _, worst = max(many, key=lambda each: each[0])
        others = f"; {len(many)} benchmarks have so many" if len(many) > 1 else ""
        yield Incident(
            Severity.WARNING,
            f"{worst.outliers} of {worst.trials} measurements of {printable(worst.name, 60)} are outliers{others}",
            "so many are no outliers but another mode, and the estimate is between both",
            "modes",
        )


def _samples(result: _Result) -> Iterator[Twice]:
    """What Criterion counted of its samples, and what it expected of them."""
    name = printable(result.name, 60)
    if result.outliers is not None and result.of_kinds and result.of_kinds != result.outliers:
        what, from_ = f"the number of outliers of {name}", "by kind they are"
        yield Twice(what, result.outliers, result.of_kinds, from_, 0.0, (result.name,), 0.0)
    if result.expected and result.seconds:
        ratio = result.seconds / result.expected
        if not 1 / UNEXPECTED <= ratio <= UNEXPECTED:
            what, from_ = f"the time of {name}, in seconds,", "while warming up it was"
            yield Twice(what, result.seconds, result.expected, from_, 0.0, (result.name,), 0.0, Severity.WARNING)


def _amounts(results: list[_Result]) -> Iterator[Twice]:
    """What an iteration works on, by its time and throughput, beside the number at the end of its name.

    Within a group both go together, whatever the number counts; where they do for all but one, its time or its
    throughput is of another unit.
    """
    groups: dict[tuple[str, bool], list[tuple[_Result, float]]] = {}
    for result in results:
        group, _, last = result.name.rpartition("/")
        speed = result.bytes_s or result.elements_s
        told_by = _COUNT.fullmatch(last)
        count = size_in(result.name) or (float(told_by[1]) * _COUNTS[told_by[2]] if told_by else None)
        if speed and count and result.seconds:
            kind = group.partition("/")[0], result.bytes_s is not None
            groups.setdefault(kind, []).append((result, speed * result.seconds / count))
    for told in groups.values():
        for result, amount in told:
            others = [other for each, other in told if each is not result]
            if not others or max(others) > ALIKE * min(others):
                continue
            # Of two that differ nobody knows which is right: bytes are whole numbers to one that counts them.
            if not min(others) / UNEXPECTED <= amount <= max(others) * UNEXPECTED:
                name = printable(result.name, 60)
                what, from_ = f"what an iteration of {name} works on, for each that its name counts,", "of others it is"
                yield Twice(what, amount, others[0], from_, 0.0, (result.name,), 0.0)
                break


def _interval(result: _Result) -> Iterator[Twice]:
    """Where the estimate lies outside of its own interval."""
    for end, outside in ((result.low, result.seconds < result.low), (result.high, result.seconds > result.high)):
        if outside:
            yield Twice(
                f"the time of {printable(result.name, 60)}, in line {result.line}, in seconds,",
                result.seconds,
                end,
                "its own interval ends at",
                0.0,
                (result.name,),
                tolerance=0.0,
            )


def _figure(result: _Result) -> Figure:
    size = None if result.bytes_s is None or not result.seconds else result.bytes_s * result.seconds
    told = Circumstances(
        operation=result.name,
        moves=Moves.BODY if size else None,
        size_bytes=float(f"{size:.3g}") if size else None,
        **named_size(result.name),
        # Iterations are as many as fit into the time of a measurement.
        calibrated=True,
        replicates=1,
        replicate="process",
        processor=result.machine,
    )
    group, _, function = result.name.partition("/")
    levels = {"benchmark": group} | ({"function": function} if function else {})
    # A heading tells it: what stands under another is no side of the same comparison.
    levels |= {"machine": result.machine} if result.machine is not None else {}
    # By default a hundred; a number of them is printed only beside outliers.
    of = Measurement(result.name, levels, told, result.trials)
    statistic = "median" if result.bencher else "mean"
    return of.figure("time", Quantity.TIME, result.seconds, statistic, id=result.name)


CRITERION = Importer(
    "criterion", "the output of cargo bench", _read, _BEGINS, lambda head: _RAN.search(head) is not None
)
