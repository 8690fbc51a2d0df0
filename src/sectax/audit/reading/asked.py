"""What the user adds to what a file says: which columns of a table hold what, and which level is the baseline."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from sectax.audit.form import Contrast, Evidence
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable


@dataclass(frozen=True)
class Columns:
    """What the user says of a table. Empty is unsaid."""

    value: tuple[str, ...] = ()  # the columns of numbers; several are levels of the factor `column`
    unit: str = ""  # theirs
    # The columns whose texts are levels; rows that agree in all of them are values of one series.
    by: tuple[str, ...] = ()
    baseline: str = ""  # the level of the first factor without the control

    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def named(self) -> tuple[str, ...]:
        """The columns that are named."""
        return (*filter(None, (*self.value, *self.by)),)


def with_baseline(evidence: Evidence, baseline: str) -> Evidence:
    """Evidence in which the level *baseline* (`LEVEL` or `FACTOR=LEVEL`) is the baseline of its factor.

    Raises:
        BadInput: no factor has that level, or several have.
    """
    levels = [*dict.fromkeys(level for series in evidence.series for level in series.levels.items())]
    # A level may hold an equals sign itself, so both readings are looked for.
    matches = [(factor, level) for factor, level in levels if baseline in (level, f"{factor}={level}")]
    if len(matches) == 1:
        return replace(evidence, contrast=Contrast(*matches[0]))
    shown = ", ".join(printable(f"{factor}={level}", 60) for factor, level in levels[:12])
    hint = f"the levels are {shown}" if levels else "the figures have no levels"
    raise BadInput(f"{printable(baseline, 60)!r} is a level of {'more than one' if matches else 'no'} factor", hint)
