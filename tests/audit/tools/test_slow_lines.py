"""No line makes a pattern of any grammar slow: every repetition is fed with a long run of what it repeats."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import sectax
from sectax.audit.reading.grammar import Text
from sectax.audit.reading.plain import MARK
from sectax.audit.reading.registry import grammars
from sectax.audit.reading.text import LONGEST_LINE

SOURCES = Path(sectax.__file__).parent
# CPU time of a match of the longest line: a linear one takes less than 1 ms, a cubic one minutes.
LIMIT_S = 1.0
CATEGORIES = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "a"}
CATEGORIES |= {sre.CATEGORY_NOT_SPACE: "a", sre.CATEGORY_NOT_DIGIT: "a", sre.CATEGORY_NOT_WORD: " "}


def shortest(tree: Any) -> str:
    """A text that the tree matches, as short as possible."""
    return "".join(_shortest(*node) for node in tree)


def _shortest(kind: Any, what: Any) -> str:
    if kind is sre.LITERAL:
        return chr(what)
    if kind is sre.NOT_LITERAL:
        return "a" if what != ord("a") else "b"
    if kind is sre.ANY:
        return "a"
    if kind is sre.IN:
        return next(_members(what))
    if kind is sre.BRANCH:
        return shortest(what[1][0])
    if kind is sre.SUBPATTERN:
        return shortest(what[-1])
    if kind is sre.ATOMIC_GROUP:
        return shortest(what)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return shortest(what[2]) * what[0]
    return ""


def _members(items: Any) -> Iterator[str]:
    if items[0][0] is sre.NEGATE:
        yield from (sign for sign in "a1 -" if not re.match("[" + _class(items[1:]) + "]", sign))
        return
    for kind, what in items:
        if kind is sre.LITERAL:
            yield chr(what)
        elif kind is sre.RANGE:
            yield chr(what[0])
        else:
            yield CATEGORIES[what]


def _class(items: Any) -> str:
    names = {sre.CATEGORY_DIGIT: "\\d", sre.CATEGORY_SPACE: "\\s", sre.CATEGORY_WORD: "\\w"}
    parts = []
    for kind, what in items:
        if kind is sre.LITERAL:
            parts.append(re.escape(chr(what)))
        elif kind is sre.RANGE:
            parts.append(f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}")
        else:
            parts.append(names.get(what, "\\S"))
    return "".join(parts)


def pumped(tree: Any, before: str = "") -> Iterator[str]:
    """For each long repetition: what comes before it, and a run of what it repeats."""
    for kind, what in tree:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inner = what[2]
            if what[1] > 9 and (unit := shortest(inner) or "a"):
                for filler in {unit, f"{unit} ", f"{unit}1", f" {unit}"}:
                    yield before + filler * LONGEST_LINE
            yield from pumped(inner, before)
        elif kind is sre.BRANCH:
            for branch in what[1]:
                yield from pumped(branch, before)
        elif kind is sre.SUBPATTERN:
            yield from pumped(what[-1], before)
        elif kind is sre.ATOMIC_GROUP:
            yield from pumped(what, before)
        before += _shortest(kind, what)


def patterns() -> Iterator[tuple[str, str]]:
    yield "margins", MARK.pattern
    for grammar in grammars():
        if isinstance(grammar, Text):
            for group in grammar.patterns.values():
                yield from ((grammar.name, pattern.plain) for pattern in group)
            yield from ((grammar.name, pattern.pattern) for pattern, _ in grammar.troubles)


def seconds(source: str) -> tuple[float, str]:
    pattern, worst = re.compile(source), (0.0, "")
    for text in {text[:LONGEST_LINE] for text in pumped(_parser.parse(source))}:
        for line in (text, f"{text[:-1]}\x00"):
            begin = time.process_time()
            pattern.match(line)
            worst = max(worst, (time.process_time() - begin, f"{line[:60]!r}…"))
    return worst


@pytest.mark.parametrize("name", sorted({name for name, _ in patterns()}))
def test_no_pattern_is_slow(name: str) -> None:
    slow = [(source, *worst) for of, source in patterns() if of == name and (worst := seconds(source))[0] > LIMIT_S]
    assert slow == []


def test_no_group_is_possessive() -> None:
    """Debian 12's Python 3.11.2 matches such a group wrongly."""
    possessive = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
    files = {path.name: possessive.findall(path.read_text(encoding="utf-8")) for path in SOURCES.rglob("*.py")}

    assert {name for name, groups in files.items() if groups} == set()
