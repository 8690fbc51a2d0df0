"""A run judged: everything a report needs, and nothing that it would have to compute."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.audited import Checked
from sectax.model.condition import Concluded
from sectax.model.finding import AcrossHosts, AuditWarning, Finding, TreatmentResult
from sectax.model.measured import Measured


@dataclass(frozen=True)
class FamilyControls:
    """How the run's controls of itself came out for one family of cells.

    `noise_floor` is the half-width of the negative control's interval, as a share (0.004 is 0.4 %); `smallest_seen`
    the smallest cost that this run could see; `known_cost` what the positive control really cost more, as a share.
    """

    family: str
    negative: Finding | None
    positive: Finding | None
    noise_floor: float | None
    smallest_seen: float | None
    known_cost: float | None = None


@dataclass(frozen=True)
class Analysed:
    """The findings of one run in the order of its plan."""

    measured: Measured
    findings: tuple[Finding, ...]
    controls: tuple[FamilyControls, ...]
    treatments: tuple[TreatmentResult, ...]
    warnings: tuple[AuditWarning, ...]
    scope: str
    wrong_expected: float  # how many wrong claims to expect among the secondary comparisons
    hosts: tuple[AcrossHosts, ...] = ()  # every comparison host by host, where there are several
    checks: tuple[Checked, ...] = ()  # every check of the audit and what became of it, where it was made


@dataclass(frozen=True)
class RunReport:
    """A judged run and the path of its file.

    Attributes:
        trouble: why the run or its record could not go on, or empty.
        conditions: the limits that it was held against.
    """

    analysed: Analysed
    path: str
    trouble: str = ""
    conditions: tuple[Concluded, ...] = ()
