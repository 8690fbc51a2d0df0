"""Warnings, skipped and failed treatments of a report, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sectax.model.analysed import Analysed
from sectax.model.finding import AuditWarning, Severity
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import SkippedTreatment
from sectax.model.why_not import WhyNot
from sectax.reports.document import MissingItems, WarningBlock
from sectax.reports.words import names
from sectax.text.printable import printable


def all_warnings(analysed: Analysed) -> tuple[AuditWarning, ...]:
    """All warnings of a run, its findings and controls, each once, fatal ones first."""
    controls = [control for family in analysed.controls for control in (family.negative, family.positive) if control]
    finding_warnings = (warning for finding in (*analysed.findings, *controls) for warning in finding.warnings)
    unique = dict.fromkeys((*analysed.warnings, *finding_warnings))
    return tuple(sorted(unique, key=lambda warning: [*Severity].index(warning.severity)))


def gather_warnings(analysed: Analysed, show_all: bool) -> tuple[WarningBlock, ...]:
    """All warnings; those with one meaning and several subjects are merged."""
    plan = analysed.measured.plan
    label, gathered = names.plan_labeller(plan), []
    for warning, group in group_warnings(all_warnings(analysed)):
        observations = dict.fromkeys(
            ("" if item.subject == "run" else f"{names.subject(plan, item.subject)}: ") + label(item.saw)
            for item in group
        )
        shown = [*observations] if show_all else [*observations][: names.MOST_SUBJECTS]
        if len(shown) < len(observations):
            shown.append(f"and {len(observations) - len(shown)} more")
        fatal = warning.severity is Severity.FATAL
        gathered.append(warning_block(warning, shown, "withdraws the verdict" if fatal else ""))
    return tuple(gathered)


def group_warnings(warnings: Iterable[AuditWarning]) -> Iterator[tuple[AuditWarning, list[AuditWarning]]]:
    """Groups of warnings that differ only in subject and observation."""
    groups: dict[tuple[str, Severity, str, str], list[AuditWarning]] = {}
    for warning in warnings:
        groups.setdefault((warning.check, warning.severity, warning.meaning, warning.advice), []).append(warning)
    return ((group[0], group) for group in groups.values())


def warning_block(warning: AuditWarning, observations: Iterable[str], consequence: str = "") -> WarningBlock:
    """A warning as a block of a document."""
    check, meaning, hint = (printable(text) for text in (warning.check, warning.meaning, warning.advice))
    return WarningBlock(check, warning.severity, consequence, tuple(observations), meaning, hint)


def all_skipped(measured: Measured) -> tuple[SkippedTreatment, ...]:
    """Treatments skipped by the plan, or later by their subject; each once."""
    levels = {treatment.id: treatment.levels for treatment in measured.plan.treatments}
    skipped_later = [
        SkippedTreatment(failure.treatment, levels.get(failure.treatment, {}), failure.reason, failure.hint)
        for failure in measured.failures
        if failure.state == "skipped"
    ]
    unique: dict[tuple[str, WhyNot], SkippedTreatment] = {}
    for skip in (*measured.plan.skipped, *skipped_later):
        unique.setdefault((skip.treatment, skip.why_not), skip)
    return tuple(unique.values())


def skipped(analysed: Analysed, show_all: bool) -> tuple[MissingItems, ...]:
    """`all_skipped`, grouped by reason."""
    reasons = [(skip.treatment, skip.why_not) for skip in all_skipped(analysed.measured)]
    return _grouped_reasons(analysed.measured.plan, reasons, show_all)


def failed(analysed: Analysed, show_all: bool) -> tuple[MissingItems, ...]:
    """Failed treatments with their blocks; block 0 is the pilot."""
    measured = analysed.measured
    blocks: dict[tuple[str, str, str], list[int]] = {}
    for failure in measured.failures:
        if failure.state == "failed":
            blocks.setdefault((failure.treatment, failure.reason, failure.hint), []).append(failure.block)
    reasons = [
        (treatment, WhyNot(f"{_blocks_in_words(sorted(set(numbers)))}: {reason}", hint))
        for (treatment, reason, hint), numbers in blocks.items()
    ]
    return _grouped_reasons(measured.plan, reasons, show_all)


def _blocks_in_words(blocks: list[int]) -> str:
    if blocks == [0]:
        return "in the pilot"
    named = ["the pilot" if block == 0 else str(block) for block in blocks]
    shown = ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")
    return f"in block{'' if len(blocks) == 1 else 's'} {shown}"


def _grouped_reasons(plan: Plan, reasons: list[tuple[str, WhyNot]], show_all: bool) -> tuple[MissingItems, ...]:
    groups: dict[WhyNot, dict[str, None]] = {}
    for treatment, why in reasons:
        groups.setdefault(why, {})[treatment] = None
    return tuple(
        MissingItems(
            tuple(names.group_labels(plan, tuple(ids), show_all=show_all)),
            WhyNot(printable(why.reason), printable(why.hint)),
        )
        for why, ids in groups.items()
    )
