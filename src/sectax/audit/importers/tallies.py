"""Columns that nobody names and that tell of the rows: their unit, how they were run, how many operations failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number

# Failures are counted; the error of a mean is another column.
_FAILED = re.compile(
    r"(?:(?:num|nr|n|no|total|count|of|http|request|socket|connect|read|write|client|server) )*+"
    r"(?:errors|error(?= )|errs|failed|failures?|fails|time ?outs?|non (?:200|2xx)s?)"
    r"(?: (?:count|total|requests|reqs|ops|operations|responses))?"
)
_COUNTED = re.compile(
    r"(?:(?:num|nr|n|no|number|total|count|of|all) )*+"
    r"(?:reqs?|requests?|ops|operations|calls|queries|transactions|messages|attempts|samples|count|total)"
    r"(?: (?:count|total|sent|made))?"
)
# How a row ended, by itself: the name of its column, and what stands there where it failed.
_ENDED = re.compile(
    r"(?:.* )?(?:status|outcome|checksum|check|error|state|result|success|succeeded|successful|ok|pass|passed|valid"
    r"|verified|correct|failed|failure|timed out|timeout)"
)
_WELL = re.compile(r"(?:.* )?(?:success|succeeded|successful|ok|pass|passed|valid|verified|correct)")
_ILL = re.compile(r"(?:.* )?(?:error|failed|failure|timed out|timeout)")
_CODE = re.compile(r"(?:.* )?(?:exit|return|ret|error)(?: code| status)|(?:.* )?(?:rc|returncode|exitcode)")
_ANSWER = re.compile(r"(?:.* )?(?:http|status|response|answer)(?: code| status)|status")
_BAD_WORD = re.compile(
    r"(?i)fail(?:ed|ure)?|err(?:or)?|(?:.*\b)?time[ds]?[ _-]?out|mismatch|crash(?:ed)?|oom|killed|aborted|nok"
    r"|unverified|.*\berror\b.*|.*exception.*"
)
_NO, _YES, _NO_ERROR = ("false", "no", "0", "ko", "incorrect", "invalid"), ("true", "yes"), ("no error", "0 errors")
_UNIT = re.compile(r"(?:(?:score|time|value|metric) )?units?")
# What JMH writes with `-rf csv`: its mode and threads, and the parameters of a benchmark.
_OF_JMH = frozenset({"Benchmark", "Mode", "Threads", "Samples", "Score", "Unit"})
_PARAMETER = "Param: "
_MOST, _LEAST_BAD_ANSWER = 2.0**53, 400


def words_of(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name.partition("(")[0])
    return " ".join(re.findall(r"[a-z]+|\d[\da-z]*", spaced.lower()))


def is_jmh(names: Sequence[str]) -> bool:
    """Whether these are the columns that JMH writes."""
    return set(names) >= _OF_JMH


def unit_column(names: Sequence[str], said: Sequence[str]) -> str | None:
    """The one column that tells a unit of each row."""
    found = [name for name in names if name not in said and _UNIT.fullmatch(words_of(name))]
    return found[0] if len(found) == 1 and names.count(found[0]) == 1 else None


def unnamed_levels(names: Sequence[str], said: Sequence[str]) -> list[str]:
    """The columns by which rows are of several figures, whatever the user names: the unit, and JMH's own."""
    unit = unit_column(names, said)
    of_jmh = [name for name in names if name in ("Mode", "Threads") or name.startswith(_PARAMETER)]
    every = ([unit] if unit else []) + (of_jmh if is_jmh(names) else [])
    return [name for name in every if name not in said and names.count(name) == 1]


@dataclass(frozen=True)
class Failures:
    """Where rows tell how many of how many operations failed, or whether they failed themselves.

    Attributes:
        failed: the places of the columns that count failures.
        counted: that of the column of all operations; None where rows tell of themselves.
        ended: the columns that tell how a row ended, and their kinds.
    """

    failed: tuple[int, ...]
    counted: int | None
    ended: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, names: Sequence[str], said: Sequence[str]) -> Failures | None:
        """The columns of these names; None where they do not tell of it."""
        words = [words_of(name) if name not in said else "" for name in names]
        failed = tuple(at for at, each in enumerate(words) if _FAILED.fullmatch(each))
        counted = [at for at, each in enumerate(words) if _COUNTED.fullmatch(each)]
        if failed and len(counted) == 1:
            return cls(failed, counted[0])
        kinds = (("code", _CODE), ("answer", _ANSWER), ("ill", _ILL), ("well", _WELL), ("word", _ENDED))
        ended = tuple(
            (at, kind)
            for at, each in enumerate(words)
            if (kind := next((kind for kind, pattern in kinds if pattern.fullmatch(each)), ""))
        )
        return cls((), None, ended) if ended else None

    def in_row(self, row: Sequence[str]) -> tuple[float, float] | None:
        """The failures and the operations of one row; None where they are no such numbers."""
        if self.counted is None:
            told = [_is_bad(row[at].strip(), kind) for at, kind in self.ended]
            return None if None in told and not any(told) else (float(any(told)), 1.0)
        try:
            failed = [number(row[at].strip() or "0") for at in self.failed]
            counted = number(row[self.counted].strip())
        except BadInput:
            return None
        # One of several columns may be the sum of the others.
        most = max(failed)
        whole = all(each.is_integer() for each in (*failed, counted))
        return (most, counted) if whole and 0 <= most <= counted <= _MOST else None


def _is_bad(text: str, kind: str) -> bool | None:
    """Whether a cell says that its row failed, by what its column is; None of a number, which may be of anything."""
    if kind == "code" and re.fullmatch(r"-?\d{1,6}", text):
        return int(text) != 0
    if kind == "answer" and re.fullmatch(r"\d{3}", text):
        return int(text) >= _LEAST_BAD_ANSWER
    if kind == "ill" and re.fullmatch(r"[-+.\deE]+", text):
        return None
    word = text.lower()
    if (kind == "ill" and word in _YES) or (kind == "well" and word in _NO):
        return True
    return word not in _NO_ERROR and _BAD_WORD.fullmatch(text) is not None
