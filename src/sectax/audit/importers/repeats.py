"""Runs of one file that were asked for the same: whether they get faster or slower, or are of two states.

That two runs were asked for the same is seldom said. Their tools' words must agree in all that tells it, and nobody may
have put words of his own between them, as a heading does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise

from sectax.audit.evidence import Incident
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import FEWEST, gather
from sectax.audit.words import duration, number
from sectax.model.finding import Severity
from sectax.model.printable import printable

# From the first to the last of three or more that go one way; and between two of any number.
LEAST_CHANGE, TWO_STATES = 1.5, 2.0
_MAIN = re.compile(
    r"(?:latency|http_req_duration|time), (?:mean|median)|latency avg|rate|requests/s"
    r"|(?:events|transactions|operations|requests) per second"
)
_LONGEST = 400
_WORD = re.compile(r"[^\W\d_]{2}")
_PROMPT = re.compile(r"[➜❯λ].{0,200}$|\S{0,200}[$%#❯✗]$|\S{0,200}[$#❯✗] (?=\S)")
_NUMBERED = re.compile(
    r"\b(?:run|trial|round|attempt|iteration|try|pass|repeat|repetition|no)\b\W{0,3}\d+|\b\d+(?:st|nd|rd|th)\b"
    r"|\b(?:first|second|third|fourth|fifth)\b|第.{1,2}次",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\d+[.:][\d.:]*")


def repeats(figures: Sequence[Figure], lines: Sequence[str], is_known: Callable[[str], object]) -> Iterator[Incident]:
    """W drift, first-trial and modes of runs that repeat each other.

    Args:
        lines: of the file, as its tool printed them.
        is_known: whether a line is surely of some tool's output.
    """
    runs = [figure for figure in figures if _is_main(figure)]
    groups = gather(runs, _asked)
    if not any(_apart(group) for group in groups):
        return
    sections = _sections(sorted({each.circumstances.line or 0 for each in runs}), lines, is_known)
    found: dict[tuple[Hashable, str], Incident] = {}
    for part in groups:
        for group in gather(part, lambda figure: sections.get(figure.circumstances.line or 0, 0)):
            check = _judged(group)
            if check is not None:
                found.setdefault((_of_whom(group[0]), check), _incident(group, check))
    yield from found.values()


def _apart(group: Sequence[Figure]) -> bool:
    """Whether any two of them differ by so much that it is worth to see what they were asked for."""
    slow = _slowness(group)
    return len(slow) > 1 and max(slow) >= LEAST_CHANGE * min(slow)


def _is_main(figure: Figure) -> bool:
    told = figure.circumstances
    if figure.quantity is Quantity.TIME and 1 < len(figure.values) < FEWEST and min(figure.values) > 0:
        return True
    return bool(
        told.line is not None and not told.target_rate and (figure.value or 0) > 0 and _MAIN.fullmatch(figure.metric)
    )


def _asked(figure: Figure) -> Hashable:
    """What figures share that were asked for alike."""
    return figure.metric, figure.quantity, _of_whom(figure), figure.id if figure.values else ""


def _of_whom(figure: Figure) -> Hashable:
    told = figure.circumstances
    levels = frozenset(item for item in figure.levels.items() if item[0] != "run")
    return levels, told.operation, told.size_bytes, frozenset(told.set_up.items())


def _slowness(group: Sequence[Figure]) -> list[float]:
    """Of each run, in the order of the file."""
    if group[0].values:
        return list(group[0].values)
    return [1 / (one.value or 1.0) if one.quantity is Quantity.RATE else one.value or 0.0 for one in group]


def _judged(group: Sequence[Figure]) -> str | None:
    """The check that has a word on these runs."""
    slow = _slowness(group)
    if len(slow) > 2:
        first, rest = slow[0], slow[1:]
        if first >= TWO_STATES * max(rest) and max(rest) < LEAST_CHANGE * min(rest):
            return "first-trial"
        one_way = all(one > two for one, two in pairwise(slow)) or all(one < two for one, two in pairwise(slow))
        if one_way and max(slow) >= LEAST_CHANGE * min(slow):
            return "drift"
    return "modes" if len(slow) > 1 and max(slow) >= TWO_STATES * min(slow) else None


def _incident(group: Sequence[Figure], check: str) -> Incident:
    one = group[0]
    values = list(one.values) if one.values else [each.value or 0.0 for each in group]
    shown = ", ".join(duration(each) if one.quantity is Quantity.TIME else f"{number(each)}/s" for each in values[:8])
    saw = f"{len(values)} runs of {printable(one.circumstances.operation or one.measurement, 60)}: {shown}"
    meaning = {
        "first-trial": "the first is far slower than the others: it belongs to a warm-up, and is no repeat of them",
        "drift": "they go one way from each to the next: what was measured, or the machine, changed meanwhile",
        "modes": "the same was asked for, and two of them are far apart: one run, or their mean, is of no one state",
    }[check]
    return Incident(Severity.WARNING, f"{saw} ({one.metric})", meaning, check)


def _sections(starts: Sequence[int], lines: Sequence[str], is_known: Callable[[str], object]) -> dict[int, int]:
    """The number of the section that each run is in, by its line: words that stand nowhere else begin a new one."""
    ends = [*(at - 1 for at in starts), len(lines)]
    parts = [
        {text for line in lines[begin:end] if (text := _own_words(line, is_known))}
        for begin, end in zip([0, *starts], ends, strict=True)
    ]
    times = Counter(text for part in parts for text in part)
    section, found = 0, {}
    for at, part in zip(starts, parts, strict=False):
        section += any(times[text] == 1 for text in part)
        found[at] = section
    return found


def _own_words(line: str, is_known: Callable[[str], object]) -> str:
    """What somebody wrote, without what a number of a run or a measured value changes; nothing of a tool's line."""
    if len(line) > _LONGEST or not _WORD.search(line) or is_known(line):
        return ""
    text = _MEASURED.sub("#", _NUMBERED.sub("#", _PROMPT.sub("", line.strip(), count=1)))
    return " ".join(text.split()).lower() if _WORD.search(text) else ""
