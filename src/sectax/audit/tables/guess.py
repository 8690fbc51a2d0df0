"""What the columns of a table hold, where the user does not say it: by their names and by what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sectax.audit.form import Quantity
from sectax.audit.reading.printed import statistic_of as of_percentile
from sectax.audit.reading.units import KNOWN, Unit, unit_of
from sectax.audit.tables.cells import Cells
from sectax.audit.tables.columns import Columns
from sectax.audit.tables.head import Table, listed
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

# Tables that tools write, by names that stand in their heads: hyperfine's, and JMeter's.
TOOLS = (
    ({"command", "mean", "stddev", "median", "min", "max"}, Columns(("mean",), "s", ("command",))),
    ({"timeStamp", "elapsed", "label", "responseCode"}, Columns(("elapsed",), "ms", ("label",))),
)
# A column with more different texts than this, in over half of the rows, names rows and no levels.
MOST_LEVELS = 200
_STATISTICS = {
    "mean": r"mean|average|avg",
    "median": "median|med",
    "min": "min|minimum|fastest",
    "max": "max|maximum|slowest",
    "error": "error",
    "stddev": "stddev|stdev|std|sd|std dev",
}
_WORDS = re.compile(r"[A-Za-z]+|\d[\dA-Za-z.]*")
_COUNTS = re.compile(r"(?:total )?(?:n|count|samples|runs|iterations|rounds|trials|requests|reqs|operations)")
# Where or when a row was taken, which is no level.
_OF_THE_ROW = re.compile(
    r".*\b(?:date|time ?stamp|timestamp|started|id|uuid|guid|run|iteration|iter|trial|rep|seq|index|no)"
)
_SIZES = re.compile(r".*\b(?:size|payload|body|block|object|message|length)s?\b.*|bytes")
Failed = Callable[[str, float], float]
# Columns of failures by their names, and how many operations of a row failed by a text and its number.
_FAILURES: tuple[tuple[str, Failed], ...] = (
    (r"(?:num |n |total |failed )?(?:errors|failed|failures|errs|timeouts)", lambda _, number: max(number, 0.0)),
    (r"(?:.* )?(?:exit|return) ?(?:code|status)|rc", lambda _, number: number != 0),
    (r"(?:http |response )?(?:status|code)(?: code)?|response ?code", lambda _, number: number >= 400),
    (
        r"(?:is )?(?:success|successful|succeeded|ok|passed|valid|verified|correct)",
        lambda text, _: text.strip().lower() in ("false", "no", "0", "ko", "failed", "error"),
    ),
)


@dataclass(frozen=True)
class Guess:
    """The columns of a table, by their places."""

    values: dict[int, Unit]
    by: tuple[int, ...]
    # Statistic -> column, where the only column of values has a statistic; the others stand beside it.
    summaries: dict[str, int]
    count: int | None  # how many values are behind a summary, or operations behind a row
    failures: tuple[int, Failed] | None  # what shows how many operations of a row failed, and how
    size: tuple[int, Unit] | None  # the bytes that an operation moves, and their unit
    constant: tuple[str, ...]  # the texts of columns that have one alone
    unused: tuple[str, ...]  # the names of columns of numbers that are nothing of all this


def _words(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.split(r"[(\[]", name)[0])
    return " ".join(_WORDS.findall(spaced.replace("_", " "))).lower()


def unit_in(name: str) -> Unit | None:
    """The unit that a column's name is or ends with: `sign (ops/s)`, `time_ms`, `ops_s`, `ns/op`, `ms`."""
    if (inside := re.search(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$", name)) is not None:
        return unit_of(inside[1])
    name = re.sub(r"[_ ]per[_ ]|(?i:(?<=ops|eqs|req|sts)|(?<=[kmg]b|ib))_(?=s$)", "/", name)
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,16})$|[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name)
    # One letter by itself may be anything, and min is the least.
    words = (name if len(name) > 1 else "", (last[1] or last[2]) if last else "")
    return next((unit for word in words if statistic_of(word) is None and (unit := unit_of(word))), None)


def statistic_of(name: str) -> str | None:
    """The statistic that a column's name says: mean, `p99 (ms)`, `min_us`."""
    plain = re.sub(r"^(?:time|latency) | (?:[mun]?s|secs?|seconds|time|latency|runtime)$", "", _words(name))
    if (percentile := re.fullmatch(r"(?:p ?)?(\d\d)\.?(\d?)(?:th)?( percentile)?", plain)) and re.search("p", plain):
        return of_percentile(f"{percentile[1]}.{percentile[2] or 0}")
    return next((statistic for statistic, names in _STATISTICS.items() if re.fullmatch(names, plain)), None)


def guess(table: Table, sample: Sequence[Sequence[str]], cells: Cells) -> Guess:
    """What the columns hold, by the first rows. Raises `BadInput` where no column of values can be found."""
    said, names = table.said, table.names
    for head, known in TOOLS:
        if head <= {*names} and not said.value:
            said = replace(said, value=known.value, unit=said.unit or known.unit, by=said.by or known.by)
    texts, called = [*zip(*sample, strict=True)], [*map(_words, names)]
    units = [unit_in(name) or cells.unit(column) for name, column in zip(names, texts, strict=True)]
    numeric = [at for at, column in enumerate(texts) if _is_numeric(column, units[at], cells)]
    unsaid = [at for at in numeric if names[at] not in said.named()]
    values = [table.column(name) for name in dict.fromkeys(said.value)] or _values(table, units, unsaid)
    statistic = statistic_of(names[values[0]]) if len(values) == 1 else None
    rest = [at for at in unsaid if at not in values]
    failures = [
        (at, failed)
        for pattern, failed in _FAILURES
        for at, name in enumerate(called)
        if at not in values and names[at] not in said.by and re.fullmatch(pattern, name)
    ]
    bytes_ = {at: unit for at in numeric if (unit := units[at]) and unit[0] is Quantity.MEMORY}
    sizes = {at: unit for at, unit in bytes_.items() if _SIZES.fullmatch(called[at])}

    def is_level(at: int) -> bool:
        name, different = called[at], len({*texts[at]})
        names_rows = _OF_THE_ROW.fullmatch(name) or (different > MOST_LEVELS and 2 * different > len(sample))
        if names[at] in ("", said.replicate) or at in values or names_rows or different == 1 or _COUNTS.fullmatch(name):
            return False
        # Parameters stand before what was measured with them, and come again where rows are single values.
        may_be = at in rest and at < values[0] and (at in bytes_ or not units[at]) and at not in dict(failures)
        return at not in numeric or at in sizes or (may_be and (statistic is not None or 2 * different <= len(sample)))

    by = tuple(map(table.column, said.by)) or tuple(filter(is_level, range(len(names))))
    failure = next((one for one in failures if one[0] not in by), None)
    beside = {one: at for at in rest if at not in by and (one := statistic_of(names[at])) not in (None, statistic)}
    count = next((at for at in rest if _COUNTS.fullmatch(called[at])), None)
    used = {*by, count, *dict(failures), *(beside.values() if statistic else ())}
    return Guess(
        values={at: _unit(said, names[at], units[at]) for at in values},
        by=by,
        summaries={statistic: values[0]} | beside if statistic is not None else {},
        count=count,
        failures=failure,
        size=next((one for one in sizes.items() if one[0] in by or len({*texts[one[0]]}) == 1), None),
        constant=tuple(column[0] for column in texts if len({*column}) == 1),
        unused=tuple(names[at] for at in rest if at not in used and names[at]),
    )


def _is_numeric(texts: Sequence[str], unit: Unit | None, cells: Cells) -> bool:
    there = [text for text in texts if text.strip()]
    numbers = [cells.number(text, unit) if unit else cells.number(text) for text in there]
    return bool(there) and 2 * sum(number is not None for number in numbers) > len(there)


def _values(table: Table, units: list[Unit | None], numeric: list[int]) -> list[int]:
    """The columns of values: those with a time or rate in their names or cells; with --unit alone, every arm."""
    names = table.names
    if len(numeric) == 1:
        units[numeric[0]] = units[numeric[0]] or unit_of(names[numeric[0]])
    arms = [at for at in numeric if (unit := units[at]) and unit[0] is not Quantity.MEMORY]
    if table.said.unit and not arms:
        arms = [at for at in numeric if names[at] and not _OF_THE_ROW.fullmatch(_words(names[at]))]
    centre = [at for at in arms if statistic_of(names[at]) in ("mean", "median")]
    alone = [at for at in arms if statistic_of(names[at]) is None]
    if centre or (arms and not alone):
        return centre[:1] or arms[:1]
    if len({unit and unit[0] for unit in map(units.__getitem__, alone)}) != 1:
        hint = f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
        raise BadInput("nothing says which column holds the values", hint)
    return alone


def _unit(said: Columns, name: str, unit: Unit | None) -> Unit:
    unit = unit_of(said.unit) if said.unit else unit
    if unit is None:
        what = f"{printable(said.unit)!r} is not a unit" if said.unit else f"the unit of {name!r} is not given"
        raise BadInput(what, did_you_mean(said.unit, KNOWN, f"--unit is one of {', '.join(KNOWN)}"))
    return unit
