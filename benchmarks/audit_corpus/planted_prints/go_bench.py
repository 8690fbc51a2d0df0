"""Defects in what `go test -bench` prints."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmarks.audit_corpus.healthy_prints import _go as digits
from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng, each_match
from benchmarks.audit_corpus.planted_prints.series import Series, Values, of_values, quiet

_LINE = re.compile(
    r"^([ \t>]*Benchmark)(\S+)(\s+)(\d+)(\s+)([\d.]+)( ns/op)(?:(\s+)([\d.]+)( MB/s))?(.*)$", re.MULTILINE
)


def _by_name(text: str) -> dict[str, list[re.Match[str]]]:
    found: dict[str, list[re.Match[str]]] = {}
    for line in _LINE.finditer(text):
        found.setdefault(line[2], []).append(line)
    return found


def _read(text: str) -> list[Values]:
    return [[float(line[6]) for line in lines] for lines in _by_name(text).values()]


def _write(text: str, at: int, values: Values) -> str:
    lines = list(_by_name(text).values())[at]
    for line, value in reversed(list(zip(lines, values, strict=True))):
        text = f"{text[: line.start()]}{_with(line, value)}{text[line.end() :]}"
    return text


def _with(line: re.Match[str], value: float, *, batch: bool = True) -> str:
    """A line with another time; the iterations are those that fit into the same total."""
    old = float(line[6])
    count = max(1, round(int(line[4]) * old / value)) if batch and value else line[4]
    speed = f"{line[8]}{float(line[9]) * old / value if value else 0:.2f}{line[10]}" if line[9] else ""
    return f"{line[1]}{line[2]}{line[3]}{count}{line[5]}{digits(value)}{line[7]}{speed}{line[11]}"


def _one(change: Callable[[re.Match[str]], str | None], *, every: bool = False, fewest: int = 1) -> Plant:
    """A plant that changes the lines of the last name, or its last line."""

    def put(text: str, _: Rng) -> str | None:
        names = [lines for lines in _by_name(text).values() if len(lines) >= fewest]
        if not names or len(list(_LINE.finditer(text))) < 4:
            return None
        for line in reversed(names[-1] if every else names[-1][-1:]):
            made = change(line)
            if made is None:
                return None
            text = f"{text[: line.start()]}{made}{text[line.end() :]}"
        return text

    return put


def _set_time(value: float) -> Plant:
    return _one(lambda line: f"{line[1]}{line[2]}{line[3]}1000000000{line[5]}{value:.4g}{line[7]}", every=True)


def _total_as_one(line: re.Match[str]) -> str | None:
    total = int(line[4]) * float(line[6])
    return None if int(line[4]) < 100 else f"{line[1]}{line[2]}{line[3]}1{line[5]}{total:.0f}{line[7]}"


def _speed(factor: float, *, every: bool = False) -> Plant:
    def change(line: re.Match[str]) -> str | None:
        # Where all counts agree, only the size in a name can contradict them.
        if not line[9] or (every and not re.search(r"\d(?:[KM]i?)?B\b", line[2])):
            return None
        at = line.start(9) - line.start()
        return f"{line[0][:at]}{float(line[9]) * factor:.2f}{line[0][at + len(line[9]) :]}"

    return _one(change, every=every, fewest=1 if every else 3)


def _scaled(factor: float) -> Plant:
    """The times of a name among several, without their iterations: typed over."""
    plant = _one(lambda line: _with(line, float(line[6]) * factor, batch=False), every=True)
    return lambda text, rng: plant(text, rng) if len(_by_name(text)) > 2 else None


def _insert(line: str, *, at_end: bool = False, cut: bool = False) -> Plant:
    def put(text: str, _: Rng) -> str | None:
        found = list(_LINE.finditer(text))
        if not found or "\n>" in text or "```" in text:
            return None
        place = found[-1].end() if at_end else found[len(found) // 2].end()
        return f"{text[:place]}\n{line}{'' if cut else text[place:]}"

    return put


def _facts(name: str, value: str) -> Plant:
    """From the second half on, another fact."""

    def put(text: str, _: Rng) -> str | None:
        lines = [line for lines in _by_name(text).values() for line in lines[:1]]
        if len(lines) < 2 or not re.search(rf"^{name}: ", text, re.MULTILINE):
            return None
        place = lines[len(lines) // 2].start()
        return f"{text[:place]}{name}: {value}\n{text[place:]}"

    return put


def _procs(text: str, _: Rng) -> str | None:
    names = list(_by_name(text).items())
    if len(names) < 4 or any(not re.search(r"-(?:2|4|6|8|10|12|16)$", name) for name, _ in names):
        return None
    for _, lines in reversed(names[len(names) // 2 :]):
        for line in reversed(lines):
            changed = re.sub(r"-\d+$", "-64", line[2])
            text = f"{text[: line.start(2)]}{changed}{text[line.end(2) :]}"
    return text


def _elapsed(text: str, _: Rng) -> str | None:
    found = re.search(r"^(ok\s+\S+\s+)([\d.]+)s", text, re.MULTILINE)
    total = sum(int(line[4]) * float(line[6]) for line in _LINE.finditer(text)) / 1e9
    if not found or float(found[2]) < 3 or total < 0.5 * float(found[2]):
        return None
    return text.replace(found[0], f"{found[1]}{0.3 * total:.3f}s")


_KINDS = (
    *of_values(Series(_read, _write), zeros=False),
    Kind("dead code: 0.2 ns", "W faster-than-physics", _set_time(0.2012)),
    Kind("dead code: 0.45 ns", "W faster-than-physics", _set_time(0.45)),
    Kind("no b.N: 1e9 iterations of 0.0000012 ns", "W faster-than-physics", _set_time(1.2e-6)),
    Kind("0 ns/op", "W timer|faster-than-physics", _set_time(0)),
    Kind(
        "b.N is 1, and the time that of all",
        "W contradiction|faster-than-physics|said-by-the-tool|timer|first-trial|modes|unsupported-quantile",
        _one(_total_as_one, fewest=2),
    ),
    Kind(
        "0 B/op with 3 allocs/op",
        "F contradiction",
        each_match(r"\d+ B/op\s+\d+ allocs/op", lambda _: "0 B/op\t       3 allocs/op", last=True),
    ),
    Kind(
        "fewer B/op than allocs/op",
        "F contradiction",
        each_match(r"\d+ B/op\s+\d+ allocs/op", lambda _: "16 B/op\t       30 allocs/op", last=True),
    ),
    Kind("MB/s of one count beside its ns/op", "F contradiction", _speed(2.0)),
    Kind("MB/s 10 times, in all counts", "F contradiction or W contradiction", _speed(10.0, every=True)),
    Kind("times typed over, times 1000", "W contradiction", _scaled(1000.0)),
    Kind("times typed over, a thousandth", "W contradiction", _scaled(1e-3)),
    Kind("times typed over, a third", "W contradiction", _scaled(0.33)),
    Kind("all took longer than the package", "F contradiction or W contradiction", _elapsed),
    Kind("GOMAXPROCS changes between names", "W contradiction|apples-and-oranges|said-by-the-tool", _procs),
    Kind("two processors", "W contradiction|said-by-the-tool|apples-and-oranges", _facts("cpu", "AMD Other 9")),
    Kind("two systems", "W contradiction|said-by-the-tool", _facts("goos", "plan9")),
    Kind("two architectures", "W contradiction|said-by-the-tool", _facts("goarch", "mips")),
    Kind(
        "--- FAIL",
        "F said-by-the-tool",
        _insert("--- FAIL: BenchmarkOther-8\n    x_test.go:12: bad\nFAIL", at_end=True),
    ),
    Kind("timed out", "F said-by-the-tool", _insert("panic: test timed out after 10m0s", at_end=True)),
    Kind(
        "--- SKIP",
        "W said-by-the-tool",
        _insert("--- SKIP: BenchmarkOther-8\n    x_test.go:12: needs a server", at_end=True),
    ),
    Kind("race detector warns", "W said-by-the-tool", _insert("WARNING: DATA RACE")),
    Kind("run with -race", "W said-by-the-tool", lambda text, _: f"$ go test -race -bench . ./...\n{text}"),
    Kind("coverage", "W said-by-the-tool", _insert("coverage: 71.3% of statements", at_end=True)),
    Kind("killed", "F said-by-the-tool", _insert("signal: killed", at_end=True)),
    Kind("the last is without a result", "W said-by-the-tool", _insert("BenchmarkOther-8   \t", at_end=True, cut=True)),
)


def _made() -> str:
    """Six benchmarks of ten counts, about a second each."""
    lines = ["goos: linux", "goarch: amd64", "pkg: example.org/sums", "cpu: AMD EPYC"]
    total = 0.0
    for number in range(6):
        for value in quiet(200.0 * 3**number, 10, number):
            count = round(1.15e9 / value)
            total += 1e-9 * count * value
            size = 64 * 4**number
            lines.append(
                f"BenchmarkSum/size={size}B-8\t{count:8}\t{digits(value)} ns/op\t{1e3 * size / value:.2f} MB/s"
                "\t     128 B/op\t       2 allocs/op"
            )
    return "\n".join([*lines, "PASS", f"ok  \texample.org/sums\t{total + 4:.3f}s", ""])


FORMATS = (
    Format(
        "go-bench",
        _KINDS,
        samples=("gobench.txt",),
        prints=("go-bench", "go-bench before 1.13"),
        others={"six of ten counts": _made()},
    ),
)
