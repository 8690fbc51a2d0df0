"""The roles of table columns, from options, headings and content."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sectax.audit.form import Quantity
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.printed import percentile_name
from sectax.audit.reading.units import KNOWN, Unit, base_unit
from sectax.audit.tables.cells import Cells
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

# A column with more distinct texts than this, in over half of the rows, has row names, not levels.
_MOST_LEVELS = 200
_STATISTICS = {
    "mean": "mean|average|avg",
    "median": "median|med",
    "min": "min|minimum|fastest",
    "max": "max|maximum|slowest",
    "error": "error",
    "stddev": "stddev|stdev|std|sd|std dev",
}
_COUNTS = re.compile(
    r"(?:total )?(?:n|count|samples|runs|iterations|rounds|trials|requests?|reqs|operations?)(?: count)?"
)
# Identifiers and times of rows, which are not levels.
_OF_THE_ROW = re.compile(r".*\b(?:date|time ?stamp|started|[ug]?u?id|run|iter(?:ation)?|trial|rep|seq|index|no)")
_SIZES = re.compile(r".*\b(?:size|payload|body|block|object|message|length)s?\b.*|bytes")
_FAILED, _PERCENT = "(?:errors?(?= rate)|errors|failed|failures?|fail|errs?|timeouts)", "(?:percent|percentage|pct)"
# Failures of a row by its cell and number: counts first, percentages last.
_FAILURES: dict[str, Callable[[str, float], float]] = {
    "(?:num |n |total |failed )?(?:errors|failed|failures|errs|timeouts)": lambda _, number: number,
    "(?:error|failure|timeout) count": lambda _, number: number,
    "(?:.* )?(?:exit|return) ?(?:code|status)|rc": lambda _, number: number != 0,
    "(?:http |response )?(?:status|code)(?: code)?|response ?code": lambda _, number: number >= 400,
    "(?:is )?(?:success|successful|succeeded|ok|passed|valid|verified|correct)": lambda text, _: (
        text.strip().lower() in ("false", "no", "0", "ko", "failed", "error")
    ),
    (_OF_100 := f"{_FAILED}(?: rate)? {_PERCENT}|{_PERCENT} {_FAILED}"): lambda _, number: number,
}


@dataclass(frozen=True)
class Roles:
    """The columns of a table by role, each by its index."""

    values: dict[int, Unit]
    by: tuple[int, ...]  # levels
    summaries: dict[str, int]  # statistics of a single value column and of the columns next to it
    count: int | None  # the number of values of a summary, or operations of a row
    failing: (
        tuple[int, Callable[[str, float], float], int] | None
    )  # the column, its conversion, and the attempts if known
    size: tuple[int, Unit] | None  # the bytes that an operation moves
    read: str  # how the columns were read, in words


def roles(names: list[str], sample: Sequence[Sequence[str]], cells: Cells, columns: Columns) -> Roles:
    """Assign roles by the first rows; raise `BadInput` without a value column."""
    texts = [*zip(*sample, strict=True)]
    shares = [any(cell.endswith("%") for cell in column) for column in texts]
    called = [words(name + "%" * share) for name, share in zip(names, shares, strict=True)]
    units = [column_unit(name) or cells.unit(column) for name, column in zip(names, texts, strict=True)]
    numeric = [at for at, column in enumerate(texts) if cells.are_numbers(column, units[at])]
    free = [at for at in numeric if names[at] not in columns.named()]
    values = [column_index(name, names) for name in dict.fromkeys(columns.value)] or _values(
        names, units, free, columns
    )
    statistic = statistic_name(names[values[0]]) if len(values) == 1 else None
    amounts = {at: unit for at in numeric if (unit := units[at]) and unit[0] is Quantity.MEMORY}
    sizes = {at: unit for at, unit in amounts.items() if _SIZES.fullmatch(called[at])}
    failing = [
        (at, how, 100 * (pattern is _OF_100))
        for pattern, how in _FAILURES.items()
        for at in range(len(names))
        if re.fullmatch(pattern, called[at]) and (at in numeric or "success" in pattern)
        if at not in values and names[at] not in columns.by
    ]
    aside = {*values, *(at for at, _, _ in failing), *(at for at, name in enumerate(names) if not name)}
    different = [len({*column}) for column in texts]

    def is_level(at: int) -> bool:
        if at in aside or different[at] == 1 or _COUNTS.fullmatch(called[at]):
            return False
        repeats, of_the_row = 2 * different[at] <= len(sample), _OF_THE_ROW.fullmatch(called[at])
        if at not in numeric:
            # Repeated words are levels, regardless of the column name; dates are not.
            dates = any(text[:1].isdigit() for text in texts[at])
            return not (of_the_row or different[at] > _MOST_LEVELS) or (repeats and not dates)
        # Parameters come before their results, and repeat where rows are single values.
        is_parameter = at < values[0] and (at in amounts or not units[at]) and (statistic is not None or repeats)
        return not of_the_row and (at in sizes or is_parameter)

    by = tuple(column_index(name, names) for name in columns.by) or tuple(filter(is_level, range(len(names))))
    adjacent = {
        beside_statistic: at
        for at in free
        if at not in (*values, *by) and (beside_statistic := statistic_name(names[at]))
    }
    summaries = adjacent | {statistic: values[0]} if statistic is not None else {}
    count = next((at for at in free if at not in values and _COUNTS.fullmatch(called[at])), None)
    unused = [at for at in range(len(names)) if at not in {*aside, *by, count, *summaries.values()}]
    read, levels, unread = (
        listed([names[at] for at in places]) for places in ([*values, *adjacent.values()], by, unused)
    )
    return Roles(
        values={at: _unit(columns, names[at], units[at]) for at in values},
        by=by,
        summaries=summaries,
        count=count,
        failing=next(iter(failing), None),
        size=next((size for size in sizes.items() if size[0] in by or different[size[0]] == 1), None),
        read=read + (f" by {levels}" if levels else "") + (f"; not used: {unread}" if unread else ""),
    )


def _values(names: list[str], units: list[Unit | None], numeric: list[int], columns: Columns) -> list[int]:
    """Return the value columns: those with a unit, or with --unit all candidates."""
    if len(numeric) == 1:
        units[numeric[0]] = units[numeric[0]] or base_unit(names[numeric[0]])
    arms = [at for at in numeric if (unit := units[at]) and unit[0] is not Quantity.MEMORY]
    arms = arms or [at for at in numeric if names[at] and not _OF_THE_ROW.fullmatch(words(names[at]))]
    centre = [at for at in arms if statistic_name(names[at]) in ("mean", "median")]
    alone = [at for at in arms if statistic_name(names[at]) is None]
    if centre or (arms and not alone):
        return centre[:1] or arms[:1]
    quantities = {unit[0] if (unit := units[at]) else columns.unit for at in alone}
    if len(quantities) != 1 or (quantities == {""} and len(alone) > 1):
        hint = f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
        raise BadInput("the column of values is ambiguous", hint)
    return alone


def _unit(columns: Columns, name: str, unit: Unit | None) -> Unit:
    unit = base_unit(columns.unit) if columns.unit else unit
    if unit is None:
        what = f"{printable(columns.unit)!r} is not a unit" if columns.unit else f"the unit of {name!r} is not given"
        raise BadInput(what, did_you_mean(columns.unit, KNOWN, "--unit ms, or s, µs, ns, op/s, MiB/s and similar"))
    return unit


def column_index(name: str, names: list[str]) -> int:
    """Return the index of a column; raise `BadInput` if absent or ambiguous."""
    if names.count(name) != 1:
        what = "two columns have the name" if name in names else "there is no column"
        raise BadInput(f"{what} {printable(name, 60)!r}", did_you_mean(name, names, f"the columns are {listed(names)}"))
    return names.index(name)


def listed(names: Sequence[str]) -> str:
    """List column names in a message."""
    shown = ", ".join(printable(name, 40) for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown


def words(name: str) -> str:
    """Normalize a column's name: lower-case words without the unit.

    'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are equal. Percent stays: 'Errors (%)' is 'errors percent'.
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.split(r"[(\[]", name)[0])
    spaced += " percent" if "%" in name and not re.search(r"\d\s*%", name) else ""
    return " ".join(re.findall(r"[A-Za-z]+|\d[\dA-Za-z.]*", spaced.replace("_", " "))).lower()


def column_unit(name: str) -> Unit | None:
    """Return the unit in a column's name: `sign (ops/s)`, `time_ms`, `ns/op`, `ms`."""
    if (inside := re.search(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$", name)) is not None:
        return base_unit(inside[1])
    name = re.sub(r"[_ ]per[_ ]|(?i:(?<=ops|eqs|req|sts)|(?<=[kmg]b|ib))_(?=s$)", "/", name)
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,16})$|[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name)
    # A single letter is ambiguous, and 'min' is the minimum.
    words = (name if len(name) > 1 else "", (last[1] or last[2]) if last else "")
    return next((unit for word in words if statistic_name(word) is None and (unit := base_unit(word))), None)


def statistic_name(name: str) -> str | None:
    """Return the statistic in a column's name: mean, `p99 (ms)`, `min_us`."""
    plain = re.sub(r"^(?:time|latency) | (?:[mun]?s|secs?|seconds|time|latency|runtime)$", "", words(name))
    if (percentile := re.fullmatch(r"(?:p ?)?(\d\d)\.?(\d?)(?:th)?( percentile)?", plain)) and "p" in plain:
        return percentile_name(f"{percentile[1]}.{percentile[2] or 0}")
    return next((statistic for statistic, pattern in _STATISTICS.items() if re.fullmatch(pattern, plain)), None)
