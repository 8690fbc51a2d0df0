"""Which columns of a table hold what, as far as the user says it."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Columns:
    """What the user says of a table. Empty is unsaid."""

    value: tuple[str, ...] = ()  # the columns of numbers; several are levels of the factor `column`
    unit: str = ""  # theirs
    # The columns whose texts are levels; rows that agree in all of them are values of one series.
    by: tuple[str, ...] = ()
    baseline: str = ""  # the level of the first factor without the control
    replicate: str = ""  # the column that names the process, host or instance of a row

    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def named(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(name for name in (*self.value, *self.by, self.replicate) if name)
