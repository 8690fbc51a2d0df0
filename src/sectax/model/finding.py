"""Estimates, effects, verdicts, warnings, and the findings that join them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from sectax.model.plan import Until
from sectax.model.treatment import MEASURED, Comparison, Treatment


class VerdictId(StrEnum):
    """Stable identifiers of verdicts; 'slower' reads 'costlier' for other quantities."""

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


# Groups of verdicts that several packages use.
SLOWER = frozenset({VerdictId.SLOWER_MATERIAL, VerdictId.SLOWER_WITHIN_MARGIN, VerdictId.SLOWER_MATERIALITY_OPEN})
FASTER = frozenset({VerdictId.FASTER_MATERIAL, VerdictId.FASTER_WITHIN_MARGIN, VerdictId.FASTER_MATERIALITY_OPEN})
# Claims of at most the margin: they depend on the run being able to detect so small an effect.
WITHIN_MARGIN = frozenset({VerdictId.EQUIVALENT, VerdictId.SLOWER_WITHIN_MARGIN, VerdictId.FASTER_WITHIN_MARGIN})
# No claim is made with these, whatever the interval.
NO_CLAIM = frozenset({VerdictId.WITHDRAWN, VerdictId.NOT_MEASURED})
# More blocks may still decide these.
UNSETTLED = frozenset({VerdictId.INCONCLUSIVE, VerdictId.SLOWER_MATERIALITY_OPEN, VerdictId.FASTER_MATERIALITY_OPEN})


# Prefix of the figures of a check that lacks data.
CANNOT_BE_CHECKED = "not checked: "


class Severity(StrEnum):
    # Most severe first: warnings are sorted in this order. (A docstring would appear in the published schemas.)
    FATAL = "F"
    WARNING = "W"
    NOTE = "note"


# Methods whose estimate is the highest or the lowest value observed.
OBSERVED_MAXIMUM = "observed-maximum"
OBSERVED_MINIMUM = "observed-minimum"

# Interval methods over blocks: of the mean, and of the mean of the logarithms.
MEAN = "student-t-over-blocks"
GEOMETRIC = "student-t-of-logs"


@dataclass(frozen=True)
class Support:
    """Observations and blocks behind a quantile, and how many an interval needs."""

    independent: float
    needed: int
    blocks: int = 1
    blocks_needed: int = 1


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty.

    `low` and `high` are None where no interval of this level exists; `support` is given for quantiles.
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
    """Treatment against baseline as a log ratio; positive is always costlier.

    Attributes:
        low, high: interval from all blocks so far.
        agreed: intersection of the intervals of all looks so far (empty where its first limit is above its second).
        margin_needed: smallest margin at which the data would give 'equivalent' or 'within the margin'.
        margin_in_reach: estimate of `margin_needed` when the budget is spent; None where it is spent.
        blocks_needed: how many more blocks a verdict may take (low, high).
        widened: bias seen by the family's negative control, by which both limits were moved outward.
        sure_low, sure_high: of a negative control only: its interval at a tenth of its error level.
        added: of a positive control only: the cost added on purpose, a log ratio.
    """

    log_ratio: float
    low: float
    high: float
    level: float
    blocks: int
    method: str
    spread: float  # standard deviation of the paired differences, after the floor
    floor: float  # the floor: the negative control's standard deviation
    blocks_lost: int = 0
    widened: float = 0.0
    agreed: tuple[float, float] = (-math.inf, math.inf)
    sure_low: float | None = None
    sure_high: float | None = None
    added: float | None = None
    margin_needed: float | None = None
    margin_in_reach: float | None = None
    blocks_needed: tuple[int, int] | None = None
    absolute: Estimate | None = None  # treatment minus baseline in the unit of a cost; positive is always costlier

    @property
    def drifted(self) -> bool:
        """Whether the mean of all blocks lies where an earlier look had excluded it."""
        return not self.agreed[0] <= self.log_ratio <= self.agreed[1]


def is_decided(finding: Finding) -> bool:
    """Whether a claim, and so advice, can be made of a comparison."""
    return finding.effect is not None and finding.verdict not in NO_CLAIM | {VerdictId.INCONCLUSIVE}


def is_answered(finding: Finding, until: Until) -> bool:
    """Whether a comparison meets the stopping condition of its run."""
    if finding.effect is None or finding.verdict in NO_CLAIM:
        return False
    if until is Until.DIRECTION:
        return finding.verdict is not VerdictId.INCONCLUSIVE
    return finding.verdict not in UNSETTLED


@dataclass(frozen=True)
class AuditWarning:
    """Result of one check: identifier, severity, figures, meaning and remedy.

    `subject` is a comparison, a treatment, a family or the whole run ('run'); in an audit of imported figures a table,
    two of them, or all figures. `figures` are the ids of the figures concerned.
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
        """What the check lacks; empty where it could be made."""
        is_note = self.severity is Severity.NOTE and self.saw.startswith(CANNOT_BE_CHECKED)
        return self.saw.removeprefix(CANNOT_BE_CHECKED) if is_note else ""


@dataclass(frozen=True)
class Finding:
    """One comparison judged; `withheld` is the verdict that a fatal warning withdrew."""

    comparison: Comparison
    verdict: VerdictId
    effect: Effect | None
    margin: float
    warnings: tuple[AuditWarning, ...] = ()
    withheld: VerdictId | None = None
    seconds_needed: tuple[float, float] | None = None


@dataclass(frozen=True)
class TreatmentResult:
    """One treatment by itself: an estimate per metric, and its witnesses."""

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
    """Treatments that differ in one factor: other levels -> level -> treatment.

    The run's controls, and treatments to which the factor does not apply, are left out.
    """
    groups: dict[tuple[tuple[str, str], ...], dict[str, Alike]] = {}
    for treatment in treatments:
        if treatment.role in MEASURED and factor in treatment.levels:
            fixed_levels = tuple((name, level) for name, level in treatment.levels.items() if name != factor)
            groups.setdefault(fixed_levels, {})[treatment.levels[factor]] = treatment
    return groups


@dataclass(frozen=True)
class OfOneHost:
    """A comparison in the blocks of one host, at the error level of a single interval."""

    host: str
    finding: Finding


@dataclass(frozen=True)
class AcrossHosts:
    """One comparison of a run on several hosts.

    Attributes:
        measured: its finding for the hosts measured, all of equal weight.
        hosts: results by host name.
        odd: the host that differs from all others; empty where there is none.
        left_out: hosts with too few blocks for the finding.
        spread: standard deviation of the effect between hosts as a share (0.06 is 6 %); None with one host.
        alike: the same comparison for the population of hosts; None where no claim is made for it.
        refused: reason why not, or empty.
        unseen: largest share of a fleet that a kind of host may have without one being measured.
    """

    measured: Finding
    hosts: tuple[OfOneHost, ...]
    odd: str
    left_out: tuple[str, ...]
    spread: Estimate | None
    alike: Finding | None
    refused: str = ""
    unseen: float = 0.0
