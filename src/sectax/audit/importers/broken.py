"""Lines that were broken at the width of a terminal or of a letter, put together again where their tool prints one.

A line is joined with those below it where it is none that its tool prints as it stands, and is one with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

# Into how many pieces one line may have been broken, and how long it may have been.
_MOST_PIECES = 6
_LONGEST = 2000
_N = r"\d[\d.,]*+"
_SPAN = r"(?:\d++(?:\.\d++)?(?:ns|us|µs|μs|ms|m|s|h))+"


@dataclass(frozen=True)
class _Form:
    """A kind of line: how each begins, and all of it."""

    begins: re.Pattern[str]
    whole: re.Pattern[str]


def _form(begins: str, rest: str) -> _Form:
    return _Form(re.compile(begins), re.compile(begins + rest))


# Go prints other units too; a line with one of them is left as it is.
_PAIR = rf"{_N} [^\s\d/][^\s/]{{0,100}}/(?:op|s|sec|ms|ns|min|iter|req)"
_STATISTIC = rf"(?:avg|min|med|max|count|p\({_N}\))=(?:{_SPAN}|{_N})"
_FORMS = (
    # In a log behind a time and a stream.
    _form(
        r"(?:\d{4}[-/]\d\d[-/]\S{0,200}(?:\s{1,4}\S{1,200})?\s{0,4})?(?=R|$)",
        rf"REPORT RequestId: \S+\s+Duration: {_N} ms"
        rf"\s+Billed Duration: {_N} ms\s+Memory Size: \d+ MB\s+Max Memory Used: \d+ MB"
        rf"(?:\s+(?:Billed )?(?:Init|Restore) Duration: {_N} ms)*"
        r"(?:\s+XRAY TraceId: \S+\s+SegmentId: \S+(?:\s+Sampled: \w+)?)?"
        r"(?:\s+Status: \w+(?:\s+Error Type: \S+)?)?",
    ),
    _form(r"Benchmark\S+\s", rf"\s*\d+\s+{_PAIR}(?:\s+{_PAIR})*"),
    _form(
        r"(?:[✓✗] {0,3})?(?:\{ [^{}]{1,200}\}|[A-Za-z_]\w{0,127}(?:\{[^{}]{1,200}\})?)\.{2,}: ",
        rf"\s*{_STATISTIC}(?:\s+{_STATISTIC})*",
    ),
    _form(r"type\s", r"\s*\d+ bytes(?:\s+\d+ bytes)+"),
    _form(r"[A-Za-z][\w./-]{1,40}(?: [A-Za-z][\w./-]{1,40}){0,2}\s{2,}(?=\d)", r"\d+\.\d\dk(?:\s+\d+\.\d\dk)+"),
    _form(r"\+F:\d+:", r"[^:\s]{1,80}(?::\d+\.\d\d)+"),
    _form(r"\* Reqs: Avg: ", rf"{_SPAN}(?:, (?:{_N}%|Fastest|Slowest|StdDev): ?{_SPAN})*"),
    _form(r"(?:[^\[]{1,400}\s)?(?:time|thrpt): {1,20}\[", rf"{_N}\s+\S+ {_N}\s+\S+ {_N}\s+[^\s\]]+\]"),
    _form(r"Benchmark\s", r".{0,1000}\bMode\s.{0,100}\bUnits"),
    _form(
        r"[A-Za-z]\S{1,400}(?:\s{1,200}\S{1,200}){0,6}\s{1,200}(?:thrpt|avgt|sample|ss)\s",
        rf"\s*(?:\d+\s+)?(?:≈ )?{_N}(?:\s+\S\s+{_N})?\s+\S{{1,10}}/(?:op|ns|us|ms|s|min)",
    ),
)


# Nothing of this is a piece of the line above it.
_ANEW = re.compile(r"Benchmark|```|[=~-]{3}|\$ |PASS$|FAIL|ok\s|# |\* |\d{4}[-/]\d\d[-/]\d\d[T ]")


def join_broken(lines: list[str], is_known: Callable[[str], object]) -> None:
    """Put broken lines together in the place of their first piece; those of the others are left empty."""
    for at in range(len(lines) - 1):
        if not lines[at] or not lines[at + 1] or len(lines[at]) > _LONGEST:
            continue
        form = next((form for form in _FORMS if form.begins.match(lines[at])), None)
        if form is not None:
            _join(lines, at, form, is_known)


def _join(lines: list[str], at: int, form: _Form, is_known: Callable[[str], object]) -> None:
    pieces = [lines[at]]
    joined, taken = "", 0
    for below in lines[at + 1 : at + _MOST_PIECES]:
        if not below or len(below) > _LONGEST or is_known(below) or _ANEW.match(below):
            break
        pieces.append(below)
        for between in product((" ", ""), repeat=len(pieces) - 1):
            text = pieces[0] + "".join(map("".join, zip(between, pieces[1:], strict=True)))
            if form.whole.fullmatch(text):
                joined, taken = text, len(pieces) - 1
                break
    if taken:
        lines[at] = joined
        lines[at + 1 : at + 1 + taken] = [""] * taken
