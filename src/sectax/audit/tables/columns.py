"""Which columns of a table hold what, as far as the user says it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sectax.audit.reading.units import KNOWN, Unit, unit_of
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable


@dataclass(frozen=True)
class Columns:
    """What the user says of a table. Empty is unsaid.

    Attributes:
        value: the columns of numbers; several are levels of the factor `column`.
        unit: theirs.
        by: the columns whose texts are levels; rows that agree in all of them are values of one series.
        baseline: the level of the first factor without the control.
        replicate: the column that names the process, host or instance of a row.
    """

    value: tuple[str, ...] = ()
    unit: str = ""
    by: tuple[str, ...] = ()
    baseline: str = ""
    replicate: str = ""

    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def named(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(name for name in (*self.value, *self.by, self.replicate) if name)

    def checked_unit(self) -> Unit | None:
        """What the unit stands for; None where none is said. Raises `BadInput` where it is unknown."""
        unit = unit_of(self.unit)
        if unit is None and self.unit:
            hint = did_you_mean(self.unit, KNOWN, f"known are {', '.join(KNOWN)}")
            raise BadInput(f"{printable(self.unit)!r} is not a unit", hint)
        return unit
