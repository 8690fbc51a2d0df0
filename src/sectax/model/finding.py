"""What may be said: estimates, effects, verdicts, warnings and the findings that join them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from sectax.model.plan import Until
from sectax.model.treatment import MEASURED, Comparison, Treatment


class VerdictId(StrEnum):
    """The stable identifiers of what may be claimed of an effect; 'slower' reads 'costlier' where no time is meant."""

    SLOWER_MATERIAL = "slower-material"
    SLOWER_WITHIN_MARGIN = "slower-within-margin"
    SLOWER_MATERIALITY_OPEN = "slower-materiality-open"
    FASTER_MATERIAL = "faster-material"
    FASTER_WITHIN_MARGIN = "faster-within-margin"
    FASTER_MATERIALITY_OPEN = "faster-materiality-open"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    WITHDRAWN = "withdrawn"  # a check marked F failed
    NOT_MEASURED = "not-measured"


# Groups of verdicts that more than one room asks for.
SLOWER = frozenset({VerdictId.SLOWER_MATERIAL, VerdictId.SLOWER_WITHIN_MARGIN, VerdictId.SLOWER_MATERIALITY_OPEN})
FASTER = frozenset({VerdictId.FASTER_MATERIAL, VerdictId.FASTER_WITHIN_MARGIN, VerdictId.FASTER_MATERIALITY_OPEN})
# 'No more than the margin': these lean on the run being able to see so little.
WITHIN_MARGIN = frozenset({VerdictId.EQUIVALENT, VerdictId.SLOWER_WITHIN_MARGIN, VerdictId.FASTER_WITHIN_MARGIN})
# Of these nothing is claimed, whatever the interval.
NO_CLAIM = frozenset({VerdictId.WITHDRAWN, VerdictId.NOT_MEASURED})
# More blocks may still settle these.
UNSETTLED = frozenset({VerdictId.INCONCLUSIVE, VerdictId.SLOWER_MATERIALITY_OPEN, VerdictId.FASTER_MATERIALITY_OPEN})


# What a check sees that lacks data begins so.
CANNOT_BE_CHECKED = "not checked: "


class Severity(StrEnum):
    # The gravest first: warnings are sorted so. (A docstring would stand in the published schemas.)
    FATAL = "F"
    WARNING = "W"
    NOTE = "note"


# The methods of estimates that are the highest or the lowest value of all that were seen.
OBSERVED_MAXIMUM = "observed-maximum"
OBSERVED_MINIMUM = "observed-minimum"

# How an interval over blocks was made, by the name of its method: of their mean, and of the mean of their logarithms.
MEAN = "student-t-over-blocks"
GEOMETRIC = "student-t-of-logs"


@dataclass(frozen=True)
class Support:
    """What a quantile rests on: so many independent observations and blocks, where an interval of it needs so many."""

    independent: float
    needed: int
    blocks: int = 1
    blocks_needed: int = 1


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty. `low` and `high` are None where no interval of this level exists.

    `support` is given for quantiles.
    """

    point: float
    low: float | None
    high: float | None
    level: float
    method: str
    count: int
    unit: str
    support: Support | None = None


@dataclass(frozen=True)
class Effect:
    """Treatment against baseline as a log ratio, positive always costlier (slower, larger).

    `low` and `high` are those of all blocks so far, and `agreed` is what the intervals of all looks so far have in
    common (nothing where its first limit is above its second); `margin_needed` is the smallest margin at which the data
    would say 'equivalent' or 'within the margin', `margin_in_reach` what that will be about when the budget is spent
    (None where it is), `blocks_needed` how many more blocks a verdict may take (low, high).
    `widened` is the bias that the family's negative control saw, by which both limits were moved outward; `sure_low`
    and `sure_high` are known of a negative control alone: its interval at a tenth of its error level. `added` is known
    of a positive control alone: the cost that was added on purpose, a log ratio.
    """

    log_ratio: float
    low: float
    high: float
    level: float
    blocks: int
    method: str
    spread: float  # standard deviation of the paired differences, after the floor
    floor: float  # the floor itself: the negative control's standard deviation
    blocks_lost: int = 0
    widened: float = 0.0
    agreed: tuple[float, float] = (-math.inf, math.inf)
    sure_low: float | None = None
    sure_high: float | None = None
    added: float | None = None
    margin_needed: float | None = None
    margin_in_reach: float | None = None
    blocks_needed: tuple[int, int] | None = None
    absolute: Estimate | None = None  # treatment minus baseline in the unit of a cost; positive always costlier

    @property
    def drifted(self) -> bool:
        """Whether the mean of all blocks lies where an earlier look had excluded it: the effect changed meanwhile."""
        return not self.agreed[0] <= self.log_ratio <= self.agreed[1]


def is_decided(finding: Finding) -> bool:
    """Whether anything may be claimed of a comparison, and so advised on."""
    return finding.effect is not None and finding.verdict not in NO_CLAIM | {VerdictId.INCONCLUSIVE}


def is_answered(finding: Finding, until: Until) -> bool:
    """Whether a comparison has an answer to what its run goes on for; the live line and the report count alike."""
    if finding.effect is None or finding.verdict in NO_CLAIM:
        return False
    if until is Until.DIRECTION:
        return finding.verdict is not VerdictId.INCONCLUSIVE
    return finding.verdict not in UNSETTLED


@dataclass(frozen=True)
class AuditWarning:
    """One check's answer: a stable identifier, how grave it is, the figures it saw, what it means, what to do.

    `subject` is what it is about: a comparison, a treatment, a family or the whole run ('run'); of other people's
    numbers a table, two of them, or all figures. `figures` are the ids of those figures that it is about one by one.
    """

    check: str
    severity: Severity
    subject: str
    saw: str
    meaning: str
    advice: str = ""
    figures: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """What its check lacks; empty where it could be made."""
        is_note = self.severity is Severity.NOTE and self.saw.startswith(CANNOT_BE_CHECKED)
        return self.saw.removeprefix(CANNOT_BE_CHECKED) if is_note else ""


@dataclass(frozen=True)
class Finding:
    """One comparison judged. `withheld` is the verdict that a fatal warning took away."""

    comparison: Comparison
    verdict: VerdictId
    effect: Effect | None
    margin: float
    warnings: tuple[AuditWarning, ...] = ()
    withheld: VerdictId | None = None
    seconds_needed: tuple[float, float] | None = None


@dataclass(frozen=True)
class TreatmentResult:
    """One treatment by itself: an estimate per metric, and what its subjects said they are."""

    treatment: str
    levels: dict[str, str]
    role: str
    state: str
    reason: str
    blocks: int
    estimates: dict[str, Estimate]
    witnesses: dict[str, str | int | float | bool] = field(default_factory=dict)
    empty_share: float | None = None


Alike = TypeVar("Alike", Treatment, TreatmentResult)


def alike(treatments: Iterable[Alike], factor: str) -> dict[tuple[tuple[str, str], ...], dict[str, Alike]]:
    """What differs in the level of one factor alone: the other levels -> that level -> which has it.

    The run's own controls, and what the factor does not concern, are not among it.
    """
    groups: dict[tuple[tuple[str, str], ...], dict[str, Alike]] = {}
    for treatment in treatments:
        if treatment.role in MEASURED and factor in treatment.levels:
            fixed_levels = tuple((name, level) for name, level in treatment.levels.items() if name != factor)
            groups.setdefault(fixed_levels, {})[treatment.levels[factor]] = treatment
    return groups


@dataclass(frozen=True)
class OfOneHost:
    """A comparison in the blocks of one host alone, at the error level of a single interval."""

    host: str
    finding: Finding


@dataclass(frozen=True)
class AcrossHosts:
    """One comparison of a run on several hosts.

    Attributes:
        measured: its finding, which is about the hosts measured: all of them count alike.
        hosts: by name.
        odd: the host that differs from all others; empty where there is none.
        left_out: hosts with too few blocks to be part of the finding.
        spread: by how much the effect differs between hosts, a standard deviation as a share (0.06 is 6 %); None with
            one host.
        alike: the same comparison on hosts like these; None where nothing is claimed of them.
        refused: why not, or empty.
        unseen: the largest share of a fleet that a kind of hosts may have of which none was measured.
    """

    measured: Finding
    hosts: tuple[OfOneHost, ...]
    odd: str
    left_out: tuple[str, ...]
    spread: Estimate | None
    alike: Finding | None
    refused: str = ""
    unseen: float = 0.0
