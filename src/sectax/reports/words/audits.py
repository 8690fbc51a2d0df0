"""The audit's own verdict, in one sentence."""

from __future__ import annotations

from sectax.model.audited import Audited, Status, Tally
from sectax.model.finding import Severity


def audit_sentence(audited: Audited) -> str:
    """How many claims fall, how many are doubtful, and how many checks found nothing or could not be made."""
    fatal, warned = audited.tally().fatal, audited.tally().warned
    silent, unchecked = audited.count(Status.SILENT), audited.count(Status.UNCHECKED)
    if audited.own:
        first = f"{count(fatal, 'comparison')} {_verb(fatal, 'loses its', 'lose their')} verdict (F)"
        second = f"{warned} more {_verb(warned, 'carries', 'carry')} a warning (W)"
    else:
        first = f"{count(fatal, 'claim')} cannot stand (F)"
        second = f"{warned} more {_verb(warned, 'carries', 'carry')} no verdict by "
        second += f"{_verb(warned, 'itself', 'themselves')} (W)"
    third = f"{count(silent, 'check')} found nothing, {unchecked} could not be checked"
    return ", ".join(part for part in (first, second, _beside(audited.beside()), third) if part)


def count(number: int, noun: str) -> str:
    """'1 figure', '2 figures'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _beside(beside: Tally) -> str:
    """The warnings that no figure is counted for; empty where there are none."""
    both = ((beside.fatal, Severity.FATAL), (beside.warned, Severity.WARNING))
    several = [f"{count(number, 'warning')} marked {severity.value}" for number, severity in both if number]
    if not several:
        return ""
    are = _verb(beside.fatal + beside.warned, "is", "are")
    return f"{' and '.join(several)} {are} about comparisons or all figures"


def _verb(number: int, one: str, several: str) -> str:
    return one if number == 1 else several
