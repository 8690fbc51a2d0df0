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
# A text column with more different texts than this, in over half of the rows, names rows and no levels.
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
    """The columns of a table."""

    columns: Columns  # what the user says, and what follows for the rest
    units: tuple[Unit, ...]  # of each column of values
    # Statistic -> column, where the only column of values has a statistic; the others stand beside it.
    summaries: dict[str, int]
    count: int | None  # the column with how many values are behind a summary
    failures: tuple[int, Failed] | None  # the column that shows how many operations of a row failed, and how
    size: tuple[int, Unit] | None  # the column with the bytes that an operation moves, and its unit
    constant: tuple[str, ...]  # the texts of columns that have one alone


def words(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.split(r"[(\[]", name)[0])
    return " ".join(_WORDS.findall(spaced.replace("_", " "))).lower()


def unit_in(name: str) -> Unit | None:
    """The unit that a column's name is or ends with: `sign (ops/s)`, `time_ms`, `ops_s`, `ns/op`, `ms`."""
    if (inside := re.search(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$", name)) is not None:
        return unit_of(inside[1])
    rate = r"(?:^|[_ ])(?:([A-Za-z]+)[_ ]per[_ ](?:s|sec|second)|([kKmM]?ops|[rR]eqs?|[rR]equests|[kKmMgG]i?[bB])_s)$"
    if (over := re.search(rate, name)) is not None:
        return unit_of(f"{(over[1] or over[2]).lower()}/s")
    # One letter may be anything.
    whole = unit_of(name) if len(name) > 1 and statistic_of(name) is None else None
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,12})$|[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name)
    return whole or (unit_of(last[1] or last[2].lower()) if last is not None else None)


def statistic_of(name: str) -> str | None:
    """The statistic that a column's name says: mean, `p99 (ms)`, `min_us`."""
    plain = re.sub(r"^(?:time|latency) | (?:[mun]?s|secs?|seconds|time|latency|runtime)$", "", words(name))
    if (percentile := re.fullmatch(r"(?:p ?)?(\d\d)\.?(\d?)(?:th)?( percentile)?", plain)) and re.search("p", plain):
        return of_percentile(f"{percentile[1]}.{percentile[2] or 0}")
    return next((statistic for statistic, names in _STATISTICS.items() if re.fullmatch(names, plain)), None)


def guess(table: Table, sample: Sequence[Sequence[str]], cells: Cells) -> Guess:
    """What the columns hold, by the first rows. Raises `BadInput` where no column of values can be found."""
    said, names = table.said, table.names
    for head, known in TOOLS:
        if head <= {*names} and not said.value:
            said = replace(said, value=known.value, unit=said.unit or known.unit, by=said.by or known.by)
    texts = [*zip(*sample, strict=True)]
    units = {name: unit_in(name) or cells.unit(column) for name, column in zip(names, texts, strict=True)}
    numeric = [at for at, name in enumerate(names) if _is_numeric(texts[at], units[name], cells)]
    unsaid = [at for at in numeric if names[at] not in said.named()]
    values = tuple(dict.fromkeys(said.value)) or _values(units, [names[at] for at in unsaid], said)
    if not values:
        hint = f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
        raise BadInput("nothing says which column holds the values", hint)
    places = [table.column(name) for name in values]
    statistic = statistic_of(values[0]) if len(values) == 1 else None
    rest = [at for at in unsaid if at not in places]
    failures = {
        at: failed
        for at, name in enumerate(names)
        for pattern, failed in _FAILURES
        if at not in places and name not in said.by and re.fullmatch(pattern, words(name))
    }
    sizes = {
        at: unit
        for at in numeric
        if (unit := units[names[at]]) and unit[0] is Quantity.MEMORY and _SIZES.fullmatch(words(names[at]))
    }

    def may_be_level(at: int) -> bool:
        # Parameters stand before what was measured with them.
        is_given = at in rest and statistic and at < places[0] and not units[names[at]] and at not in failures
        return at not in numeric or at in sizes or bool(is_given)

    by = said.by or tuple(
        name
        for at, name in enumerate(names)
        if may_be_level(at) and name not in ("", *values, said.replicate) and _is_factor(words(name), texts[at])
    )
    of_rows = [(at, failed) for at, failed in failures.items() if names[at] not in by]
    counted = [(at, failed) for at, failed in of_rows if failed is _FAILURES[0][1]] or of_rows
    beside = {one: at for at in rest if (one := statistic_of(names[at])) not in (None, statistic)}
    return Guess(
        columns=replace(said, value=values, by=by),
        units=tuple(_unit(said, name, units[name]) for name in values),
        summaries={statistic: places[0]} | beside if statistic is not None else {},
        count=next((at for at in rest if _COUNTS.fullmatch(words(names[at]))), None),
        failures=counted[0] if len(counted) == 1 else None,
        size=next((one for one in sizes.items() if names[one[0]] in by or len({*texts[one[0]]}) == 1), None),
        constant=tuple(column[0] for column in texts if len({*column}) == 1),
    )


def _is_numeric(texts: Sequence[str], unit: Unit | None, cells: Cells) -> bool:
    there = [text for text in texts if text.strip()]
    return bool(there) and 2 * sum(cells.number(text, unit) is not None for text in there) > len(there)


def _is_factor(name: str, texts: Sequence[str]) -> bool:
    different = len({*texts})
    names_rows = different > MOST_LEVELS and 2 * different > len(texts)
    return different > 1 and not names_rows and not _OF_THE_ROW.fullmatch(name) and not _COUNTS.fullmatch(name)


def _values(units: dict[str, Unit | None], numeric: list[str], said: Columns) -> tuple[str, ...]:
    """The columns of values: those with a time or rate in their names or cells; with --unit alone, every arm."""
    if len(numeric) == 1:
        units[numeric[0]] = units[numeric[0]] or unit_of(numeric[0])
    with_unit = [name for name in numeric if (unit := units[name]) and unit[0] is not Quantity.MEMORY]
    arms = with_unit or [name for name in numeric if said.unit and name and not _OF_THE_ROW.fullmatch(words(name))]
    centre = [name for name in arms if statistic_of(name) in ("mean", "median")]
    alike = len({units[name] for name in arms}) == 1 and not any(map(statistic_of, arms))
    return tuple(centre[:1] or (arms if alike or len(arms) == 1 else ()))


def _unit(said: Columns, name: str, unit: Unit | None) -> Unit:
    if said.unit and unit_of(said.unit) is None:
        hint = did_you_mean(said.unit, KNOWN, f"known are {', '.join(KNOWN)}")
        raise BadInput(f"{printable(said.unit)!r} is not a unit", hint)
    unit = unit_of(said.unit) or unit
    if unit is None:
        raise BadInput(f"the unit of {name!r} is not given", "--unit UNIT, such as ms, op/s or MiB/s")
    return unit
