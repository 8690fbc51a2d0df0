"""What a check is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sectax.model.finding import CANNOT_BE_CHECKED, AuditWarning, Severity

E = TypeVar("E")


@dataclass(frozen=True)
class Remark:
    """What a check says: a warning that does not name its check yet.

    Attributes:
        subject: the tables that it is about, or all figures.
        saw: what was seen, with numbers.
        meaning: what follows from that for somebody who wants to quote the figures.
        advice: what to do.
        figures: ids of the figures that it is about, one by one.
    """

    severity: Severity
    subject: str
    saw: str
    meaning: str
    advice: str = ""
    figures: tuple[str, ...] = ()


def fatal(subject: str, saw: str, meaning: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """No conclusion about the subject can be drawn."""
    return Remark(Severity.FATAL, subject, saw, meaning, advice, figures)


def warning(subject: str, saw: str, meaning: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """Conclusions about the subject need care."""
    return Remark(Severity.WARNING, subject, saw, meaning, advice, figures)


def cannot_be_checked(subject: str, missing: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """The answer of a check that lacks data: never passed in silence."""
    return Remark(Severity.NOTE, subject, f"{CANNOT_BE_CHECKED}{missing}", "this was not checked", advice, figures)


@dataclass(frozen=True)
class Outcome:
    """What one check did. One that applies and says nothing saw nothing wrong. `seen` are the figures it judged."""

    check: str
    rule: str
    applies: bool
    warnings: tuple[AuditWarning, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check(Generic[E]):
    """One reason for doubt.

    Attributes:
        id: stable; scripts and reports know the check by it.
        rule: what it holds against; printed in the documentation.
        examine: what it says: nothing where all is well, 'cannot be checked' (a note) where data are missing.
        sees: ids of the figures that it judges one by one; none where it judges sides or the whole source.
        applies: whether it has anything to say where it sees no figure. Where not, it is silent.
    """

    id: str
    rule: str
    examine: Callable[[E], Iterable[Remark]]
    sees: Callable[[E], Iterable[str]] = lambda _: ()
    applies: Callable[[E], bool] = lambda _: False

    def review(self, evidence: E) -> Outcome:
        """What it does with the evidence."""
        seen = tuple(dict.fromkeys(self.sees(evidence)))
        looked = bool(seen) or self.applies(evidence)
        warnings = tuple(
            AuditWarning(self.id, one.severity, one.subject, one.saw, one.meaning, one.advice, one.figures)
            for one in (self.examine(evidence) if looked else ())
        )
        return Outcome(self.id, self.rule, looked, warnings, seen)
