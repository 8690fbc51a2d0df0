"""Options for reading a table: the roles of columns, and the baseline."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from sectax.audit.form import Contrast, Evidence
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable


@dataclass(frozen=True)
class Columns:
    """Options of the user for a table; empty where not given."""

    value: tuple[str, ...] = ()  # columns of numbers; several are levels of the factor `column`
    unit: str = ""  # of these columns
    # Columns of levels; rows with equal levels are values of one series.
    by: tuple[str, ...] = ()
    baseline: str = ""  # the level of the first factor without the control

    def given(self) -> tuple[str, ...]:
        """The names of the options given."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def named(self) -> tuple[str, ...]:
        """The names of the columns given."""
        return (*filter(None, (*self.value, *self.by)),)


def with_baseline(evidence: Evidence, baseline: str) -> Evidence:
    """Set the baseline: *baseline* is `LEVEL` or `FACTOR=LEVEL`.

    Raises:
        BadInput: no factor has that level, or several have.
    """
    levels = [*dict.fromkeys(level for series in evidence.series for level in series.levels.items())]
    # A level may contain an equals sign, so both readings are tried.
    matches = [(factor, level) for factor, level in levels if baseline in (level, f"{factor}={level}")]
    if len(matches) == 1:
        return replace(evidence, contrast=Contrast(*matches[0]))
    shown = ", ".join(printable(f"{factor}={level}", 60) for factor, level in levels[:12])
    hint = f"the levels are {shown}" if levels else "the figures have no levels"
    raise BadInput(f"{printable(baseline, 60)!r} is a level of {'more than one' if matches else 'no'} factor", hint)
