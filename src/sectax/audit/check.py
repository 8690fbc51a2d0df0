"""What a check is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.words import EVERYTHING
from sectax.model.finding import CANNOT_BE_CHECKED, AuditWarning, Severity


@dataclass(frozen=True)
class Remark:
    """What a check says of its evidence: a warning that does not name its check yet."""

    severity: Severity
    subject: str
    saw: str
    meaning: str
    advice: str = ""
    figures: tuple[str, ...] = ()


_NOT_CHECKED = "nobody knows whether the figures are right in this"


def fatal(subject: str, saw: str, meaning: str, advice: str = "") -> Remark:
    """No conclusion about the subject can stand."""
    return Remark(Severity.FATAL, subject, saw, meaning, advice)


def warning(subject: str, saw: str, meaning: str, advice: str = "") -> Remark:
    """Conclusions about the subject need care."""
    return Remark(Severity.WARNING, subject, saw, meaning, advice)


def cannot_be_checked(subject: str, missing: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """The answer of a check that lacks data: never passed in silence."""
    return Remark(Severity.NOTE, subject, f"{CANNOT_BE_CHECKED}{missing}", _NOT_CHECKED, advice, figures)


@dataclass(frozen=True)
class Outcome:
    """What one check did. One that applies and says nothing saw nothing wrong. `seen` are the figures it judged."""

    check: str
    rule: str
    applies: bool
    warnings: tuple[AuditWarning, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One reason for doubt.

    Attributes:
        id: stable; scripts and reports know the check by it.
        rule: what it holds against, in the words of the documentation.
        examine: what it says: nothing where all is well, 'cannot be checked' (a note) where the data are missing.
        sees: the figures of somebody else that it judges one by one; none where it judges treatments, comparisons or
            the whole source.
        applies: whether it has anything to say where it sees no figure. Where not, it is silent.
    """

    id: str
    rule: str
    examine: Callable[[Evidence], Iterable[Remark]]
    sees: Callable[[Evidence], Iterable[Figure]] = lambda _: ()
    applies: Callable[[Evidence], bool] = lambda _: False

    def review(self, evidence: Evidence) -> Outcome:
        """What it does with the evidence."""
        seen = tuple(dict.fromkeys(figure.id for figure in self.sees(evidence)))
        applies = bool(seen) or self.applies(evidence)
        told = [
            Remark(each.severity, EVERYTHING, each.saw, each.meaning, "see why, and measure again")
            for each in evidence.incidents
            if each.check == self.id
        ]
        warnings = tuple(
            AuditWarning(self.id, each.severity, each.subject, each.saw, each.meaning, each.advice, each.figures)
            for each in (*(self.examine(evidence) if applies else ()), *told)
        )
        return Outcome(self.id, self.rule, applies or bool(told), warnings, seen)
