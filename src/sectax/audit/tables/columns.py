"""Which columns of a table hold what: as the user says, on the command line or in a comment line of the file.

# sectax: value=elapsed unit=ms by=algorithm,size baseline=none replicate=host size=size contains=hmac>hash
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace

from sectax.audit.form import Quantity
from sectax.audit.tables.units import UNITS, unit_of
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

HEADER = "# sectax:"
_SEVERAL = ("value", "by", "contains")


@dataclass(frozen=True)
class Columns:
    """What the user says of a table. Empty is unsaid.

    Attributes:
        value: the columns of numbers; several are levels of the factor `column`.
        unit: theirs, of `UNITS`.
        by: the columns whose texts are levels; rows that agree in all of them are values of one series.
        baseline: the level of the first factor without the control.
        replicate: the column that names the process, host or instance of a row.
        size: the column with the bytes that an operation works on, as a number or as 16KiB.
        events: the column with how many events a row's value, then the total time of a trial, is of.
        contains: pairs 'WHOLE>PART' of levels: the first does all that the second does.
    """

    value: tuple[str, ...] = ()
    unit: str = ""
    by: tuple[str, ...] = ()
    baseline: str = ""
    replicate: str = ""
    size: str = ""
    events: str = ""
    contains: tuple[str, ...] = ()

    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def named(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(name for name in (*self.value, *self.by, self.replicate, self.size, self.events) if name)

    def over(self, other: Columns) -> Columns:
        """This, and what only *other* says."""
        return replace(other, **{name: getattr(self, name) for name in self.given()})

    def checked_unit(self) -> tuple[Quantity, float] | None:
        """What the unit stands for; None where none is said. Raises `BadInput` where it is unknown."""
        if not self.unit:
            return None
        unit = unit_of(self.unit)
        if unit is None:
            hint = did_you_mean(self.unit, UNITS, f"known are {', '.join(UNITS)}")
            raise BadInput(f"{printable(self.unit)!r} is not a unit", hint)
        return unit


def in_comment(line: str, place: int) -> Columns:
    """What a comment line says; nothing where it is any other comment. Raises `BadInput` for anything else."""
    if not line.startswith(HEADER):
        return Columns()
    form = (
        f"{HEADER} value=COLUMN unit=UNIT by=COLUMN,COLUMN baseline=LEVEL replicate=COLUMN size=COLUMN events=COLUMN "
        "contains=WHOLE>PART,WHOLE>PART"
    )
    names = {field.name for field in fields(Columns)}
    said: dict[str, str] = {}
    try:
        words = shlex.split(line.removeprefix(HEADER))
    except ValueError as error:
        raise BadInput(f"a quote is not closed: {error}", f"the form is: {form}", line=place) from error
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or not value or name not in names or name in said:
            raise BadInput(f"{printable(word, 60)!r} is not understood here", f"the form is: {form}", line=place)
        said[name] = value
    several = {name: tuple(filter(None, said.pop(name).split(","))) for name in _SEVERAL if name in said}
    return Columns(**said, **several)  # type: ignore[arg-type]
