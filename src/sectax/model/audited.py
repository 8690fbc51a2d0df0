"""What the audit found, of whatever it looked at: everything a report of it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sectax.model.finding import Severity, Warning


class Status(StrEnum):
    """What became of one check."""

    FIRED = "fired"
    SILENT = "silent"  # it looked, and found nothing
    UNCHECKED = "cannot-be-checked"  # the source does not tell what it needs
    NOT_APPLICABLE = "does-not-apply"


@dataclass(frozen=True)
class Checked:
    """One check and what it says; `rule` is what it holds against."""

    check: str
    rule: str
    status: Status
    warnings: tuple[Warning, ...]


@dataclass(frozen=True)
class Audited:
    """One target under the audit.

    Attributes:
        target: as it was given.
        kind: stable: 'run', 'published' or an importer's name.
        title: of what kind it is, for people.
        own: whether sectax ran it: then F takes a verdict away, and not a claim.
        figures, values: how many printed numbers, and how many single values behind them.
        checks: every one, in the order of the registry.
    """

    target: str
    kind: str
    title: str
    own: bool
    figures: int
    values: int
    checks: tuple[Checked, ...]

    def claims(self) -> frozenset[str]:
        """What is fatally warned of: figures, or the subjects of warnings that name none."""
        return self._about(Severity.FATAL)

    def carrying_nothing(self) -> frozenset[str]:
        """What is warned of, and not fatally."""
        return self._about(Severity.WARNING) - self._about(Severity.FATAL)

    def _about(self, severity: Severity) -> frozenset[str]:
        return frozenset(one for each in self._warnings(severity) for one in each.figures or (each.subject,))

    def _warnings(self, severity: Severity) -> Iterator[Warning]:
        return (one for each in self.checks for one in each.warnings if one.severity is severity)

    def count(self, status: Status) -> int:
        """How many checks came out so."""
        return sum(each.status is status for each in self.checks)
