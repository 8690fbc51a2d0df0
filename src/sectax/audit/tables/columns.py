"""The roles of table columns, from options, headings and content."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from operator import eq

from sectax.audit.form import Quantity
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.printed import percentile_name
from sectax.audit.reading.units import KNOWN, Unit, base_unit
from sectax.audit.tables.cells import Cells
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

# A column with more distinct texts than this, in over half of the rows, has row names, not levels.
_MOST_LEVELS, _FEW = 200, 20
_STATISTICS = {
    "mean": "mean|average|avg|arithmetic mean",
    "median": "median|med",
    "min": "min|minimum|fastest|minimal",
    "max": "max|maximum|slowest|maximal",
    "error": "error|stderr|std err|standard error|sem|±",
    "stddev": "stddev|stdev|std|sd|std dev|standard deviation|σ",
}
# Words that say nothing about which statistic of a time or rate it is.
_FILLERS = re.compile(
    r"\b(?:times?|latenc(?:y|ies)|wall|clock|response|elapsed|duration|runtime|value|throughput|rtt|of|[mun]?s|secs?"
    r"|seconds|millis|per|op)\b"
)
_COUNTS = re.compile(
    r"(?:total )?(?:n|count|samples|runs|iterations|rounds|trials|requests?|reqs|operations?)(?: count)?"
)
# Identifiers and times of rows, which are not levels.
_OF_THE_ROW = re.compile(r".*\b(?:date|time ?stamp|started|[ug]?u?id|run|iter(?:ation)?|trial|rep|seq|index|no)")
_PARAMETERS = re.compile(
    r".*\b(?:connections?|conns?|threads?|concurrency|clients?|users|vus|workers|cores|cpus|procs?|gomaxprocs|streams"
    r"|size|payload|bytes|bits|key ?(?:size|length|bits)|batch(?: size)?|depth|qd|c|n)"
)
_OF_VALUES = re.compile(
    r"\b(?:mean|average|avg|median|min|max|stddev|p \d\d|throughput|latency|duration|score|speed|bandwidth|elapsed)"
)
# What is computed of others.
_DERIVED = re.compile(
    r".*\b(?:change|factor|speed ?up|delta|diff(?:erence)?|overhead|ratio|vs|relative|slow ?down)\b.*"
)
_REPEAT = re.compile(
    r"\s*(?:#|(?:run|trial|iter(?:ation)?|rep|repeat|try|attempt) ?#?)\d{1,3}\b.*|\d{1,3}(?:st|nd|rd|th) run\b.*",
    re.IGNORECASE,
)
_SIZES = re.compile(r".*\b(?:size|payload|body|block|object|message|length)s?\b.*|bytes")
_LONGEST = 200
# Seconds since 1970, rather than a duration.
_CLOCK_S = 100_000_000
_PERCENTILE = re.compile(
    r"(?:p ?|percentile |pct )?(100|\d{1,2}|9\d{2,4})(?:\.(\d{0,4}))?(?:th|st|nd|rd)?(?: percentile| pct| ?ile)?"
)
_PER_SECOND = re.compile(r"\b(?:req|requests?|ops?|operations)\s?/\s?s(?:ec(?:ond)?)?\b")
_SHARE = re.compile(r"\d{1,3}(?:\.\d{1,4})?\s?%(?:[ile]{3,4})?")
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


class NoNumbers(BadInput):
    """A table of words, such as one of versions."""


@dataclass(frozen=True)
class Measured:
    """The columns of one quantity, each by its index."""

    values: dict[int, Unit]
    # Statistics of a single value column and of the columns next to it, each with its unit.
    summaries: dict[str | None, tuple[int, Unit]]

    repeats: bool = False  # whether the columns are runs of the same: 'run 1', 'run 2'

    def columns(self) -> Iterator[int]:
        yield from self.values
        yield from (at for at, _ in self.summaries.values())


@dataclass(frozen=True)
class Roles:
    """The columns of a table by role, each by its index."""

    measured: tuple[Measured, ...]
    by: tuple[int, ...]  # levels
    count: int | None  # the number of values of a summary, or operations of a row
    failing: (
        tuple[int, Callable[[str, float], float], int] | None
    )  # the column, its conversion, and the attempts if known
    size: tuple[int, Unit] | None  # the bytes that an operation moves
    read: str  # how the columns were read, in words


def roles(
    names: list[str], sample: Sequence[Sequence[str]], cells: Cells, columns: Columns, of_all: Unit | None = None
) -> Roles:
    """Assign roles by the first rows; raise `BadInput` without a value column.

    Args:
        of_all: the unit that the text around gives for all values.
    """
    texts = [*zip(*sample, strict=True)]
    shares = [any(cell.endswith("%") for cell in column) for column in texts]
    called = [words(name + "%" * share) for name, share in zip(names, shares, strict=True)]
    units = [column_unit(name) or cells.unit(column) for name, column in zip(names, texts, strict=True)]
    numeric = [at for at, column in enumerate(texts) if cells.are_numbers(column, units[at])]
    if not numeric:
        raise NoNumbers("no column has numbers", f"--value COLUMN --unit UNIT; the columns are {listed(names)}")
    derived: set[int] = set()
    for at in numeric:
        # A difference may have a unit too.
        arms = [arm for arm in numeric if arm < at and arm not in derived and units[arm] and units[arm] == units[at]]
        named = _DERIVED.fullmatch(called[at]) or names[at].startswith("Δ")
        if (named and (not units[at] or len(arms) > 1)) or (not units[at] and cells.are_ratios(texts[at])):
            derived.add(at)
    failing = [
        (at, how, 100 * (pattern is _OF_100))
        for pattern, how in _FAILURES.items()
        for at in range(len(names))
        if re.fullmatch(pattern, called[at]) and (at in numeric or "success" in pattern)
        if names[at] not in columns.named()
    ]
    different = [len({*column}) for column in texts]
    of_the_row = {at for at, name in enumerate(called) if _OF_THE_ROW.fullmatch(name)}
    indexes = {at for at in numeric if _is_index(texts[at], called[at], units[at])}
    of_the_row |= indexes
    # A clock has a unit too.
    aside = derived | {at for at in indexes if units[at]}
    free = [at for at in numeric if names[at] not in columns.named() and at not in aside]
    counts = {at for at in numeric if _COUNTS.fullmatch(called[at])}
    amounts = {at: unit for at in numeric if (unit := units[at]) and unit[0] is Quantity.MEMORY}
    sizes = {at: unit for at, unit in amounts.items() if _SIZES.fullmatch(called[at])}
    aside = {at for at, _, _ in failing}
    if of_all is not None and not any(units[at] and at not in amounts for at in free):
        # The first column of numbers may be a parameter.
        given = [at for at in free if not (at in aside | counts | of_the_row or at in amounts or not at)]
        for at in given or free[-1:]:
            if not _PARAMETERS.fullmatch(called[at]) or len(given) < 2:
                units[at] = of_all
    measured = _measured(names, units, [at for at in free if at not in aside], columns, of_the_row, sizes)
    values = [at for one in measured for at in one.values]
    by_row = any(one.summaries for one in measured)
    failing = [fault for fault in failing if fault[0] not in values]
    used = sorted({at for one in measured for at in one.columns()})
    aside = {*used, *derived, *(at for at, _, _ in failing)}

    def is_level(at: int) -> bool:
        if at in aside or different[at] == 1 or at in counts:
            return False
        repeats = 2 * different[at] <= len(sample)
        if at not in numeric:
            # Words are levels, regardless of the column name; dates, and numbers of runs, are not.
            dates = any(text[:1].isdigit() for text in texts[at])
            numbered = at in of_the_row and all(any(map(str.isdigit, text)) for text in texts[at] if text)
            return not (numbered or different[at] > _MOST_LEVELS) or (repeats and not dates)
        # Parameters come before their results, or have their names.
        before = (at < values[0] and (at in amounts or not units[at])) or _PARAMETERS.fullmatch(called[at])
        is_parameter = bool(before) and not _OF_VALUES.search(called[at])
        # Not measurements beside the value: parameters are whole numbers where there are many.
        whole = len(sample) <= _FEW or all(text.strip().isdecimal() for text in texts[at])
        few = repeats or by_row or (different[at] <= _MOST_LEVELS and whole)
        return at not in of_the_row and (at in sizes or (is_parameter and few))

    by = tuple(column_index(name, names) for name in columns.by)
    if not by:
        # Remarks behind the values are levels where rows differ in nothing else, as are counts before them.
        remarks = {at for at in range(values[0], len(names)) if at not in numeric}
        by = tuple(at for at in range(len(names)) if at not in remarks and is_level(at))
        before = {at for at in counts - aside - of_the_row if at < values[0] and not failing}
        for at in sorted(before | {*filter(is_level, remarks)}):
            by += (at,) if _splits(at, by, texts) else ()
    counting = next((at for at in free if at in counts and at not in (*values, *by)), None)
    taken = {*used, *by, counting, *(fault[0] for fault in failing)}
    unused = [at for at, name in enumerate(names) if name and at not in taken]
    read, levels, unread = (listed([names[at] for at in places]) for places in (used, by, unused))
    return Roles(
        measured=tuple(measured),
        by=by,
        count=counting,
        failing=next(iter(failing), None),
        size=next((size for size in sizes.items() if size[0] in by or different[size[0]] == 1), None),
        read=read
        + (f" by {levels}" if levels else "")
        + (f"; not used: {unread}" if unread else "")
        + ("; decimal comma" if cells.read_commas else ""),
    )


def _is_index(texts: Sequence[str], called: str, unit: Unit | None) -> bool:
    """Whether the numbers of a column only count the rows, or are times of a clock."""
    if not all(map(str.isdecimal, texts)) or statistic_name(called) or _PARAMETERS.fullmatch(called):
        return False
    numbers = [*map(int, texts)]
    if unit is not None or numbers[0] >= _CLOCK_S:
        return unit in (None, (Quantity.TIME, 1.0)) and min(numbers) >= _CLOCK_S
    return len(numbers) > 1 and numbers[0] in (0, 1) and all(map(eq, numbers, count(numbers[0])))


def _splits(at: int, by: Sequence[int], texts: Sequence[Sequence[str]]) -> bool:
    """Whether rows of equal levels differ in this column, and few of its numbers are different."""
    keys = [*zip(*(texts[place] for place in by), strict=True)] if by else [()] * len(texts[at])
    return len({*texts[at]}) <= _MOST_LEVELS and len({*zip(keys, texts[at], strict=True)}) > len({*keys})


def _measured(
    names: list[str],
    units: list[Unit | None],
    numeric: list[int],
    columns: Columns,
    of_the_row: Collection[int],
    sizes: Collection[int],
) -> list[Measured]:
    """Return the columns of each quantity: those with a unit, or with --unit all candidates."""
    if given := [column_index(name, names) for name in dict.fromkeys(columns.value)]:
        found = {at: _unit(columns, names[at], units[at]) for at in given}
        return [Measured(found, _adjacent(found, names, numeric, units))]
    if len(numeric) == 1:
        units[numeric[0]] = units[numeric[0]] or base_unit(names[numeric[0]])
    memory = [at for at in numeric if (unit := units[at]) and unit[0] is Quantity.MEMORY]
    arms = [at for at in numeric if units[at] and at not in memory]
    # Memory is a quantity of its own where it is no parameter.
    arms += [at for at in memory if arms and at > arms[0] and at not in sizes and not columns.unit]
    arms = arms or [at for at in numeric if names[at] and at not in of_the_row]
    by_quantity: dict[Quantity | str, list[int]] = {}
    for at in arms:
        by_quantity.setdefault(columns.unit or (unit[0] if (unit := units[at]) else ""), []).append(at)
    if len(by_quantity) > 1:
        # A statistic without a unit is of the quantity to its left.
        for at in numeric:
            left = [unit for unit in units[:at] if unit and unit[0] in by_quantity]
            if not units[at] and statistic_name(names[at]):
                units[at] = left[-1] if left else (Quantity.OTHER, 1.0)
    measured = []
    for quantity, group in by_quantity.items():
        centre = [at for at in group if statistic_name(names[at]) in ("mean", "median")]
        alone = [at for at in group if statistic_name(names[at]) is None]
        runs = [at for at in alone if _REPEAT.fullmatch(names[at])]
        # The mean beside runs is theirs.
        centre, alone = ([], runs) if len(runs) > 1 else (centre, alone)
        if not (centre or quantity) and len(alone) > 1:
            break
        found = {at: _unit(columns, names[at], units[at]) for at in centre[:1] or alone or group[:1]}
        repeats = len(found) > 1 and all(_REPEAT.fullmatch(names[at]) for at in found)
        measured.append(Measured(found, _adjacent(found, names, numeric, units), repeats))
    if len(measured) < max(1, len(by_quantity)):
        hint = f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
        raise BadInput("the column of values is ambiguous", hint)
    return measured


def _adjacent(
    values: dict[int, Unit], names: list[str], numeric: Sequence[int], units: Sequence[Unit | None]
) -> dict[str | None, tuple[int, Unit]]:
    """Return the statistics beside a single value column, and its own."""
    ((at, unit),) = [*values.items()][:1]
    statistic = statistic_name(names[at])
    found: dict[str | None, tuple[int, Unit]] = {}
    for beside in numeric if len(values) == 1 else ():
        # Beside a value that is no statistic, only a unit shows that another column is of the same.
        own = units[beside] or (unit if statistic else (Quantity.OTHER, 1.0))
        if (name := statistic_name(names[beside])) is not None and own[0] is unit[0]:
            found.setdefault(name, (beside, own))
    return {**found, statistic: (at, unit)} if found else {}


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
    return base_unit(unit_word(name))


def unit_word(name: str) -> str:
    """Return the unit in a column's name as written; empty where there is none."""
    name = name[:_LONGEST]
    inside = (part.removeprefix("in ") for part in re.findall(r"[(\[]([^()\[\]]{1,40})[)\]]", name))
    found = next((part for text in inside for part in re.split(r"[,;] ?", text) if base_unit(part)), "")
    if found:
        return found
    name = re.sub(r"[(\[][^()\[\]]{0,60}[)\]]$", "", name.strip()).strip()
    name = re.sub(r"[_ ]per[_ ]|(?i:(?<=ops|eqs|req|sts)|(?<=[kmg]b|ib))_(?=s$)", "/", name)
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,16})$|[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name)
    # A single letter is ambiguous, and 'min' is the minimum.
    words = (name if len(name) > 1 else "", (last[1] or last[2]) if last else "")
    return next((word for word in words if statistic_name(word) is None and base_unit(word)), "")


def is_beside(label: str) -> bool:
    """Whether a name is of what may stand beside statistics: a count, failures, or a quantity with its unit."""
    called = words(label)
    counted = _COUNTS.fullmatch(called) or any(re.fullmatch(pattern, called) for pattern in _FAILURES)
    return bool(counted) or column_unit(label) is not None


def statistic_name(name: str) -> str | None:
    """Return the statistic in a column's name: mean, `p99 (ms)`, `min_us`, `99.9%`, `p999`."""
    called = words(_PER_SECOND.sub("", re.sub(r"^p\((\d[\d.]*)\)", r"p\1", name))) or name.strip()[:2]
    plain = " ".join(_FILLERS.sub(" ", called).split()) or called
    if (percentile := _PERCENTILE.fullmatch(plain)) is not None and (
        re.search("p|th", plain) or _SHARE.fullmatch(name.strip())
    ):
        whole, part = percentile[1], percentile[2] or ""
        # 'p999' is 99.9: more than two digits are decimals.
        whole, part = (whole, part) if len(whole) < 3 or whole == "100" else (whole[:2], whole[2:])
        return percentile_name(f"{whole}.{part or 0}")
    return next((statistic for statistic, pattern in _STATISTICS.items() if re.fullmatch(pattern, plain)), None)
