"""Which columns of a plain CSV hold what: as said on the command line, or in the file's first comment lines.

# sectax: value=elapsed unit=ms by=algorithm,size baseline=none replicate=host size=size contains=hmac>hash
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace

from sectax.audit.figure import Quantity
from sectax.audit.importers.units import UNITS, unit_of
from sectax.formats.bad_input import BadInput
from sectax.model.near import did_you_mean
from sectax.model.printable import printable

HEADER = "# sectax:"


@dataclass(frozen=True)
class Columns:
    """What the user says of a CSV. Empty is not said.

    Attributes:
        value: the column of the numbers.
        unit: theirs, of `UNITS`.
        by: the columns whose texts are levels; figures are made of the rows that agree in all of them.
        baseline: the level of the first of them without the control.
        replicate: the column that names the process, host or instance a row came from.
        size: the column that tells how many bytes an operation works on, as a number or as 16KiB.
        events: the column that tells how many events a row's value, then the total time of a trial, is of.
        contains: pairs 'WHOLE>PART' of levels: what the first does holds all that the second does.
    """

    value: str = ""
    unit: str = ""
    by: tuple[str, ...] = ()
    baseline: str = ""
    replicate: str = ""
    size: str = ""
    events: str = ""
    contains: tuple[str, ...] = ()

    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name))

    def asked(self) -> tuple[str, ...]:
        """The columns that are named."""
        named = (self.value, *self.by, self.replicate, self.size, self.events)
        return tuple(name for name in named if name)

    def over(self, other: Columns) -> Columns:
        """This, and what only *other* says."""
        return replace(other, **{name: getattr(self, name) for name in self.given()})

    def checked_unit(self) -> tuple[Quantity, float]:
        """What the unit stands for. Raises `BadInput` where it is missing or unknown."""
        known = f"known are {', '.join(UNITS)}"
        if not self.unit:
            raise BadInput(f"nothing says in which unit {printable(self.value)!r} is", f"--unit UNIT; {known}")
        unit = unit_of(self.unit)
        if unit is None:
            raise BadInput(f"{printable(self.unit)!r} is not a unit", did_you_mean(self.unit, UNITS, known))
        return unit


def in_comment(line: str, place: int) -> Columns:
    """What a comment line says; nothing where it is any other comment.

    Raises:
        BadInput: words that are not NAME=VALUE of a known name.
    """
    if not line.startswith(HEADER):
        return Columns()
    form = (
        f"{HEADER} value=COLUMN unit=UNIT by=COLUMN,COLUMN baseline=LEVEL replicate=COLUMN size=COLUMN events=COLUMN "
        "contains=WHOLE>PART,WHOLE>PART"
    )
    names = {each.name for each in fields(Columns)}
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
    by, contains = (tuple(part for part in said.pop(name, "").split(",") if part) for name in ("by", "contains"))
    return Columns(**said, by=by, contains=contains)
