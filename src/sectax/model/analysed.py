"""The results of an analysed run, complete for reports."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.audited import Checked
from sectax.model.condition import Concluded
from sectax.model.finding import AcrossHosts, AuditWarning, Finding, TreatmentResult
from sectax.model.measured import Measured


@dataclass(frozen=True)
class FamilyControls:
    """Results of the controls of one family of cells.

    Attributes:
        noise_floor: half-width of the negative control's interval, as a share (0.004 is 0.4 %).
        smallest_seen: smallest cost that this run could detect, as a share.
        known_cost: actual added cost of the positive control, as a share.
    """

    family: str
    negative: Finding | None
    positive: Finding | None
    noise_floor: float | None
    smallest_seen: float | None
    known_cost: float | None = None


@dataclass(frozen=True)
class Analysed:
    """An analysed run; findings are in the order of the plan."""

    measured: Measured
    findings: tuple[Finding, ...]
    controls: tuple[FamilyControls, ...]
    treatments: tuple[TreatmentResult, ...]
    warnings: tuple[AuditWarning, ...]
    scope: str
    wrong_expected: float  # expected number of wrong claims among secondary comparisons
    hosts: tuple[AcrossHosts, ...] = ()  # comparisons by host if there are several
    checks: tuple[Checked, ...] = ()  # results of the audit if there was one


@dataclass(frozen=True)
class RunReport:
    """An analysed run and the path of its file.

    Attributes:
        trouble: why the run or its record stopped early, or empty.
        conditions: results of the given limits.
    """

    analysed: Analysed
    path: str
    trouble: str = ""
    conditions: tuple[Concluded, ...] = ()
