"""Remove what pasting adds around an output, before any importer reads it.

Colours, tags, margins, quotation and comment marks, and the times and names that CI, containers and build tools put
before each line. A mark is removed where the rest of the line is then recognized, and was not before. Line numbers
stay the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from sectax.audit.reading.text import LONGEST_LINE
from sectax.formats.characters import plain

# Nested prefixes of a line: time, host, container, quotation.
_MOST_MARKS = 6
_LEAST_BESIDE = 3
_DATE = r"\d{4}[-/.]\d\d[-/.]\d\d"
_TIME = r"\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?"
# In this order. A mark without text marks an empty line.
MARK = re.compile(
    r"(?:"
    # Times: of CI, docker, systemd, Go's and other loggers.
    rf"\[?{_DATE}(?:[T _]{_TIME})?(?:Z| ?[+-]\d\d:?\d\d| UTC)?(?: \d\d[OE]\+?)?\]?[:,]?"
    rf"|\[?{_TIME}\]?[:,]?|\[?[A-Z][a-z]{{2}} [ \d]\d {_TIME}(?: \d{{4}})?\]?"
    r"|\[ *\d{1,8}(?:\.\d{1,9})?s?\]"
    # The job and the step of GitHub; docker's build; the number of a line.
    r"|[^\t\n]{1,100}\t[^\t\n]{1,100}(?=\t\d{4}-)|#\d{1,4} \d{1,6}\.\d{1,4}|\d{1,7}\||\d{1,7}(?=\t|  |$)"
    # A level (whose line may look like a host and a program), one of many containers, a build tool.
    r"|(?:INFO|WARN|DEBUG|TRACE|info|debug|out|stdout)"
    r"|\w[\w.-]{0,80} \w[\w./@-]{0,80}(?:\[\d{1,9}\])?:|\w[\w./@-]{0,100}(?:\[\d{1,9}\])?:|\w[\w./@-]{0,100} *[|│>]"
    r"|\[[^\[\]\n]{0,100}[A-Za-z][^\[\]\n]{0,100}\]"
    r")(?=\s|$)[ ]?"
    # Quotations and comments, the lines of a diff, numbers of lines: no blank is needed after them.
    r"|(?:\d{1,7}:|>|\||│|┃|//+|/\*\*?|\*+|--|[#+;%!-]|[\"'`])"
)
# Tools print these too, so they count only where all consecutive lines have them.
_IN_RUNS = re.compile(r"[*#+-]{1,3}$")
_DIGITS = re.compile(r"\d++")


def unpasted(text: str, is_known: Callable[[str], object]) -> list[str]:
    """Return the lines without margins and marks, each in its place.

    Args:
        is_known: whether a line, without its margin, is certainly from a tool.
    """
    lines = [line.strip() for line in plain(text).split("\n")]
    marked: list[tuple[int, list[tuple[str, str]]]] = []
    gains: Counter[str] = Counter()
    plainly = 0
    # The outer mark of each mark.
    within: dict[str, str] = {}
    # A run of lines that share a mark has a number of its own.
    running: dict[str, int] = {}
    for at, line in enumerate(lines):
        if not line or len(line) > LONGEST_LINE:
            continue
        known = bool(is_known(line))
        peeled: list[tuple[str, str]] = []
        before, running = running, {}
        key, rest, shown = "", line, False
        while len(peeled) < _MOST_MARKS and rest and (begin := MARK.match(rest)):
            mark = begin[0].strip()
            outer = key
            key = f"{key}{_DIGITS.sub('0', mark)} "
            if _IN_RUNS.match(mark):
                running[key] = before.get(key, at)
                key = f"{key}{running[key]} "
            rest = rest[begin.end() :].strip()
            within[key] = outer
            peeled.append((key, rest))
            if rest and is_known(rest):
                gains[key] += not (known or shown)
                shown = True
        plainly += known and not shown
        # A line that is recognized with its mark keeps it, unless it is also recognized without.
        if peeled and (shown or not known):
            marked.append((at, peeled))
        elif known:
            running = {}
    # In an output without such a mark, one or two marked lines are comments on it.
    gains[""] = plainly
    prefixes = {key for key, gain in gains.items() if key and gain >= (_LEAST_BESIDE if gains[within[key]] > 0 else 1)}
    for at, peeled in marked:
        lines[at] = next((rest for key, rest in reversed(peeled) if key in prefixes), lines[at])
    return lines
