"""What a check is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Generic, TypeVar

from sectax.audit.form import Series
from sectax.model.finding import CANNOT_BE_CHECKED, AuditWarning, Severity

E = TypeVar("E")


# What a check says: a warning that does not name its check yet.
Remark = AuditWarning


def remark(
    severity: Severity, subject: str, saw: str, meaning: str, advice: str = "", figures: tuple[str, ...] = ()
) -> Remark:
    """Say of the subject (tables, or all figures) what was seen, what follows for who quotes it, and what to do."""
    return Remark("", severity, subject, saw, meaning, advice, figures)


# No conclusion about the subject can be drawn; and: conclusions about it need care.
fatal, warning = partial(remark, Severity.FATAL), partial(remark, Severity.WARNING)


def cannot_be_checked(subject: str, missing: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """The answer of a check that lacks data: never passed in silence."""
    return remark(Severity.NOTE, subject, f"{CANNOT_BE_CHECKED}{missing}", "this was not checked", advice, figures)


@dataclass(frozen=True)
class CheckOutcome:
    """What one check did. One that applies and says nothing saw nothing wrong. `seen` are the figures it judged."""

    check: str
    rule: str
    applies: bool
    warnings: tuple[AuditWarning, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check(Generic[E]):
    """One reason for doubt; `check` makes it of the function that examines."""

    id: str  # stable; scripts and reports know the check by it
    rule: str  # what it holds against; printed in the documentation
    # What it says: nothing where all is well, 'cannot be checked' (a note) where data are missing.
    examine: Callable[[E], Iterable[Remark]]
    sees: Callable[[E], Iterable[Series]]  # what it judges one by one; none where it judges sides or the whole source
    applies: Callable[[E], bool]  # whether it has anything to say where it sees no figure; where not, it is silent

    def review(self, evidence: E) -> CheckOutcome:
        """What it does with the evidence."""
        ids = tuple(dict.fromkeys(claim.id for series in self.sees(evidence) for claim in series.figures))
        looked = bool(ids) or self.applies(evidence)
        warnings = tuple(replace(warning, check=self.id) for warning in (self.examine(evidence) if looked else ()))
        return CheckOutcome(self.id, self.rule, looked, warnings, ids)


def check(
    rule: str,
    sees: Callable[[Any], Iterable[Series]] = lambda _: (),
    applies: Callable[[Any], bool] = lambda _: False,
) -> Callable[[Callable[[E], Iterable[Remark]]], Check[E]]:
    """Make a check of the function that examines the evidence, with the id that the function's name gives."""
    return lambda examine: Check(examine.__name__.replace("_", "-"), rule, examine, sees, applies)


def load_checks(package: ModuleType, order: str) -> tuple[Check[Any], ...]:
    """The checks of all files of a package, in the order of their ids."""
    modules = (import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__))
    every = {check.id: check for module in modules for check in vars(module).values() if isinstance(check, Check)}
    if every.keys() != set(order.split()):
        raise LookupError(f"checks without a place: {every.keys() ^ set(order.split())}")
    return tuple(every[id] for id in order.split())
