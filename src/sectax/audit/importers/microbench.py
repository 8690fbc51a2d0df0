"""What the importers of in-process benchmarks share: one measurement for each name, and what its tool says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Contrast, Figure, Quantity
from sectax.audit.importers.parts import evidence
from sectax.formats.numbers import SECONDS
from sectax.model.finding import Severity
from sectax.model.printable import printable

# A tool's own error beyond this share of its figure: nothing that a control costs can be seen.
WIDE = 0.5


def per_operation(unit: str) -> tuple[Quantity, float]:
    """What a unit such as `ns/op`, `ops/ms` or `B/op` is of, and how many of the base unit it has."""
    over, _, under = unit.partition("/")
    if under in ("op", "iter") and over in SECONDS:
        return Quantity.TIME, SECONDS[over]
    if over in ("ops", "op") and under in SECONDS:
        return Quantity.RATE, 1 / SECONDS[under]
    if over in ("ops", "op") and under == "min":
        return Quantity.RATE, 1 / 60
    return Quantity.OTHER, 1.0


def of_names(
    figures: Sequence[Figure], tool: str, incidents: Iterable[Incident] = (), twice: Iterable[Twice] = ()
) -> Evidence:
    """Figures of which names alone tell what was measured, but not which of them is the baseline."""
    factors = [factor for factor in (figures[0].levels if figures else {}) if _varies(figures, factor)]
    contrast = Contrast(factors[0], None, told=False, entails=("size_bytes",), guessed=True) if factors else None
    return evidence(figures, tool, contrast, incidents, twice)


def _varies(figures: Sequence[Figure], factor: str) -> bool:
    return len({figure.levels.get(factor) for figure in figures}) > 1


def too_wide(
    name: str, value: float, error: float, tool: str, wide: float = WIDE, check: str = "said-by-the-tool"
) -> Iterable[Incident]:
    """A word on an error that the tool itself prints beside its figure."""
    if value > 0 and error > wide * value:
        yield Incident(
            Severity.WARNING,
            f"{printable(name, 60)} is printed with an error of ± {100 * error / value:.0f} %",
            f"by {tool}'s own word no difference below that can be seen",
            check,
        )
