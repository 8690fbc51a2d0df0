"""Two measurements never give the same numbers throughout."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator

from sectax.audit.checks.groups import about, ids, things, unknown
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import named
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity

# The chance that any two series of a source tie throughout by themselves; and of what is worth a question.
CHANCE, DOUBTFUL = 1e-6, 1e-3
FEWEST_VALUES = 3
# Two values of any clock and any number of digits tie more often.
FINEST = 1e-6
# Of two summaries that are nearer, one does not count.
APART = 1.05


@check(
    "F: two cells hold exactly the same numbers, beyond chance; W: numbers with so few digits that it may be chance",
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
                "equal cells were not all measured" if chance < CHANCE else "perhaps equal cells were not all measured",
                "find out which of them were measured, and measure the others",
            )
    yield from unknown(bare, "single values, or three summaries of each cell, are not reported")


def _numbers(group: list[Series]) -> tuple[float, ...] | None:
    """The single values of a thing, or else its summaries where there are at least three."""
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return tuple(values)
    claims = tuple(claim.value for series in group for claim in series.claims)
    return claims if len(claims) >= FEWEST_VALUES and not len(values) else None


def _chance(numbers: tuple[float, ...], *, is_summary: bool) -> float:
    """The chance that as many different numbers, with these digits, tie.

    Two values near each other tie by one step of their last digit over how far they vary; that is at least a
    hundredth where nothing else is known, and at most what so many digits leave.
    """
    different = {number for number in numbers if number}
    if is_summary:
        # Quantiles and means that are near each other tie together.
        different = {
            number for number in different if not any(number < larger <= APART * number for larger in different)
        }
    if len(different) < FEWEST_VALUES:
        return 1.0
    ties = [max(FINEST, 10.0 ** -(_digits(number) - 1)) for number in different]
    return math.prod(min(1.0, 3 * tie) for tie in ties)


def _digits(number: float) -> int:
    return len(f"{number:.12e}".split("e")[0].replace(".", "").strip("-").rstrip("0"))
