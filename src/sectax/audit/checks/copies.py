"""Cells with identical numbers: two measurements never agree throughout."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator

from sectax.audit.checks.groups import about, ids, things, unknown
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import named
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity

# The chance that any two series of a source tie throughout: for F, and for W.
CHANCE, DOUBTFUL = 1e-6, 1e-3
FEWEST_VALUES = 3
# The least chance of a tie, whatever the clock and the number of digits.
FINEST = 1e-6
# Of two summaries within this ratio, one is counted.
APART = 1.05


@check(
    "F: two cells have exactly the same numbers, beyond chance; W: the numbers have few digits, so it may be chance",
    sees=lambda evidence: evidence.speeds,
)
def copied_data(evidence: Evidence) -> Iterator[Remark]:
    groups = things(evidence.speeds)
    same: dict[Hashable, tuple[tuple[float, ...], list[list[Series]]]] = {}
    bare: list[Series] = []
    for group in groups:
        numbers = _numbers(group)
        if numbers is None:
            bare += group
        else:
            same.setdefault((group[0].metric, group[0].quantity, numbers), (numbers, []))[1].append(group)
    pairs = max(1, math.comb(len(groups), 2))
    for numbers, copies in same.values():
        chance = pairs * _chance(numbers, is_summary=not len(copies[0][0].values)) if len(copies) > 1 else 1.0
        if chance < DOUBTFUL:
            every = [series for group in copies for series in group]
            yield about(
                Severity.FATAL if chance < CHANCE else Severity.WARNING,
                every,
                f"the same {len(numbers)} numbers are in {len(copies)} cells: "
                f"{named(ids(group[0] for group in copies))}",
                "some of these cells were copied, not measured"
                if chance < CHANCE
                else "some of these cells may have been copied",
                "check which of them were measured, and measure the others",
            )
    yield from unknown(bare, "single values, or three summaries of each cell, are not reported")


def _numbers(group: list[Series]) -> tuple[float, ...] | None:
    """Return the single values of a thing, or at least three summaries."""
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return tuple(values)
    claims = tuple(claim.value for series in group for claim in series.claims)
    return claims if len(claims) >= FEWEST_VALUES and not len(values) else None


def _chance(numbers: tuple[float, ...], *, is_summary: bool) -> float:
    """Compute the chance that so many different numbers tie.

    A tie has the chance of one step of the last digit over the spread of the values.
    """
    different = {number for number in numbers if number}
    if is_summary:
        # Summaries that are close to each other do not tie independently.
        different = {
            number for number in different if not any(number < larger <= APART * number for larger in different)
        }
    if len(different) < FEWEST_VALUES:
        return 1.0
    ties = [max(FINEST, 10.0 ** -(_digits(number) - 1)) for number in different]
    return math.prod(min(1.0, 3 * tie) for tie in ties)


def _digits(number: float) -> int:
    return len(f"{number:.12e}".split("e")[0].replace(".", "").strip("-").rstrip("0"))
