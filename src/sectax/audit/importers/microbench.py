"""What the importers of in-process benchmarks share: one measurement for each name, and what its tool says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Contrast, Figure, Quantity
from sectax.audit.importers.parts import evidence
from sectax.formats.numbers import SECONDS
from sectax.model.finding import Severity
from sectax.model.printable import printable

# An error of its own that is over half of a figure: a deviation, or one of few values.
WIDE = 0.5
# From this share of a figure on, half of the interval in which a tool says that it lies shows nothing of a cost.
WIDE_ERROR = 0.25
# Digits that two rows share by chance in hardly any file, and in none.
FEW_DIGITS, MANY_DIGITS = 7, 11


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


def wide_errors(told: Iterable[tuple[str, float, float]], tool: str) -> Iterator[Incident]:
    """One word on all figures (name, value, its own error) whose error the tool itself prints as so wide."""
    every = [(error / value, name) for name, value, error in told if value > 0]
    wide = [each for each in every if each[0] >= WIDE_ERROR]
    if wide:
        share, name = max(wide)
        others = f", the widest of {len(wide)} among {len(every)}" if len(wide) > 1 else ""
        yield Incident(
            Severity.WARNING,
            f"{printable(name, 60)} is printed with an error of ± {100 * share:.0f} %{others}",
            f"by {tool}'s own word no difference below that can be seen: its values are far apart",
            "modes",
        )


def copied_rows(rows: Iterable[tuple[str, str, Sequence[float]]]) -> Iterator[Incident]:
    """Rows (name, what they are measured in, numbers) that share all their numbers under names of their own."""
    found: dict[tuple[str, tuple[float, ...]], str] = {}
    for name, kind, numbers in rows:
        other = found.setdefault((kind, tuple(numbers)), name)
        digits = sum(len(f"{number:.9e}".split("e")[0].replace(".", "").rstrip("0")) for number in set(numbers))
        # A group of one is printed under the names of both.
        if digits >= FEW_DIGITS and not name.startswith(other) and not other.startswith(name):
            yield Incident(
                Severity.FATAL if digits >= MANY_DIGITS else Severity.WARNING,
                f"{printable(other, 60)} and {printable(name, 60)} have the same numbers, in all {digits} digits",
                "no second measurement gives them: one row was copied over the other",
                "copied-data",
            )
            return
