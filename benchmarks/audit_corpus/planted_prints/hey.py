"""Defects in what hey and oha print."""

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
    instead,
    lacking,
    main_findings,
    some,
    times,
)

_STATUS = r"^(\s+\[200\]\s+)(\d+)( responses)$"


def _refused(status: int, share: float) -> Plant:
    def row(found: re.Match[str]) -> str:
        count = some(share, found[2])
        if count == int(found[2]):
            return f"  [{status}]\t{count} responses"
        return f"{found[1]}{int(found[2]) - count}{found[3]}\n  [{status}]\t{count} responses"

    return each_match(_STATUS, row)


def _errors(share: float, words: str) -> Plant:
    def row(found: re.Match[str]) -> str:
        count = some(share, found[2])
        return f"{found[1]}{int(found[2]) - count}{found[3]}\n\nError distribution:\n  [{count}]\t{words}"

    # The rate counts what failed too.
    return each_match(_STATUS, row)


def _command(text: str, _: Rng) -> str | None:
    found = re.search(r"^(.*(?:hey|oha) .*-n )(\d+)", text, re.MULTILINE)
    if found is not None:
        return f"{text[: found.start()]}{found[1]}{7 * int(found[2])}{text[found.end() :]}"
    return f"$ hey -n 9999999 -c 10 http://localhost:8080/\n{text}"


def _waits(text: str, _: Rng) -> str | None:
    """A command with so few connections that they cannot have waited so long."""
    found = re.search(r"^  Average:\s+([\d.]+) (secs|ms)", text, re.MULTILINE)
    rate = re.search(r"^  Requests/sec:\s+([\d.]+)", text, re.MULTILINE)
    if found is None or rate is None or re.search(r"\b(?:hey|oha) -", text):
        return None
    busy = float(found[1]) * float(rate[1]) * (1e-3 if found[2] == "ms" else 1)
    if busy < 4:
        return None
    counts = re.findall(_STATUS, text, re.MULTILINE)
    return f"$ hey -n {counts[0][1] if counts else 200} -c {max(1, int(busy / 3))} http://localhost:8080/\n{text}"


_SECOND = instead(r"^(\$ (?:hey|oha) .*http\S+)$", r"\1/other")
_UNLIKE = times(r"^\s+\d\d(?:\.\d+)?%{1,2} in (?P<n>[\d.]+)", 1.02)

_KINDS = (
    Kind("rate is not count over time", "F contradiction", times(r"^\s+Requests/sec:\s+(?P<n>[\d.]+)", 2.5)),
    Kind("time is not count over rate", "F contradiction", times(r"^\s+Total:\s+(?P<n>[\d.]+)", 3)),
    Kind("data is not answers times size", "F contradiction", times(r"^\s+Total data:\s+(?P<n>[\d.]+)", 4)),
    Kind("all answers are errors", "F unequal-work", _refused(503, 1.0)),
    Kind("a third was refused", "F unequal-work", _refused(429, 0.33)),
    Kind("redirects", "F unequal-work", _refused(302, 1.0)),
    Kind("one answer is an error", "W unequal-work", _refused(500, 1e-9)),
    Kind(
        "a tenth timed out", "F unequal-work", _errors(0.1, "Get http://x: net/http: request canceled (Client.Timeout)")
    ),
    Kind("one reset", "W unequal-work", _errors(1e-9, "Get http://x: read: connection reset by peer")),
    Kind("average above the slowest", "F contradiction", times(r"^\s+Average:\s+(?P<n>[\d.]+)", 1e3)),
    Kind("average below the fastest", "F contradiction", times(r"^\s+Fastest:\s+(?P<n>[\d.]+)", 1e3)),
    Kind("p99 above the slowest", "F contradiction", times(r"^\s+99(?:\.00)?%{1,2} in (?P<n>[\d.]+)", 1e3)),
    Kind("p50 above p75", "F contradiction", times(r"^\s+50(?:\.00)?%{1,2} in (?P<n>[\d.]+)", 60)),
    Kind(
        "average beyond the quantiles",
        "F contradiction",
        both(times(r"^\s+Average:\s+(?P<n>[\d.]+)", 30), times(r"^\s+Slowest:\s+(?P<n>[\d.]+)", 40)),
    ),
    Kind(
        "histogram is not all answers",
        "F contradiction",
        times(r"^\s+[\d.]+ (?:ms )?\[(?P<n>\d{3,})\]", 3),
    ),
    Kind("waits that connections cannot have", "F contradiction", _waits),
    Kind("another command above it", "W contradiction|mislabelled-level", _command),
    Kind("cut short", "refused or W said-by-the-tool", cut_before(r"^\s+Requests/sec:")),
    Kind("one of two cut short", "W said-by-the-tool", and_again(cut_before(r"^\s+Requests/sec:"))),
    Kind("cut before the answers", "W said-by-the-tool", cut_before(r"^Status code distribution")),
    Kind(
        "slowest at the timeout",
        "W contradiction|said-by-the-tool|weak-claims",
        both(lacking("Success rate"), instead(r"^(\s+Slowest:\s+)[\d.]+ secs", r"\g<1>20.0004 secs")),
    ),
    Kind(
        "all answers are empty",
        "W contradiction|unequal-work",
        instead(r"^(\s+Total data:\s+).*\n\s+Size/request:.*", r"\g<1>0 bytes\n  Size/request:\t0 bytes"),
    ),
    Kind(
        "success rate is not that of the answers",
        "F contradiction|unequal-work",
        instead(r"^(\s+Success rate:\s+)100.00%", r"\g<1>37.20%"),
    ),
    Kind(
        "sides with unlike connections",
        "W apples-and-oranges",
        and_again(_SECOND, _UNLIKE, times(r"^\$ (?:hey|oha) .*-c (?P<n>\d+)", 8)),
    ),
    Kind(
        "a rate that was asked for and reached",
        "F fixed-time-total",
        both(
            lacking(r"Success rate|\bhey -"),
            main_findings(
                r"Requests/sec:\s+([\d.]+)", lambda rate: above(f"$ hey -z 30s -c 1 -q {rate:.0f} http://localhost/")
            ),
        ),
    ),
)

_OF_HEY = """$ hey -n 20000 -c 50 http://localhost:8080/api

Summary:
  Total:	4.1180 secs
  Slowest:	0.0874 secs
  Fastest:	0.0011 secs
  Average:	0.0102 secs
  Requests/sec:	4856.7266

  Total data:	5160000 bytes
  Size/request:	258 bytes

Response time histogram:
  0.001 [1]	|
  0.010 [11802]	|■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■
  0.018 [7440]	|■■■■■■■■■■■■■■■■■■■■■■■■■
  0.027 [601]	|■■
  0.036 [89]	|
  0.044 [30]	|
  0.053 [21]	|
  0.062 [9]	|
  0.070 [4]	|
  0.079 [2]	|
  0.087 [1]	|


Latency distribution:
  10% in 0.0056 secs
  25% in 0.0076 secs
  50% in 0.0096 secs
  75% in 0.0121 secs
  90% in 0.0151 secs
  95% in 0.0174 secs
  99% in 0.0253 secs

Details (average, fastest, slowest):
  DNS+dialup:	0.0000 secs, 0.0000 secs, 0.0041 secs
  DNS-lookup:	0.0000 secs, 0.0000 secs, 0.0012 secs
  req write:	0.0000 secs, 0.0000 secs, 0.0018 secs
  resp wait:	0.0100 secs, 0.0010 secs, 0.0860 secs
  resp read:	0.0001 secs, 0.0000 secs, 0.0093 secs

Status code distribution:
  [200]	20000 responses



"""
_OF_OHA = """Summary:
  Success rate:	100.00%
  Total:	10.0021 secs
  Slowest:	0.1011 secs
  Fastest:	0.0009 secs
  Average:	0.0081 secs
  Requests/sec:	6163.7056

  Total data:	35.27 MiB
  Size/request:	600 B
  Size/sec:	3.53 MiB

Response time histogram:
  0.001 [1]     |
  0.011 [54011] |■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■
  0.021 [7012]  |■■■■
  0.101 [576]   |

Response time distribution:
  10.00% in 0.0047 secs
  25.00% in 0.0058 secs
  50.00% in 0.0073 secs
  75.00% in 0.0094 secs
  90.00% in 0.0121 secs
  95.00% in 0.0146 secs
  99.00% in 0.0263 secs
  99.90% in 0.0531 secs
  99.99% in 0.0911 secs


Details (average, fastest, slowest):
  DNS+dialup:	0.0021 secs, 0.0011 secs, 0.0033 secs
  DNS-lookup:	0.0000 secs, 0.0000 secs, 0.0001 secs

Status code distribution:
  [200] 61600 responses

Error distribution:
  [50] aborted due to deadline
"""

FORMATS = (
    Format("hey", _KINDS, samples=("hey.txt",), prints=("hey",), others={"hey 0.1.4": _OF_HEY, "oha 1": _OF_OHA}),
)
