"""What a check is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.model.finding import Severity, Warning


@dataclass(frozen=True)
class Check:
    """One reason for doubt.

    Attributes:
        id: stable; scripts and reports know the check by it.
        rule: what it holds against, in the words of the documentation.
        applies: whether it has anything to say about this kind of evidence. Where not, it is silent.
        examine: what it says: nothing where all is well, 'cannot be checked' (a note) where the data are missing.
        sees: the figures that it judges one by one; none where it judges treatments, comparisons or the whole source.
    """

    id: str
    rule: str
    applies: Callable[[Evidence], bool]
    examine: Callable[[Evidence], Iterable[Warning]]
    sees: Callable[[Evidence], Iterable[Figure]] = lambda _: ()


@dataclass(frozen=True)
class Outcome:
    """What one check did. One that applies and says nothing saw nothing wrong. `seen` are the figures it judged."""

    check: str
    rule: str
    applies: bool
    warnings: tuple[Warning, ...]
    seen: tuple[str, ...] = ()


def cannot_be_checked(
    check: str, subject: str, missing: str, advice: str = "", figures: tuple[str, ...] = ()
) -> Warning:
    """The answer of a check that lacks data: never passed in silence."""
    return Warning(
        check, Severity.NOTE, subject, f"cannot be checked: {missing}", "nothing is known either way", advice, figures
    )
