"""Defects in what warp prints."""

from __future__ import annotations

import re

from benchmarks.audit_corpus.planted_prints.frame import (
    Format,
    Kind,
    Plant,
    Rng,
    above,
    and_again,
    both,
    cut_before,
    each_match,
    holding,
    instead,
    times,
)

_HEAD = r"^(?:Report|Operation): [A-Z]{3,}.*$"
_REQUESTS = r"^( \* (?:Reqs: )?Avg: )"


def _errors(count: int) -> Plant:
    return each_match(
        _HEAD, lambda found: f"{found[0]}\nErrors: {count}\nFirst Errors:\n * http://x, 503 Slow Down", first=True
    )


def _many_errors(text: str, rng: Rng) -> str | None:
    found = re.search(r"^(?:Report|Operation): [A-Z]{3,} \((\d+)", text, re.MULTILINE)
    return None if found is None else _errors(max(2, int(found[1]) // 10))(text, rng)


_UNIT = r"(?:\d+m)?(?P<n>[\d.]+)(?=[mµ]?s)"
_UNLIKE = both(times(rf"{_REQUESTS}\S+, 50%: {_UNIT}", 1.04), times(rf"Slowest: {_UNIT}", 1.2))


def _percentages(text: str, _: Rng) -> str | None:
    """Operations of a mixed benchmark whose shares are not a whole."""
    share = r"(^Operation: [A-Z]+, |\()[\d.]+(?=%(?:, Conc| of operations))"
    return (
        re.sub(share, r"\g<1>61", text, flags=re.MULTILINE) if len(re.findall(share, text, re.MULTILINE)) > 1 else None
    )


def _one_operation(text: str, _: Rng) -> str | None:
    """Several operations with two settings each are a whole series, and compared within each."""
    return text if len(re.findall(_HEAD, text, re.MULTILINE)) == 1 else None


_KINDS = (
    Kind("a tenth failed", "F unequal-work", _many_errors),
    Kind("two failed", "W said-by-the-tool|unequal-work", _errors(2)),
    Kind(
        "bandwidth is not objects times their size",
        "F contradiction",
        both(
            times(r"^ ?\* (?:Average|Throughput): (?P<n>[\d.]+) [KMG]i?B", 3),
            holding("Size: "),
        ),
    ),
    Kind(
        "requests are not rate times time",
        "F contradiction",
        times(r"^(?:Report|Operation): [A-Z]{3,} \((?P<n>\d+)", 0.3),
    ),
    Kind(
        "mean above the slowest",
        "F contradiction",
        each_match(rf"{_REQUESTS}\S+?,", lambda found: f"{found[1]}9999.1s,"),
    ),
    Kind("p99 above the slowest", "F contradiction", instead(r"^( \* (?:Reqs: )?Avg: .*99%: )[^,]+", r"\g<1>9999.1s")),
    Kind("median above p90", "F contradiction", instead(r"^( \* (?:Reqs: )?Avg: [^,]+, 50%: )[^,]+", r"\g<1>9999.1s")),
    Kind(
        "first byte later than the whole",
        "F contradiction",
        instead(r"^( \* TTFB: Avg: )[^,]+", r"\g<1>9999s"),
    ),
    Kind("first bytes out of order", "F contradiction", instead(r"^( \* TTFB: .*Best: )[^,]+", r"\g<1>9999s")),
    Kind(
        "the fastest second is slower than the average", "F contradiction", times(r"^ \* Fastest: (?P<n>[\d.]+)", 0.2)
    ),
    Kind(
        "means that its clients cannot have",
        "F contradiction",
        both(
            each_match(rf"{_REQUESTS}(\S+?),", lambda found: f"{found[1]}99.1s,"),
            instead(r"((?:50|90|99)%: )[^,]+", r"\g<1>99s"),
            instead(r"(Slowest: )[^,\n]+s$", r"\g<1>199s"),
            instead(r"(Slowest: )[^,\n]+s,", r"\g<1>199s,"),
            holding("Concurrency"),
        ),
    ),
    Kind(
        "a host did nothing",
        "W contradiction|said-by-the-tool",
        instead(r"^( \* http\S+ Avg: ).*$", r"\g<1>0.00 MiB/s, 0.00 obj/s", first=True),
    ),
    Kind(
        "skipped",
        "W said-by-the-tool",
        instead(
            r"^(?=Throughput)",
            "Skipping GET too few samples. Longer benchmark run required for reliable results.\n",
            first=True,
        ),
    ),
    Kind(
        "too short",
        "W short-run|said-by-the-tool",
        both(
            instead(r"(Ran(?: Duration)?:? )(?:\d+m)?\d+s", r"\g<1>1s"),
            times(r"^(?:Report|Operation): [A-Z]{3,} \((?P<n>\d+)", 0.03),
            instead(r"split into \d+ x 1s", "split into 1 x 1s"),
        ),
    ),
    Kind("shares that are no whole", "F contradiction", _percentages),
    Kind(
        "cut short",
        "refused or W said-by-the-tool",
        cut_before(r"^ ?\* (?:(?:Average|Throughput): |[\d.]+ [KMG]i?B/s)"),
    ),
    Kind(
        "runs with unlike clients",
        "W apples-and-oranges",
        and_again(_one_operation, _UNLIKE, times(r"Concurrency: (?P<n>\d+)", 4)),
    ),
    Kind(
        "runs with objects of unlike size",
        "W apples-and-oranges|contradiction",
        and_again(_UNLIKE, times(r"Size: (?P<n>\d+)", 16), times(r"(?P<n>[\d.]+) ?[KMG]i?B/s", 16)),
    ),
    Kind(
        "errors by its log",
        "W said-by-the-tool",
        above("warp: <ERROR> download error: We encountered an internal error, please try again."),
    ),
    Kind(
        "nothing was done",
        "F zero-event-run",
        both(
            times(r"^(?:Report|Operation): [A-Z]{3,} \((?P<n>\d+)", 0),
            times(r"(?P<n>[\d.]+) ?[KMG]i?B/s", 0),
            times(r"(?P<n>[\d.]+) obj/s", 0),
        ),
    ),
)

_OF_0_6 = """----------------------------------------
Operation: PUT. Concurrency: 20
* Average: 113.20 MiB/s, 11.32 obj/s

Throughput, split into 58 x 1s:
 * Fastest: 131.2MiB/s, 13.12 obj/s
 * 50% Median: 114.0MiB/s, 11.40 obj/s
 * Slowest: 92.1MiB/s, 9.21 obj/s

----------------------------------------
Operation: GET (14002). Ran 1m0s. Size: 10485760 bytes. Concurrency: 20.

Requests considered: 13961:
 * Avg: 85ms, 50%: 82ms, 90%: 111ms, 99%: 187ms, Fastest: 21ms, Slowest: 412ms, StdDev: 24ms
 * TTFB: Avg: 12ms, Best: 3ms, 25th: 8ms, Median: 11ms, 75th: 14ms, 90th: 19ms, 99th: 61ms, Worst: 210ms StdDev: 9ms

Throughput:
* Average: 2333.00 MiB/s, 233.30 obj/s

Throughput, split into 59 x 1s:
 * Fastest: 2511.0MiB/s, 251.10 obj/s (1s, starting 12:31:40 CET)
 * 50% Median: 2341.2MiB/s, 234.12 obj/s (1s, starting 12:31:17 CET)
 * Slowest: 2012.9MiB/s, 201.29 obj/s (1s, starting 12:31:59 CET)
"""
_MIXED = """Mixed operations.
Operation: DELETE, 10%, Concurrency: 20, Ran 59s.
 * Throughput: 41.21 obj/s

Operation: GET, 45%, Concurrency: 20, Ran 59s.
 * Throughput: 1854.20 MiB/s, 185.42 obj/s

Operation: PUT, 15%, Concurrency: 20, Ran 59s.
 * Throughput: 618.10 MiB/s, 61.81 obj/s

Operation: STAT, 30%, Concurrency: 20, Ran 59s.
 * Throughput: 123.61 obj/s

Cluster Total: 2472.30 MiB/s, 412.05 obj/s over 59s.
"""

FORMATS = (
    Format(
        "warp",
        _KINDS,
        samples=("warp.txt", "warp-2019.txt"),
        prints=("warp",),
        others={"warp 0.6": _OF_0_6, "mixed": _MIXED},
    ),
)
