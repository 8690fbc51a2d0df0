"""What the columns of a table hold, where the user does not say it: by their names and by what is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sectax.audit.form import Quantity
from sectax.audit.tables.cells import Cells
from sectax.audit.tables.columns import Columns
from sectax.audit.tables.head import Table, listed
from sectax.audit.tables.units import unit_of
from sectax.formats.bad_input import BadInput

# Tables that tools write, by names that stand in their heads.
KNOWN = (
    ({"command", "mean", "stddev", "median", "min", "max"}, Columns(("mean",), "s", ("command",))),
    ({"timeStamp", "elapsed", "label", "responseCode"}, Columns(("elapsed",), "ms", ("label",))),
    ({"starttime", "seconds", "ctime", "dtime", "ttime", "wait"}, Columns(("ttime",), "ms")),
)
# A text column with more different texts than this, in over half of the rows, names rows and no levels.
MOST_LEVELS = 200
_STATISTICS = {
    "mean": "mean", "average": "mean", "avg": "mean", "median": "median", "med": "median", "p50": "median",
    "min": "min", "minimum": "min", "fastest": "min", "max": "max", "maximum": "max", "slowest": "max",
    "error": "error", "stddev": "stddev", "std": "stddev", "stdev": "stddev", "sd": "stddev", "std dev": "stddev",
}  # fmt: skip
_WORDS = re.compile(r"[A-Za-z]+|\d[\dA-Za-z.]*")
_COUNTS = re.compile(r"(?i)(?:total )?(?:n|count|samples|runs|iterations|rounds|trials|requests|reqs|operations)$")
Units = dict[str, tuple[Quantity, float] | None]
# Where or when a row was taken, which is no level.
_OF_THE_ROW = re.compile(
    r"(?i).*\b(?:date|time ?stamp|timestamp|started|id|uuid|guid|run|iteration|iter|trial|rep|seq|index|no)$"
)


@dataclass(frozen=True)
class Guess:
    """The columns of a table.

    Attributes:
        columns: what the user says, and what follows for the rest.
        units: of each column of values.
        beside: statistic -> column, of summaries that stand beside the value in its row.
        count: the column with how many values are behind a summary.
        failures: the column that shows whether a row failed, or how many operations of it did.
    """

    columns: Columns
    units: tuple[tuple[Quantity, float], ...]
    statistic: str | None = None
    beside: dict[str, int] | None = None
    count: int | None = None
    failures: int | None = None


def words(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.split(r"[(\[]", name)[0])
    return " ".join(_WORDS.findall(spaced.replace("_", " "))).lower()


def unit_in(name: str) -> tuple[Quantity, float] | None:
    """The unit that a column's name ends with: `sign (ops/s)`, `time_ms`, `latency [us]`, `ns/op`."""
    inside = re.search(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$", name)
    if inside is not None:
        return unit_of(inside[1])
    if (over := re.search(r"(?:^|[_ ])([A-Za-z]+)[_ ]per[_ ](?:s|sec|second)$", name)) is not None:
        return unit_of(f"{over[1].lower()}/s")
    whole = unit_of(name) if "/" in name or name.lower() in ("seconds", "milliseconds") else None
    last = re.search(r"[_ ]([A-Za-zµμ/]{1,12})$", name) or re.search(
        r"[a-z](Ms|Us|Ns|Secs?|Seconds|Millis|Nanos)$", name
    )
    return whole or (unit_of(last[1].lower() if last[1].istitle() else last[1]) if last is not None else None)


def statistic_of(name: str) -> str | None:
    """The statistic that a column's name says: mean, `p99 (ms)`, `min_us`."""
    plain = words(name)
    plain = re.sub(r" (?:[mun]s|sec|secs|seconds|time|latency|runtime)$", "", re.sub(r"^(?:time|latency) ", "", plain))
    percentile = re.fullmatch(r"p ?(\d{2,3})(?:th)?(?: percentile)?|(\d{2})(?:th)? percentile", plain)
    if percentile is not None:
        digits = percentile[1] or percentile[2]
        value = float(digits) if len(digits) == 2 else float(f"{digits[:2]}.{digits[2:]}")
        return "median" if value == 50 else f"p{value:g}"
    return _STATISTICS.get(plain)


def guess(table: Table, sample: Sequence[Sequence[str]], cells: Cells) -> Guess:
    """What the columns hold, by the first rows. Raises `BadInput` where no column of values can be found."""
    said, names = table.said, table.names
    for head, known in KNOWN:
        if head <= set(names) and not said.value:
            said = said.over(known)
    told = set(said.named())
    columns = [[row[at] for row in sample] for at in range(len(names))]
    units = {name: unit_in(name) or cells.unit(texts) for name, texts in zip(names, columns, strict=True)}
    numeric = [at for at, name in enumerate(names) if _is_numeric(columns[at], units[name], cells)]
    values = said.value or _values(units, names, [at for at in numeric if names[at] not in told], sample, said)
    places = [table.column(name) for name in values]
    statistic = statistic_of(values[0]) if len(values) == 1 else None
    rest = [at for at in numeric if at not in places and names[at] not in told]
    outcomes = {at: kind for at, name in enumerate(names) if name not in values and (kind := outcome_of(name))}
    # Parameters stand before what was measured with them.
    given = [at for at in rest if statistic and at < places[0] and not units[names[at]] and at not in outcomes]
    by = said.by or tuple(
        name
        for at, name in enumerate(names)
        if name and (at not in numeric or at in given) and name not in (*values, said.replicate, said.size, said.events)
        if not _COUNTS.fullmatch(words(name)) and _is_factor(words(name), columns[at])
    )
    beside = {one: at for at in rest if (one := statistic_of(names[at])) is not None and one != statistic}
    failures = [at for at in outcomes if names[at] not in by]
    failures = [at for at in failures if outcomes[at] == "count"] or failures
    return Guess(
        replace(said, value=tuple(values), by=by),
        tuple(_unit(said, name, units[name]) for name in values),
        statistic,
        beside if statistic is not None else {},
        next((at for at in rest if _COUNTS.fullmatch(words(names[at]))), None),
        failures[0] if len(failures) == 1 else None,
    )


def _is_numeric(texts: Sequence[str], unit: tuple[Quantity, float] | None, cells: Cells) -> bool:
    there = [text for text in texts if text.strip()]
    return bool(there) and 2 * sum(cells.number(text, unit) is not None for text in there) > len(there)


def _is_factor(name: str, texts: Sequence[str]) -> bool:
    different = len(set(texts))
    names_rows = different > MOST_LEVELS and 2 * different > len(texts)
    return different > 1 and not names_rows and not _OF_THE_ROW.fullmatch(name)


def _values(
    units: Units, names: list[str], numeric: list[int], sample: Sequence[Sequence[str]], said: Columns
) -> tuple[str, ...]:
    """The columns of values: those with a time or rate in their names or cells; with --unit alone, every arm."""
    with_unit = [names[at] for at in numeric if (unit := units[names[at]]) and unit[0] is not Quantity.MEMORY]
    centre = [name for name in with_unit if statistic_of(name) in ("mean", "median")]
    if len(with_unit) == 1 or centre:
        return tuple((centre or with_unit)[:1])
    if len(with_unit) > 1 and len({units[name] for name in with_unit}) == 1 and not any(map(statistic_of, with_unit)):
        return tuple(with_unit)
    if said.unit:
        arms = [at for at in numeric if not _OF_THE_ROW.fullmatch(words(names[at])) and not _is_index(sample, at)]
        centre = [names[at] for at in arms if statistic_of(names[at]) in ("mean", "median")]
        if arms:
            return tuple(centre[:1] or (names[at] for at in arms))
    raise BadInput(
        "nothing says which column holds the values", f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
    )


def _is_index(sample: Sequence[Sequence[str]], at: int) -> bool:
    """Whether a column counts the rows."""
    texts = [row[at].strip() for row in sample]
    return texts in ([str(number) for number in range(begin, begin + len(texts))] for begin in (0, 1))


def _unit(said: Columns, name: str, unit: tuple[Quantity, float] | None) -> tuple[Quantity, float]:
    unit = said.checked_unit() or unit
    if unit is None:
        raise BadInput(f"the unit of {name!r} is not given", "--unit UNIT, such as ms, op/s or MiB/s")
    return unit


_CODE = re.compile(r"(?:.* )?(?:exit|return|ret)(?: code| status)|(?:.* )?(?:rc|returncode|exitcode)")
_ANSWER = re.compile(r"(?:http |response |status )?(?:status|code)(?: code)?|response ?code")
_WELL = re.compile(r"(?:is )?(?:success|successful|succeeded|ok|passed|valid|verified|correct)")
_COUNT = re.compile(r"(?:num |n |total |failed )?(?:errors|failed|failures|errs|timeouts|requests failed)")
_NO = ("false", "no", "0", "ko", "failed", "error")


def outcome_of(name: str) -> str | None:
    """How a column shows failures: as an exit code, an HTTP status, a yes or no, or a count."""
    plain = words(name)
    for kind, pattern in (("code", _CODE), ("answer", _ANSWER), ("well", _WELL), ("count", _COUNT)):
        if pattern.fullmatch(plain):
            return kind
    return None


def failures_in(kind: str, text: str, number: float | None) -> float:
    """How many operations of a row failed, by what stands in such a column."""
    if kind == "well":
        return float(text.strip().lower() in _NO)
    if number is None:
        return 0.0
    if kind == "code":
        return float(number != 0)
    return float(number >= 400) if kind == "answer" else max(number, 0.0)
