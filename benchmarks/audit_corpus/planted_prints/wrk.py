"""Defects in what wrk and wrk2 print."""

from __future__ import annotations

import re

from benchmarks.audit_corpus.planted_prints.frame import (
    Format,
    Kind,
    Plant,
    Rng,
    and_again,
    both,
    cut_before,
    each_match,
    instead,
    main_findings,
    some,
    times,
)

_REQUESTS = r"^(  (\d+) requests in .*)$"
_LATENCY = r"^(\s+Latency\s+)(\S+)(\s+)(\S+)(\s+)(\S+)(\s+)([\d.]+)%"
_PER_THREAD = r"^(\s+Req/Sec\s+)(\S+)(\s+)(\S+)(\s+)(\S+)(\s+)([\d.]+)%"
_HEAD = r"Running (?P<n>\d+)(s|m) test @ (\S+)"


def _errors(share: float, kind: int) -> Plant:
    """A line of socket errors below each count of requests: connect, read, write or timeout."""

    def line(found: re.Match[str]) -> str:
        counts = ["0"] * 4
        counts[kind] = str(some(share, found[2]))
        names = zip(("connect", "read", "write", "timeout"), counts, strict=True)
        return f"{found[1]}\n  Socket errors: {', '.join(map(' '.join, names))}"

    return each_match(_REQUESTS, line)


def _status(share: float) -> Plant:
    def line(found: re.Match[str]) -> str:
        return f"{found[1]}\n  Non-2xx or 3xx responses: {some(share, found[2])}"

    return each_match(_REQUESTS, line)


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([\d.]+)([a-z]+)", text)
    return float(found[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}[found[2]] if found else 0.0


def _printed(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.2f}{unit}"
    return f"{seconds / 1e-6:.2f}us"


def _latency(mean: float = 1.0, stdev: float = 1.0, most: float = 1.0, within: float | None = None) -> Plant:
    """The row of latencies with its numbers multiplied; the stdev by its largest possible one where *stdev* < 0."""

    def row(found: re.Match[str]) -> str:
        values = [_seconds(found[at]) for at in (2, 4, 6)]
        spread = 2 * (values[0] * values[2]) ** 0.5 if stdev < 0 else stdev * values[1]
        of_all = found[8] if within is None else f"{within:.2f}"
        told = [_printed(mean * values[0]), _printed(spread), _printed(most * values[2])]
        return f"{found[1]}{told[0]}{found[3]}{told[1]}{found[5]}{told[2]}{found[7]}{of_all}%"

    return each_match(_LATENCY, row)


def _quantile(per_cent: str, factor: float) -> Plant:
    def row(found: re.Match[str]) -> str:
        return f"{found[1]}{_printed(factor * _seconds(found[2]))}"

    return each_match(rf"^(\s+{per_cent}(?:\.0+)?%\s+)(\S+)$", row)


def _threads(factor: float, uneven: float = 0.0) -> Plant:
    """A mean of each thread that is so many times what it was, and its spread and most too; or a spread beside it."""

    def times_as_much(text: str, more: float) -> str:
        number, unit = re.fullmatch(r"([\d.]+)([kM]?)", text).groups()  # type: ignore[union-attr]
        return f"{more * float(number):.2f}{unit}"

    def row(found: re.Match[str]) -> str:
        mean, most = (times_as_much(found[at], factor) for at in (2, 6))
        spread = times_as_much(found[2], uneven) if uneven else times_as_much(found[4], factor)
        return f"{found[1]}{mean}{found[3]}{spread}{found[5]}{most}{found[7]}{found[8]}%"

    return each_match(_PER_THREAD, row)


def _command(text: str, _: Rng) -> str | None:
    """A command above the first output that asks for other connections and another time."""
    found = re.search(_HEAD, text)
    if found is None or "wrk -" in text:
        return None
    return f"$ wrk -t4 -c4000 -d{7 * int(found['n'])}{found[2]} {found[3]}\n{text}"


def _short(text: str, _: Rng) -> str | None:
    """A run of half a second with a handful of requests."""
    if len(re.findall(_HEAD, text)) != 1 or "Socket" in text:
        return None
    text = re.sub(_HEAD, r"Running 1s test @ \3", text)
    text = re.sub(r"^  \d+ requests in \S+, \S+ read", "  9 requests in 0.51s, 9.00KB read", text, flags=re.MULTILINE)
    text = re.sub(r"Requests/sec:\s+\S+", "Requests/sec:     17.65", text)
    return re.sub(r"Transfer/sec:\s+\S+", "Transfer/sec:     17.65KB", text)


def _copied(text: str, _: Rng) -> str | None:
    found = re.search(_HEAD, text)
    return None if found is None or len(re.findall(_HEAD, text)) > 1 else f"{text}\n{_other_path(text)}"


def _other_path(text: str) -> str:
    return re.sub(_HEAD, lambda found: found[0] + "/other-side", text)


def _far_too_slow(text: str, _: Rng) -> str | None:
    """A mean of forty times what it was, near the maximum."""

    def row(found: re.Match[str]) -> str:
        mean = 40 * _seconds(found[2])
        told = [_printed(mean), _printed(mean / 3), _printed(1.8 * mean)]
        return f"{found[1]}{told[0]}{found[3]}{told[1]}{found[5]}{told[2]}{found[7]}{found[8]}%"

    return each_match(_LATENCY, row)(text, _)


def _asked_rate(factor: float) -> Plant:
    """A command right above the first output that asks for a rate."""
    return main_findings(
        r"Requests/sec:\s+([\d.]+)",
        lambda rate: instead("^Running", f"wrk2 -R{factor * rate:.0f} http://x/\nRunning", first=True),
    )


_SECOND = instead(r"^(Running .* test @ \S+)$", r"\1/other")
# So that the second output is not a copy of the first.
_UNLIKE = both(_latency(1.07, 1.2, 1.1), times(r"^\s+(?:50|75|90|99)%\s+(?P<n>[\d.]+)", 1.06))

_KINDS = (
    Kind("rate is not count over time", "F contradiction", times(r"^Requests/sec:\s+(?P<n>[\d.]+)", 2.5)),
    Kind("count is not rate times time", "F contradiction", times(r"^  (?P<n>\d+) requests in ", 0.3)),
    Kind("transfer is not bytes over time", "F contradiction", times(r"^Transfer/sec:\s+(?P<n>[\d.]+)", 3)),
    Kind("a tenth timed out", "F unequal-work", _errors(0.1, 3)),
    Kind("a few timed out", "W unequal-work", _errors(1e-6, 3)),
    Kind("read errors", "F unequal-work", _errors(0.02, 1)),
    Kind("connections refused", "W said-by-the-tool|unequal-work", _errors(1e-6, 0)),
    Kind("all answers are errors", "F unequal-work", _status(1.0)),
    Kind("some answers are errors", "F unequal-work", _status(0.03)),
    Kind("one answer is an error", "W unequal-work", _status(1e-9)),
    Kind("mean above the maximum", "F contradiction", _latency(mean=1e4)),
    Kind("p99 above the maximum", "F contradiction", _quantile("99", 1e4)),
    Kind("median above p75", "F contradiction", _quantile("50", 9e2)),
    Kind("stdev beyond the range", "F contradiction", _latency(stdev=-1)),
    Kind("more than all within a stdev", "F contradiction", _latency(within=168.42)),
    Kind(
        "maximum at the timeout",
        "W contradiction|said-by-the-tool|saturated-client|weak-claims",
        instead(r"^(\s+Latency\s+\S+\s+\S+\s+)\S+", r"\g<1>2.00s"),
    ),
    Kind(
        "no bytes", "F contradiction|zero-event-run", instead(r"^(  \d+ requests in \S+, )\S+ read", r"\g<1>0.00B read")
    ),
    Kind(
        "no request at all",
        "F zero-event-run",
        both(
            instead(r"^  \d+ requests in (\S+), \S+ read", r"  0 requests in \1, 0.00B read"),
            instead(r"^Requests/sec:.*", "Requests/sec:      0.00"),
            instead(r"^Transfer/sec:.*", "Transfer/sec:       0.00B"),
        ),
    ),
    Kind("too short", "W short-run|unsupported-quantile", _short),
    Kind(
        "ended early",
        "W said-by-the-tool",
        each_match(_HEAD, lambda found: f"Running {9 * int(found['n'])}{found[2]} test @ {found[3]}"),
    ),
    Kind(
        "lasted far longer than asked",
        "W said-by-the-tool",
        both(
            times(r"^  \d+ requests in (?P<n>[\d.]+)", 2.2),
            times(r"^Requests/sec:\s+(?P<n>[\d.]+)", 1 / 2.2),
            times(r"^Transfer/sec:\s+(?P<n>[\d.]+)", 1 / 2.2),
        ),
    ),
    Kind(
        "a clock that was set back",
        "F said-by-the-tool|contradiction",
        both(
            instead(r"^(  \d+ requests in )[^,]+", r"\g<1>307445734491.24m"),
            instead(r"^Requests/sec:.*", "Requests/sec:      0.00"),
            instead(r"^Transfer/sec:.*", "Transfer/sec:       0.00B"),
        ),
    ),
    Kind(
        "a tenth timed out, in bold",
        "F unequal-work",
        both(_errors(0.1, 3), instead(r"timeout (\d+)", r"timeout **\1**")),
    ),
    Kind("threads go up and down", "W modes", _threads(1, 0.9)),
    Kind("longest beyond the test", "F contradiction", _latency(most=1e6)),
    Kind("connections that are idle", "W contradiction", _latency(mean=0.2, stdev=0.2)),
    Kind("threads make far more than the whole", "W said-by-the-tool", _threads(5)),
    Kind("threads do not make the whole", "F contradiction", _threads(0.1)),
    Kind("means that connections cannot have", "W contradiction|saturated-client|said-by-the-tool", _far_too_slow),
    Kind("cut short", "refused or W said-by-the-tool", cut_before(r"^Requests/sec:")),
    Kind("one of two cut short", "W said-by-the-tool", and_again(cut_before(r"^Requests/sec:"))),
    Kind("another command above it", "W contradiction|mislabelled-level", _command),
    Kind("copied under another name", "F duplicate-data|copied-data", _copied),
    Kind(
        "sides with unlike connections",
        "W apples-and-oranges",
        and_again(_SECOND, _UNLIKE, times(r"threads and (?P<n>\d+) connections", 8)),
    ),
    Kind(
        "sides with unlike threads",
        "W apples-and-oranges",
        and_again(_SECOND, _UNLIKE, times(r"^  (?P<n>\d+) threads and", 4)),
    ),
    Kind(
        "sides of unlike length",
        "W apples-and-oranges|said-by-the-tool",
        and_again(
            _SECOND,
            _UNLIKE,
            times(r"Running (?P<n>\d+)", 6),
            times(r"^  (?P<n>\d+) requests in", 6),
            times(r"^  \d+ requests in (?P<n>[\d.]+)", 6),
            times(r"^  \d+ requests in \S+, (?P<n>[\d.]+)", 6),
        ),
    ),
    Kind(
        "http against https of other paths",
        "W apples-and-oranges",
        and_again(instead(r"test @ https?://(\S+)$", r"test @ https://\1/signed"), _UNLIKE),
    ),
    Kind(
        "answers of unlike size to one path",
        "W unequal-work",
        and_again(
            _UNLIKE,
            times(r"^  \d+ requests in \S+, (?P<n>[\d.]+)", 0.05),
            times(r"^Transfer/sec:\s+(?P<n>[\d.]+)", 0.05),
        ),
    ),
    Kind(
        "a script failed",
        "F said-by-the-tool",
        instead(r"^(  Thread Stats.*)$", r"report.lua:12: attempt to index\n\1"),
    ),
    Kind(
        "nothing could be connected to",
        "F said-by-the-tool or refused",
        instead(r"^Running .*$", "unable to connect to localhost:8080 Connection refused\n\\g<0>", last=True),
    ),
    Kind("a rate that was asked for and reached", "F fixed-time-total", _asked_rate(1)),
    Kind("a rate that was asked for and missed", "F saturated-client", _asked_rate(3)),
)

_OF_4_2 = """Running 30s test @ http://127.0.0.1:8080/api/items
  4 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     7.91ms    3.12ms  96.31ms   86.71%
    Req/Sec     3.19k   214.80     3.82k    71.33%
  Latency Distribution
     50%    7.40ms
     75%    8.93ms
     90%   11.02ms
     99%   19.87ms
  381442 requests in 30.04s, 74.57MB read
Requests/sec:  12697.80
Transfer/sec:      2.48MB
"""
_OF_3 = """Running 10s test @ http://10.0.0.7:3000/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   512.04us  211.55us   6.10ms   91.02%
    Req/Sec     9.81k   603.11    11.02k    68.00%
  195310 requests in 10.00s, 23.65MB read
Requests/sec:  19530.58
Transfer/sec:      2.37MB
"""

FORMATS = (Format("wrk", _KINDS, samples=("wrk.txt",), prints=("wrk",), others={"wrk 4.2": _OF_4_2, "wrk 3": _OF_3}),)
