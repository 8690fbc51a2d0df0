"""What the columns of a table hold, where the user does not say it: by their headings and by what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sectax.audit.form import Quantity
from sectax.audit.reading import headings
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.cells import Cells
from sectax.audit.reading.headings import Failed, statistic_of, words
from sectax.audit.reading.units import KNOWN, Unit, unit_of
from sectax.audit.tables.head import Table, listed
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

# A column with more different texts than this, in over half of the rows, names rows and no levels.
MOST_LEVELS = 200
MOST_COLUMNS = 2000


@dataclass(frozen=True)
class Guess:
    """The columns of a table, by their places."""

    values: dict[int, Unit]
    by: tuple[int, ...]
    # Of the only column of values, and of those beside it, where it has a statistic: their places and finest steps,
    # since many programs leave out zeros at the end.
    summaries: dict[str, tuple[int, float]]
    count: int | None  # how many values are behind a summary, or operations behind a row
    failures: tuple[int, Failed] | None  # what shows how many operations of a row failed, and how
    size: tuple[int, Unit] | None  # the bytes that an operation moves, and their unit
    told: str  # which columns were read as what, in words


def guess(table: Table, sample: Sequence[Sequence[str]], cells: Cells) -> Guess:
    """What the columns hold, by the first rows. Raises `BadInput` where no column of values can be found."""
    said, names = table.said, table.names
    if len(names) > MOST_COLUMNS:
        raise BadInput(f"{len(names)} columns: at most {MOST_COLUMNS} are read", "audit some of them", line=table.place)
    texts = [*zip(*sample, strict=True)]
    marks = ["%" if any(cell.endswith("%") for cell in column) else "" for column in texts]
    called = [words(name + mark) for name, mark in zip(names, marks, strict=True)]
    units = [headings.unit_in(name) or cells.unit(column) for name, column in zip(names, texts, strict=True)]
    numeric = [at for at, column in enumerate(texts) if cells.are_numbers(column, units[at])]
    unsaid = [at for at in numeric if names[at] not in said.named()]
    values = [table.column(name) for name in dict.fromkeys(said.value)] or _values(table, units, unsaid)
    statistic = statistic_of(names[values[0]]) if len(values) == 1 else None
    rest = [at for at in unsaid if at not in values]
    failing = headings.failures_in(called, numeric)
    failing = {at: failed for at, failed in failing.items() if at not in values and names[at] not in said.by}
    bytes_ = {at: unit for at in numeric if (unit := units[at]) and unit[0] is Quantity.MEMORY}
    sizes = {at: unit for at, unit in bytes_.items() if headings.SIZES.fullmatch(called[at])}
    different = [len({*column}) for column in texts]
    comes_again = [1 < number <= len(sample) / 2 for number in different]
    aside = {*values, *failing, *(at for at, name in enumerate(names) if not name)}

    def is_level(at: int) -> bool:
        if at in aside or different[at] == 1 or headings.COUNTS.fullmatch(called[at]):
            return False
        # Words that come again are arms, whatever their column is called; dates are none.
        if comes_again[at] and at not in numeric and not any(text[:1].isdigit() for text in texts[at]):
            return True
        if headings.OF_THE_ROW.fullmatch(called[at]) or (different[at] > MOST_LEVELS and not comes_again[at]):
            return False
        # Parameters stand before what was measured with them, and come again where rows are single values.
        may_be = at < values[0] and (at in bytes_ or not units[at]) and (statistic is not None or comes_again[at])
        return at not in numeric or at in sizes or may_be

    by = tuple(map(table.column, said.by)) or tuple(filter(is_level, range(len(names))))
    beside = {one: at for at in rest if at not in by and (one := statistic_of(names[at])) not in (None, statistic)}
    summaries = {statistic: values[0]} | beside if statistic is not None else {}
    found = {at: _unit(said, names[at], units[at]) for at in values}
    count = next((at for at in rest if headings.COUNTS.fullmatch(called[at])), None)
    unused = {*range(len(names))} - {*aside, *by, count, *summaries.values()}
    # What is measured stands behind the value, and is no arm however often its numbers come again.
    arms = [at for at, again in enumerate(comes_again) if again and (at not in numeric or at < values[0])]
    return Guess(
        values=found,
        by=by,
        summaries={name: (at, cells.finest(texts[at], found[values[0]])) for name, at in summaries.items()},
        count=count,
        failures=next(iter(failing.items()), None),
        size=next((one for one in sizes.items() if one[0] in by or different[one[0]] == 1), None),
        told=_told(names, values, by, [at for at in unused if at in numeric or comes_again[at]], arms),
    )


def _told(names: list[str], values: Sequence[int], by: Sequence[int], unused: list[int], arms: list[int]) -> str:
    """Which columns were read as what; those that look like levels and are not used come with a hint."""
    told = listed([names[at] for at in values]) + (f" by {listed([names[at] for at in by])}" if by else "")
    told += f"; not used: {listed([names[at] for at in sorted(unused)])}" if unused else ""
    more = [names[at] for at in (*by, *sorted(unused)) if at in by or at in arms]
    return f"{told}; --by {','.join(more)} separates more" if len(more) > len(by) else told


def _values(table: Table, units: list[Unit | None], numeric: list[int]) -> list[int]:
    """The columns of values: those with a time or rate in their names or cells; with --unit alone, every arm."""
    names = table.names
    if len(numeric) == 1:
        units[numeric[0]] = units[numeric[0]] or unit_of(names[numeric[0]])
    arms = [at for at in numeric if (unit := units[at]) and unit[0] is not Quantity.MEMORY]
    arms = arms or [at for at in numeric if names[at] and not headings.OF_THE_ROW.fullmatch(words(names[at]))]
    centre = [at for at in arms if statistic_of(names[at]) in ("mean", "median")]
    alone = [at for at in arms if statistic_of(names[at]) is None]
    if centre or (arms and not alone):
        return centre[:1] or arms[:1]
    quantities = {unit[0] if (unit := units[at]) else table.said.unit for at in alone}
    if len(quantities) != 1 or (quantities == {""} and len(alone) > 1):
        hint = f"--value COLUMN --unit UNIT; the columns are {listed(names)}"
        raise BadInput("nothing says which column holds the values", hint)
    return alone


def _unit(said: Columns, name: str, unit: Unit | None) -> Unit:
    unit = unit_of(said.unit) if said.unit else unit
    if unit is None:
        what = f"{printable(said.unit)!r} is not a unit" if said.unit else f"the unit of {name!r} is not given"
        raise BadInput(what, did_you_mean(said.unit, KNOWN, f"--unit is one of {', '.join(KNOWN)}"))
    return unit
