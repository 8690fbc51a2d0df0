"""What the audit found, of whatever it looked at: everything a report of it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.finding import AuditWarning, Severity


class Status(StrEnum):
    """What became of one check."""

    FIRED = "fired"
    SILENT = "silent"  # it looked, and found nothing that is marked F or W
    UNCHECKED = "cannot-be-checked"  # the source does not tell what it needs
    NOT_APPLICABLE = "does-not-apply"


@dataclass(frozen=True)
class Checked:
    """One check and what it says; `rule` is what it holds against."""

    check: str
    rule: str
    status: Status
    warnings: tuple[AuditWarning, ...]


@dataclass(frozen=True)
class Tally:
    """How many are fatally warned of, and how many others not fatally."""

    fatal: int
    warned: int


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
        comparisons: of a run of ours, those that lost their verdict, and the others that carry a warning.
        names: of a run of ours, what people call its treatments, comparisons and cells, by their ids.
    """

    target: str
    kind: str
    title: str
    own: bool
    figures: int
    values: int
    checks: tuple[Checked, ...]
    comparisons: Tally | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def tally(self) -> Tally:
        """How many figures are warned of; of a run of ours, how many comparisons."""
        return self.comparisons or self._figures()

    def beside(self) -> Tally:
        """How many warnings name no figure, but a comparison or the whole source. None of a run: its reach is known."""
        if self.comparisons is not None:
            return Tally(0, 0)
        unnamed = Counter(warning.severity for warning in self._warnings() if not warning.figures)
        return Tally(unnamed[Severity.FATAL], unnamed[Severity.WARNING])

    @property
    def is_fatal(self) -> bool:
        """Whether anything is marked F."""
        return any(warning.severity is Severity.FATAL for warning in self._warnings())

    @property
    def is_doubtful(self) -> bool:
        """Whether anything is marked F or W."""
        return any(warning.severity is not Severity.NOTE for warning in self._warnings())

    def _figures(self) -> Tally:
        named: dict[Severity, set[str]] = {severity: set() for severity in Severity}
        for warning in self._warnings():
            named[warning.severity].update(warning.figures)
        return Tally(len(named[Severity.FATAL]), len(named[Severity.WARNING] - named[Severity.FATAL]))

    def _warnings(self) -> Iterator[AuditWarning]:
        return (warning for check in self.checks for warning in check.warnings)

    def count(self, status: Status) -> int:
        """How many checks came out so."""
        return sum(check.status is status for check in self.checks)
