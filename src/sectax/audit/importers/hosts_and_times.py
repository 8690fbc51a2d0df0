"""Columns that tell where, with what and when rows were measured, of which nobody says anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from statistics import median

from sectax.audit.evidence import Incident
from sectax.audit.importers.rows import Levels, Rows
from sectax.model.finding import Severity
from sectax.model.printable import printable

_MACHINE = re.compile(
    r"\b(?:host(?:name)?|machine|node|server|instance|runner|vm|cpu|processor)(?:_?(?:name|id|model))?$", re.I
)
_BUILD = re.compile(
    r"(?:^|_| |\b)(?:version|commit|git_?(?:sha|rev|hash|commit)|revision|build(?:_?id)?|compiler|kernel|os|platform"
    r"|arch|runtime|jdk|jvm|release)$",
    re.I,
)
_WHEN = re.compile(r"(?:^|_| )(?:time_?stamp|date_?time|date|started(?:_at)?|start_?time|epoch|ts|when)$", re.I)
_BEGIN = re.compile(r"(?:start|begin)(?:ed)?(?:_?(?:at|time|ts|timestamp|ns|us|ms|s))*$", re.I)
_END = re.compile(r"(?:end|stop|finish)(?:ed)?(?:_?(?:at|time|ts|timestamp|ns|us|ms|s))*$", re.I)
# More of them are no machines, and say nothing by themselves.
_MOST_MACHINES = 20
# From 2000 to 2100, in seconds; and a clock may be set back a little.
_EARLIEST, _LATEST, _CLOCK_IS_SET_S = 946_684_800.0, 4_102_444_800.0, 1.0
# A time beside the one from its beginning to its end: what two clocks make of it, and the rows that must agree first.
_UNLIKE, _FEWEST_ALIKE = 0.1, 5


def machines(rows: Rows) -> tuple[str, dict[Levels, frozenset[str]]] | None:
    """The column of machines, if there is one, and those that each figure has."""
    found = rows.unnamed(_MACHINE.search)
    if len(found) != 1:
        return None
    texts = rows.texts(found[0])
    of = {levels: frozenset(filter(None, (texts[at] for at in own))) for levels, own in rows.by_levels().items()}
    return rows.names[found[0]], of


def where_and_when(rows: Rows, scale: float) -> Iterator[Incident]:
    """W where figures hold values of several machines or builds, or where time and the order of the rows do not fit.

    Args:
        scale: the unit of the values, in seconds; 0 where they are no times.
    """
    for pattern, also in ((_MACHINE, ", or say --replicate {}"), (_BUILD, "")):
        for column in rows.unnamed(pattern.search):
            yield from _mixed(rows, column, also)
    whens = rows.unnamed(_WHEN.search)
    if len(whens) == 1:
        yield from _order(rows, whens[0])
    begins, ends = (rows.unnamed(each.search) for each in (_BEGIN, _END))
    if scale and len(begins) == len(ends) == 1:
        yield from _from_begin_to_end(rows, begins[0], ends[0], scale)


def _mixed(rows: Rows, column: int, also: str) -> Iterator[Incident]:
    texts = rows.texts(column)
    of = {levels: {texts[at] for at in own} - {""} for levels, own in rows.by_levels().items()}
    mixed = [each for each in of.values() if 1 < len(each) <= _MOST_MACHINES]
    if mixed:
        name = printable(rows.names[column], 40)
        yield Incident(
            Severity.WARNING,
            f"{len(mixed)} of {len(of)} figures hold values of several of column {name}: "
            f"{' and '.join(printable(each, 40) for each in sorted(mixed[0])[:3])}",
            f"their spread is that of these too: add it to --by{also.format(name)}",
            "apples-and-oranges",
        )


def _order(rows: Rows, column: int) -> Iterator[Incident]:
    """Rows that go back in time, and sides of which one ended before the other began."""
    name = printable(rows.names[column], 40)
    when = [_seconds_of(text) for text in rows.texts(column)]
    of = {
        levels: told
        for levels, own in rows.by_levels().items()
        if (told := [each for at in own if (each := when[at]) is not None])
    }
    if any(later < earlier - _CLOCK_IS_SET_S for told in of.values() for earlier, later in pairwise(told)):
        yield Incident(
            Severity.WARNING,
            f"the times in column {name} go backwards within a figure",
            "rows of several runs were put together, or sorted: where values go cannot be seen",
            "contradiction",
        )
    spans = {levels: (min(told), max(told)) for levels, told in of.items()}
    if not rows.columns.by or len(spans) < 2 or any(first >= last for first, last in spans.values()):
        return
    sides: dict[Levels, list[tuple[float, float, str]]] = {}
    for levels, (first, last) in spans.items():
        sides.setdefault(levels[1:], []).append((first, last, levels[0]))
    for beside in map(sorted, sides.values()):
        if len(beside) > 1 and all(one[1] <= other[0] for one, other in pairwise(beside)):
            one, other = (printable(side, 40) for *_, side in beside[:2])
            yield Incident(
                Severity.WARNING,
                f"by column {name} all of {one} was measured before {other}",
                "what changed on the machine meanwhile is part of their difference: measure them in turns",
                "drift",
            )
            return


def _from_begin_to_end(rows: Rows, begin: int, end: int, scale: float) -> Iterator[Incident]:
    """Rows whose time is not the one from their beginning to their end, where that of the others is."""
    told = [
        (at, other - one, value * scale)
        for at, (text, until, value) in enumerate(zip(rows.texts(begin), rows.texts(end), rows.values, strict=True))
        if (one := _seconds_of(text)) is not None and (other := _seconds_of(until)) is not None and value > 0
    ]
    if len(told) < _FEWEST_ALIKE or abs(median(spanned / took for _, spanned, took in told) - 1) > _UNLIKE:
        return
    # Clocks are read a little earlier and later, and printed in whole seconds.
    usual = sorted(abs(spanned - took) for _, spanned, took in told)[-len(told) // _FEWEST_ALIKE]
    unlike = [
        (at, spanned / took) for at, spanned, took in told if abs(spanned - took) > max(3 * usual, 2 * _UNLIKE * took)
    ]
    if 0 < len(unlike) <= len(told) // _FEWEST_ALIKE:
        at, ratio = unlike[0]
        yield Incident(
            Severity.FATAL,
            f"from begin to end {rows.of(at)} took {ratio:.3g} times its {printable(rows.names[rows.value], 40)} "
            f"({len(unlike)} of {len(told)} rows)",
            "in the other rows the two are the same: one of the numbers is wrong",
            "contradiction",
        )


def _seconds_of(text: str) -> float | None:
    """A point in time, as ISO 8601 or in seconds, milliseconds and so on since 1970; None of anything else."""
    try:
        value = float(text)
    except ValueError:
        try:
            return datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return None
    return next((value / scale for scale in (1.0, 1e3, 1e6, 1e9) if _EARLIEST <= value / scale <= _LATEST), None)
