"""Defects in what `cargo bench` prints: Criterion's times, and the lines of Rust's own harness."""

from __future__ import annotations

import re

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng, each_match, times

_TIME = r"time:(\s+)\[([\d.]+) (ps|ns|us|µs|ms|s) ([\d.]+) (ps|ns|us|µs|ms|s) ([\d.]+) (ps|ns|us|µs|ms|s)\]"
_BENCHER = r"(bench:\s+)([\d,.]+)( ns/iter \(\+/- )([\d,.]+)\)"


def _time(low: float, middle: float, high: float, unit: str = "") -> Plant:
    """The last time, each end times a factor; or these numbers, where a unit is given."""

    def change(found: re.Match[str]) -> str:
        numbers = (
            (low, middle, high)
            if unit
            else tuple(factor * float(found[at]) for factor, at in ((low, 2), (middle, 4), (high, 6)))
        )
        units = (unit,) * 3 if unit else (found[3], found[5], found[7])
        return f"time:{found[1]}[{' '.join(f'{number:.4g} {of}' for number, of in zip(numbers, units, strict=True))}]"

    return each_match(_TIME, change, last=True)


def _unit(found: re.Match[str]) -> str:
    other = {"ps": "ns", "ns": "µs", "us": "ms", "µs": "ms", "ms": "s", "s": "s"}
    return f"time:{found[1]}[{found[2]} {other[found[3]]} {found[4]} {other[found[5]]} {found[6]} {other[found[7]]}]"


def _with_log(text: str, _: Rng) -> str | None:
    """The last benchmark with Criterion's own estimate above it, a hundredth of its time."""
    found = list(re.finditer(rf"^(\S+)(\s+){_TIME}", text, re.MULTILINE))
    if not found or "Collecting" in text:
        return None
    scale = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
    last = found[-1]
    count = round(5 / (float(last[6]) * scale[last[7]] / 100))
    line = f"Benchmarking {last[1]}: Collecting 100 samples in estimated 5.0000 s ({count} iterations)\n"
    return f"{text[: last.start()]}{line}{text[last.start() :]}"


def _throughput(text: str, _: Rng) -> str | None:
    """The first of several throughputs, with both ends of its interval."""
    lines = re.findall(r"^\s+thrpt:.*$", text, re.MULTILINE)
    changed = re.sub(r"\d[\d.]*(?= )", lambda found: f"{3 * float(found[0]):.5g}", lines[0]) if lines else ""
    return text.replace(lines[0], changed, 1) if len(lines) > 1 else None


def _outliers(text: str, _: Rng) -> str | None:
    found = re.search(r"^Found \d+ outliers among (\d+) measurements .*\n(?:  .*\n?)+", text, re.MULTILINE)
    if found is None:
        return None
    many = int(found[1]) // 4
    share = f"({100 * many / int(found[1]):.2f}%)"
    line = f"Found {many} outliers among {found[1]} measurements {share}\n  {many} {share} high severe\n"
    return f"{text[: found.start()]}{line}{text[found.end() :]}"


_KINDS = (
    Kind("dead code: 0.2 ns", "W faster-than-physics", _time(0.1999, 0.2003, 0.2008, "ns")),
    Kind("dead code: 350 ps", "W faster-than-physics", _time(349.1, 350.2, 351.3, "ps")),
    Kind("no time at all", "W timer|faster-than-physics", _time(0.0, 0.0, 0.0, "ps")),
    Kind("estimate outside of its interval", "F contradiction", _time(1.1, 1.0, 1.2)),
    Kind("interval upside down", "F contradiction", _time(1.2, 1.0, 0.8)),
    Kind("interval of ± 80 %", "W modes", _time(0.3, 1.0, 1.8)),
    Kind("interval of ± 30 %", "W modes", _time(0.7, 1.0, 1.3)),
    Kind("interval of ± 30 % on one side", "W modes", _time(0.99, 1.0, 1.35)),
    Kind(
        "one time in another unit, beside its throughput",
        "F contradiction",
        each_match(_TIME + r"(?=\s+thrpt)", _unit, last=True),
    ),
    Kind(
        "throughput 3 times what the time makes",
        "F contradiction",
        times(r"thrpt:\s+\[[\d.]+ \S+ (?P<n>[\d.]+)", 3.0, last=True),
    ),
    Kind("all of the throughput 3 times", "F contradiction", _throughput),
    Kind(
        "more outliers by kind than in all",
        "F contradiction",
        each_match(
            r"^(\s+)(\d+)( \([\d.]+%\) high (?:mild|severe))",
            lambda found: f"{found[1]}{int(found[2]) + 20}{found[3]}",
            first=True,
        ),
    ),
    Kind("a quarter are outliers", "W modes", _outliers),
    Kind(
        "could not complete its samples",
        "W said-by-the-tool",
        each_match(
            _TIME,
            lambda found: (
                f"{found[0]}\nWarning: Unable to complete 100 samples in 5.0s. You may wish to increase target time."
            ),
            first=True,
        ),
    ),
    Kind(
        "panicked",
        "F said-by-the-tool",
        lambda text, _: f"{text}\nthread 'main' panicked at 'assertion failed', benches/x.rs:12:5\n",
    ),
    Kind(
        "begun without a time",
        "W said-by-the-tool",
        lambda text, _: f"{text}\nBenchmarking other/64: Warming up for 3.0000 s\n",
    ),
    Kind(
        "its own estimate is a hundredth of the time", "F contradiction or W contradiction|said-by-the-tool", _with_log
    ),
    Kind(
        "bench: deviation over the time",
        "W modes",
        each_match(_BENCHER, lambda found: f"{found[1]}{found[2]}{found[3]}{found[2]})", last=True),
    ),
    Kind(
        "bench: 0 ns/iter",
        "W timer|faster-than-physics",
        each_match(_BENCHER, lambda found: f"{found[1]}0{found[3]}0)", last=True),
    ),
    Kind(
        "bench: FAILED",
        "F said-by-the-tool",
        each_match(r"^test (\S+) +\.\.\. bench: .*$", lambda found: f"test {found[1]} ... FAILED", last=True),
    ),
)

_BENCH = """running 4 tests
test sum_plain_64  ... bench:         115 ns/iter (+/- 3) = 556 MB/s
test sum_hmac_64   ... bench:         531 ns/iter (+/- 12) = 120 MB/s
test sum_plain_16k ... bench:       9,137 ns/iter (+/- 210) = 1793 MB/s
test sum_hmac_16k  ... bench:      11,049 ns/iter (+/- 377) = 1482 MB/s

test result: ok. 0 passed; 0 failed; 0 ignored; 4 measured; 0 filtered out
"""
FORMATS = (Format("criterion", _KINDS, samples=("criterion.txt",), prints=("criterion",), others={"bench": _BENCH}),)
