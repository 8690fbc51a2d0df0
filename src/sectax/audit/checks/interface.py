"""Checks and their remarks."""

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


# A warning that does not name its check yet.
Remark = AuditWarning


def remark(
    severity: Severity, subject: str, saw: str, meaning: str, advice: str = "", figures: tuple[str, ...] = ()
) -> Remark:
    """Make a remark: the finding, what follows from it, and what to do."""
    return Remark("", severity, subject, saw, meaning, advice, figures)


# Fatal: no conclusion about the subject can be drawn. Warning: conclusions need care.
fatal, warning = partial(remark, Severity.FATAL), partial(remark, Severity.WARNING)


def cannot_be_checked(subject: str, missing: str, advice: str = "", figures: tuple[str, ...] = ()) -> Remark:
    """Make a note for a check that lacks data."""
    return remark(Severity.NOTE, subject, f"{CANNOT_BE_CHECKED}{missing}", "this was not checked", advice, figures)


@dataclass(frozen=True)
class CheckOutcome:
    """The result of one check; `seen` are the figures that it judged."""

    check: str
    rule: str
    applies: bool
    warnings: tuple[AuditWarning, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check(Generic[E]):
    """One reason for doubt, made by the decorator `check`."""

    id: str  # stable; scripts and reports know the check by it
    rule: str  # what fails the check; printed in the documentation
    # Remarks: none where all is well, 'cannot be checked' (a note) where data are missing.
    examine: Callable[[E], Iterable[Remark]]
    sees: Callable[[E], Iterable[Series]]  # series judged one by one; none where it judges sides or the whole source
    applies: Callable[[E], bool]  # whether it applies where `sees` is empty
    runs: bool  # whether a sectax run is checked in the same way

    def review(self, evidence: E) -> CheckOutcome:
        """Run the check on the evidence."""
        seen = tuple(self.sees(evidence))
        ids = tuple(dict.fromkeys(claim.id for series in seen for claim in series.figures))
        looked = bool(seen) or self.applies(evidence)
        warnings = tuple(replace(warning, check=self.id) for warning in (self.examine(evidence) if looked else ()))
        return CheckOutcome(self.id, self.rule, looked, warnings, ids)


def check(
    rule: str,
    sees: Callable[[Any], Iterable[Series]] = lambda _: (),
    applies: Callable[[Any], bool] = lambda _: False,
    *,
    runs: bool = False,
) -> Callable[[Callable[[E], Iterable[Remark]]], Check[E]]:
    """Decorate a function as a check; its id comes from the function name."""
    return lambda examine: Check(examine.__name__.replace("_", "-"), rule, examine, sees, applies, runs)


def load_checks(package: ModuleType, order: str, *others: Check[Any]) -> tuple[Check[Any], ...]:
    """Load the checks of all modules of a package, and others that it does not replace, in the given order."""
    modules = (import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__))
    own = (check for module in modules for check in vars(module).values() if isinstance(check, Check))
    every, ids = {check.id: check for check in (*others, *own)}, order.split()
    return tuple(sorted(every.values(), key=lambda check: ids.index(check.id)))
