"""What rows tell of their own making: results that should be alike, rows that are missing, numbers of another hand."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from statistics import median

from sectax.audit.evidence import Incident
from sectax.audit.importers.rows import Levels, Rows
from sectax.audit.importers.tallies import words_of
from sectax.model.finding import Severity
from sectax.model.printable import printable

# What a run computes, which is the same whoever does it; and what counts its repetitions.
_RESULT = re.compile(r"(?:.* )?(?:checksum|crc\d*|digest|hash|results?|output|answer|solution|matches|hits)(?: value)?")
_REPETITION = re.compile(
    r"(?:.* )?(?:runs?|reps?|repeat|repetition|iteration|iter|trial|round|sample|attempt|no|nr|idx|index)"
    r"(?: (?:id|no|nr|number|index|n))?"
)
# Numbers that are summed in another order differ by so little.
_ALIKE = 1e-6
_MOST_SHOWN = 3
# A level of a factor that lacks a row which nearly all others have.
_FEWEST_SIDES, _FEWEST_CELLS, _MOST_MISSING = 2, 6, 0.2
# Values with so many digits, of which one has no more than so many, are written by a program, and that one is not.
_MANY_DIGITS, _BY_HAND, _FEWEST_ROWS, _MOST_ODD = 10, 5, 5, 0.1
# Of a row, in columns that seldom repeat: so many digits, and more in a longer table, come again by no chance.
_DIGITS_OF_A_ROW, _SELDOM = 8, 0.8


def outcomes(rows: Rows) -> Iterator[Incident]:
    """W on results that are unlike, rows that are missing or come twice, and numbers that were not printed."""
    yield from _results(rows)
    yield from _repetitions(rows)
    yield from _missing(rows)
    yield from _twice(rows)
    yield from _digits(rows)


def _results(rows: Rows) -> Iterator[Incident]:
    """Sides whose result is another than that of the other sides, where results are the same otherwise."""
    for column in rows.unnamed(lambda name: _RESULT.fullmatch(words_of(name))) if rows.columns.by else ():
        texts = rows.texts(column)
        tasks: dict[Levels, dict[str, dict[str, None]]] = {}
        for levels, text in zip(rows.levels, texts, strict=True):
            tasks.setdefault(levels[1:], {}).setdefault(levels[0], {}).setdefault(text)
        told = {
            task: {side: next(iter(own)) for side, own in of.items() if len(own) == 1} for task, of in tasks.items()
        }
        told = {task: of for task, of in told.items() if len(of) >= _FEWEST_SIDES and "" not in of.values()}
        unlike = []
        agree = 0
        for task, of in told.items():
            usual, often = Counter(of.values()).most_common(1)[0]
            odd = [side for side, text in of.items() if not _is_alike(text, usual)]
            agree += len(of) - len(odd) > 1
            unlike += [(task, side) for side in odd] if often > len(odd) or len(told) > 1 else []
        if unlike and 2 * agree >= len(told):
            (task, side), *_ = unlike
            yield Incident(
                Severity.WARNING,
                f"column {printable(rows.names[column], 40)} of {printable(', '.join((side, *task)), 60)} is another "
                f"than that of the other sides ({len(unlike)} so)",
                "in other rows all sides have the same: this one did other work, or did it wrong",
                "unequal-work",
            )


def _is_alike(text: str, other: str) -> bool:
    try:
        return math.isclose(float(text), float(other), rel_tol=_ALIKE)
    except ValueError:
        return text == other


def _repetitions(rows: Rows) -> Iterator[Incident]:
    """Repetitions with a number, of which some are missing or come twice."""
    for column in rows.unnamed(lambda name: _REPETITION.fullmatch(words_of(name))):
        texts = rows.texts(column)
        if not all(re.fullmatch(r"\d{1,6}", text) for text in texts):
            continue
        of = {levels: [int(texts[at]) for at in own] for levels, own in rows.by_levels().items()}
        first, last = min(map(min, of.values())), max(map(max, of.values()))
        # A tool that repeats for a time ends anywhere; one that counts ends nearly everywhere at the same number.
        counted = len(of) > 1 and 2 * sum(max(told) == last for told in of.values()) >= len(of)
        whole = [told for told in of.values() if sorted(told) == list(range(min(told), max(told) + 1))]
        if last == first or first > 1 or (2 * len(whole) < len(of) and len(of) > 1):
            continue
        for levels, told in of.items():
            lacking = sorted(set(range(first, (last if counted else max(told)) + 1)) - set(told))
            again = [each for each, count in Counter(told).items() if count > 1]
            if lacking or again:
                what = f"lacks {_listed(lacking)}" if lacking else f"has {_listed(again)} more than once"
                name = printable(rows.names[column], 40)
                yield Incident(
                    Severity.WARNING,
                    f"of column {name}, {printable(', '.join(levels), 60) or 'the table'} {what}",
                    "values were taken out or put in by hand, or the run ended early: what is left may be the best",
                )
                return


def _listed(numbers: list[int]) -> str:
    more = " and more" if len(numbers) > _MOST_SHOWN else ""
    return ", ".join(map(str, numbers[:_MOST_SHOWN])) + more


def _missing(rows: Rows) -> Iterator[Incident]:
    """Sides that lack a level which nearly all others have, or have far fewer rows of it."""
    own = rows.by_levels()
    if len(rows.columns.by) < 2 or len(own) < _FEWEST_CELLS:
        return
    sides = dict.fromkeys(levels[0] for levels in own)
    rest = dict.fromkeys(levels[1:] for levels in own)
    lacking = [(side, *other) for other in rest for side in sides if (side, *other) not in own]
    if lacking and len(lacking) <= _MOST_MISSING * len(sides) * len(rest):
        yield Incident(
            Severity.WARNING,
            f"there is no row of {printable(', '.join(lacking[0]), 60)}"
            + (f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""),
            "all others have it: it failed, was taken out, or the run ended early",
        )
    counts = {levels: len(places) for levels, places in own.items()}
    usual = median(counts.values())
    few = [levels for levels, count in counts.items() if 2 * count <= usual]
    if usual > 2 and 0 < len(few) <= _MOST_MISSING * len(own):
        yield Incident(
            Severity.WARNING,
            f"{printable(', '.join(few[0]), 60)} has {counts[few[0]]} rows, and most others {usual:g}",
            "some failed, were taken out, or the run ended early: what is left may be the best of them",
        )


def _twice(rows: Rows) -> Iterator[Incident]:
    """Rows that have all numbers with digits of another row, under another name."""
    import numpy as np

    printed: dict[tuple[str, ...], int] = {}
    measured = [
        at
        for at, told in rows.numeric.items()
        if rows.names[at] not in (*rows.columns.by, rows.columns.size) and np.unique(told).size >= _SELDOM * told.size
    ]
    enough = _DIGITS_OF_A_ROW + 2 * math.log10(max(1, len(rows.rows)))
    for at, row in enumerate(rows.rows) if rows.value in measured else ():
        texts = tuple(row[column].strip() for column in measured)
        first = printed.setdefault(texts, at)
        if first != at and sum(len(re.sub(r"[eE].*|\D", "", text).strip("0")) for text in {*texts}) >= enough:
            yield Incident(
                Severity.WARNING,
                f"{rows.of(at)} has the numbers of {rows.of(first)}, to the last digit",
                "no two measurements give them: a row was copied",
                "copied-data",
            )
            return


def _digits(rows: Rows) -> Iterator[Incident]:
    """Values with far fewer digits than the others of their side, which are printed with all they have."""
    texts = rows.texts(rows.value)
    sides: dict[str, list[int]] = {}
    for at, levels in enumerate(rows.levels):
        sides.setdefault(levels[0] if levels else "", []).append(at)
    for own in sides.values():
        digits = {at: re.sub(r"[eE].*|\D", "", texts[at]).strip("0") for at in own}
        usual = median(map(len, digits.values()))
        places = median(len(texts[at].partition(".")[2]) for at in own)
        odd = [
            at
            for at in own
            if 0 < len(digits[at]) <= _BY_HAND and len(texts[at].partition(".")[2]) <= places - _BY_HAND
        ]
        if usual >= _MANY_DIGITS and len(own) >= _FEWEST_ROWS and 0 < len(odd) <= max(1, _MOST_ODD * len(own)):
            yield Incident(
                Severity.WARNING,
                f"{rows.of(odd[0])} is {texts[odd[0]]}, and the others of its side have {usual:g} digits",
                "a program printed those: this one was written by hand, or comes from elsewhere",
                "contradiction",
            )
            return
