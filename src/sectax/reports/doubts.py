"""What a report must say besides the figures: warnings, and what was skipped or failed, each told once."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.analysed import Analysed
from sectax.model.finding import Severity, Warning
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.printable import printable
from sectax.model.treatment import SkippedTreatment
from sectax.reports.words import names

_ORDER = {Severity.FATAL: 0, Severity.WARNING: 1, Severity.NOTE: 2}


@dataclass(frozen=True)
class Warned:
    """One check's answer for all subjects that it is about: (subject, what it saw)."""

    check: str
    severity: Severity
    seen: tuple[tuple[str, str], ...]
    meaning: str
    advice: str


@dataclass(frozen=True)
class Lack:
    """Treatments that are missing for one reason, and the command that mends it, empty where nothing is known to.

    `briefly` names them all in a few words: by what they share, or by their number and the first of them.
    """

    what: tuple[str, ...]
    briefly: str
    reason: str
    mend: str


def all_warnings(analysed: Analysed) -> tuple[Warning, ...]:
    """The warnings of the run, its findings and its controls, each once, the fatal ones first."""
    controls = [each for family in analysed.controls for each in (family.negative, family.positive) if each]
    of_findings = (warning for finding in (*analysed.findings, *controls) for warning in finding.warnings)
    once = dict.fromkeys((*analysed.warnings, *of_findings))
    return tuple(sorted(once, key=lambda warning: _ORDER[warning.severity]))


def gather_warnings(analysed: Analysed) -> tuple[Warned, ...]:
    """All warnings, those that say the same of several subjects gathered into one."""
    plan = analysed.measured.plan
    groups: dict[tuple[str, Severity, str, str], list[tuple[str, str]]] = {}
    for warning in all_warnings(analysed):
        about = "" if warning.subject == "run" else names.subject(plan, warning.subject)
        key = (warning.check, warning.severity, warning.meaning, warning.advice)
        groups.setdefault(key, []).append((about, printable(warning.saw)))
    return tuple(
        Warned(printable(check), severity, tuple(dict.fromkeys(seen)), printable(meaning), printable(advice))
        for (check, severity, meaning, advice), seen in groups.items()
    )


def all_skipped(measured: Measured) -> tuple[SkippedTreatment, ...]:
    """What cannot be had here: known before the run, or said by the subject in the pilot or later; each once."""
    levels = {each.id: each.levels for each in measured.plan.treatments}
    said = [
        SkippedTreatment(each.treatment, levels.get(each.treatment, {}), each.reason, each.hint)
        for each in measured.failures
        if each.state == "skipped"
    ]
    once: dict[tuple[str, str, str], SkippedTreatment] = {}
    for each in (*measured.plan.skipped, *said):
        once.setdefault((each.treatment, each.reason, each.mend), each)
    return tuple(once.values())


def skipped(analysed: Analysed) -> tuple[Lack, ...]:
    """What `all_skipped` knows, gathered by reason."""
    measured = analysed.measured
    found = [(each.treatment, each.reason, each.mend) for each in all_skipped(measured)]
    return _gathered(measured.plan, found)


def failed(analysed: Analysed) -> tuple[Lack, ...]:
    """What failed, with the blocks in which it did; block 0 is the pilot."""
    measured = analysed.measured
    blocks: dict[tuple[str, str, str], list[int]] = {}
    for each in measured.failures:
        if each.state == "failed":
            blocks.setdefault((each.treatment, each.reason, each.hint), []).append(each.block)
    found = [
        (treatment, f"{_where(sorted(set(numbers)))}: {reason}", hint)
        for (treatment, reason, hint), numbers in blocks.items()
    ]
    return _gathered(measured.plan, found)


def _where(blocks: list[int]) -> str:
    if blocks == [0]:
        return "in the pilot"
    named = ["the pilot" if block == 0 else str(block) for block in blocks]
    shown = ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")
    return f"in block{'' if len(blocks) == 1 else 's'} {shown}"


def _gathered(plan: Plan, found: list[tuple[str, str, str]]) -> tuple[Lack, ...]:
    groups: dict[tuple[str, str], list[str]] = {}
    for treatment, reason, mend in found:
        groups.setdefault((reason, mend), []).append(treatment)
    lacks = []
    for (reason, mend), ids in groups.items():
        once = tuple(dict.fromkeys(ids))
        what = tuple(names.subject(plan, each) for each in once)
        lacks.append(Lack(what, _briefly(plan, once, what[0]), printable(reason), printable(mend)))
    return tuple(lacks)


def _briefly(plan: Plan, ids: tuple[str, ...], first: str) -> str:
    known = {each.treatment: each.levels for each in plan.skipped} | {each.id: each.levels for each in plan.treatments}
    # What failed may be no treatment of the plan, such as the empty operation in the pilot: it has no levels.
    levels = [known.get(each, {}) for each in ids]
    varied = {factor.name for factor in plan.factors if len(factor.levels) > 1}
    shared = set(levels[0].items()).intersection(*(each.items() for each in levels[1:]))
    told = [f"{name} {level}" for name, level in levels[0].items() if name in varied and (name, level) in shared]
    if told:
        return printable(f"{len(ids)} treatments with {', '.join(told)}")
    return f"{len(ids)} {'treatments' if all(levels) else 'subjects'}, {first} the first"
