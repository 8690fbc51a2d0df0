"""The results of an audit, complete for reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.finding import AuditWarning, Severity


class Status(StrEnum):
    """The outcome of one check."""

    FIRED = "fired"
    SILENT = "silent"  # found nothing marked F or W
    UNCHECKED = "cannot-be-checked"  # the source lacks the data
    NOT_APPLICABLE = "does-not-apply"


@dataclass(frozen=True)
class Checked:
    """The result of one check; `rule` is the rule that it verifies."""

    check: str
    rule: str
    status: Status
    warnings: tuple[AuditWarning, ...]


@dataclass(frozen=True)
class Tally:
    """Numbers of items with a fatal warning, and with other warnings only."""

    fatal: int
    warned: int


@dataclass(frozen=True)
class Audited:
    """The audit of one target.

    Attributes:
        target: as given by the user.
        kind: stable id: 'run', 'published' or an importer's name.
        title: kind in words.
        own: whether it is a sectax run, where F withdraws verdicts instead of claims.
        figures, values: numbers of printed figures and of single values.
        checks: all checks in the order of the registry.
        comparisons: of a sectax run: withdrawn comparisons, and others with a warning.
        names: of a sectax run: titles of treatments, comparisons and cells by id.
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
        """Numbers of figures (of comparisons for a sectax run) with warnings."""
        return self.comparisons or self._figures()

    def beside(self) -> Tally:
        """Numbers of warnings about no single figure; zero for a sectax run."""
        if self.comparisons is not None:
            return Tally(0, 0)
        unnamed = Counter(warning.severity for warning in self._warnings() if not warning.figures)
        return Tally(unnamed[Severity.FATAL], unnamed[Severity.WARNING])

    @property
    def is_fatal(self) -> bool:
        return any(warning.severity is Severity.FATAL for warning in self._warnings())

    @property
    def is_doubtful(self) -> bool:
        return any(warning.severity is not Severity.NOTE for warning in self._warnings())

    def _figures(self) -> Tally:
        named: dict[Severity, set[str]] = {severity: set() for severity in Severity}
        for warning in self._warnings():
            named[warning.severity].update(warning.figures)
        return Tally(len(named[Severity.FATAL]), len(named[Severity.WARNING] - named[Severity.FATAL]))

    def _warnings(self) -> Iterator[AuditWarning]:
        return (warning for check in self.checks for warning in check.warnings)

    def count(self, status: Status) -> int:
        return sum(check.status is status for check in self.checks)
