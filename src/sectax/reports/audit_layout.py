"""The report of an audit; with too few checks its verdict is no pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sectax.model.audited import Audited, Checked, Status
from sectax.model.finding import AuditWarning, Severity
from sectax.reports.diagnostics import group_warnings, warning_block
from sectax.reports.document import Block, Document, Section, SectionKind, Text, WarningBlock, grid, sections
from sectax.reports.words.names import MOST_SUBJECTS, labeller
from sectax.text import units
from sectax.text.printable import printable

# Subjects that need no name before an observation.
_WHOLE = ("run", "all figures")

Labeller = Callable[[str], str]
# Longer observations are left out of the lead.
_SHORT = 200
# A check named only the first few figures.
_CUT = re.compile(r"; and \d+ more\b")
# Findings shown of another tool's numbers without --all.
_MOST_FINDINGS = 3
# The verdict names up to this many figures, otherwise their number.
_MOST_NAMED = 2


def audit_report(audited: Audited, *, show_all: bool) -> Document:
    """Lay out an audit; `show_all` names every figure of every warning."""
    scope = units.count(audited.figures, "comparison" if audited.own else "figure")
    if audited.values:
        scope += f", {units.count(audited.values, 'single value')}"
    label = labeller(audited.names)
    groups = _worst_first(warning for check in audited.checks for warning in check.warnings if not warning.missing)
    fired = [group for group in groups if group[0].severity is not Severity.NOTE]
    notes = [group for group in groups if group[0].severity is Severity.NOTE]
    short = not (audited.own or show_all)
    shown = fired[:_MOST_FINDINGS] if short else fired
    more = f"all {len(fired)} findings: --all" if len(shown) < len(fired) else ""
    return Document(
        f"Audit of {printable(audited.target)}",
        (
            Text(f"{printable(audited.title)}: {scope}"),
            Text(f"{audit_sentence(audited)}.", strong=True),
            *(_worst(fired, label) if audited.own else ()),
        ),
        sections(
            Section("Findings", (*_warnings(shown, label, show_all), *([Text(more)] if more else []))),
            Section("Notes", tuple(_warnings(notes, label, show_all))),
            Section("Found nothing", _checks_of_status(Status.SILENT, audited), SectionKind.DETAIL),
            Section(
                "Not applicable",
                _checks_of_status(Status.NOT_APPLICABLE, audited) if show_all else (),
                SectionKind.DETAIL,
            ),
            Section("Not checked", _unchecked_in_short(audited) if short else _unchecked(audited, label, show_all)),
        ),
    )


def _worst_first(warnings: Iterable[AuditWarning]) -> list[list[AuditWarning]]:
    """Groups of warnings with one meaning, by severity, then by the number of figures."""

    def rank(group: list[AuditWarning]) -> tuple[int, float]:
        whole = any(warning.subject in _WHOLE for warning in group)
        figures = float("inf") if whole else sum(max(len(warning.figures), 1) for warning in group)
        return [*Severity].index(group[0].severity), -figures

    return sorted((group for _, group in group_warnings(warnings)), key=rank)


def _worst(fired: list[list[AuditWarning]], label: Labeller) -> Iterator[Text]:
    """The worst warning, if it is fatal."""
    first = fired[0][0] if fired else None
    if first is not None and first.severity is Severity.FATAL:
        saw = f"{label(first.saw)}: " if len(first.saw) <= _SHORT else ""
        yield Text(f"{first.severity.value}  {printable(first.check)}: {saw}{printable(first.meaning)}.", strong=True)


def _warnings(groups: list[list[AuditWarning]], label: Labeller, show_all: bool) -> Iterator[WarningBlock]:
    for group in groups:
        texts = [_line(saw, subjects, show_all) for saw, subjects in _by_observation(group, label).items()]
        if show_all and any(map(_CUT.search, texts)):
            figures = dict.fromkeys(label(figure) for warning in group for figure in warning.figures)
            texts = [*(_CUT.sub("; …", line) for line in texts), f"figures: {'; '.join(figures)}"]
        yield warning_block(group[0], texts)


def _by_observation(warnings: Iterable[AuditWarning], label: Labeller) -> dict[str, dict[str, None]]:
    """Observation -> its subjects."""
    groups: dict[str, dict[str, None]] = {}
    for warning in warnings:
        subject = warning.subject if warning.subject in _WHOLE else label(warning.subject)
        groups.setdefault(label(warning.saw), {})[subject] = None
    return groups


def _line(saw: str, subjects: dict[str, None], show_all: bool) -> str:
    about = [
        subject
        for subject in subjects
        if subject not in _WHOLE and not re.search(rf"(?:^|of ){re.escape(subject)}[: ]", saw)
    ]
    return f"{_listed(about, show_all)}: {saw}" if about else saw


def _listed(subjects: list[str], show_all: bool) -> str:
    shown = subjects if show_all else subjects[:MOST_SUBJECTS]
    more = f" and {len(subjects) - len(shown)} more" if len(shown) < len(subjects) else ""
    return f"{', '.join(shown)}{more}"


def _unchecked(audited: Audited, label: Labeller, show_all: bool) -> tuple[Block, ...]:
    """One row for each check that lacks data."""
    rows = []
    for check in audited.checks:
        incomplete = (warning for warning in check.warnings if warning.missing)
        lacking = _by_observation(
            (replace(warning, saw=_without_all(warning, audited.figures)) for warning in incomplete), label
        )
        if lacking:
            about = [subject for subjects in lacking.values() for subject in subjects if subject not in _WHOLE]
            rows.append((_unchecked_name(check), "; ".join(lacking), _listed([*dict.fromkeys(about)], show_all)))
    if not rows:
        return ()
    shown = 3 if audited.own and any(subjects for _, _, subjects in rows) else 2
    return (grid("", ("check", "missing", "of")[:shown], (row[:shown] for row in rows), words=shown),)


def _unchecked_in_short(audited: Audited) -> tuple[Block, ...]:
    """The checks that lack data, in one line."""
    names = [_unchecked_name(check) for check in audited.checks if any(warning.missing for warning in check.warnings)]
    return (Text(f"{', '.join(names)} (details: --all)"),) if names else ()


def _unchecked_name(check: Checked) -> str:
    return f"{printable(check.check)}{' (in part)' if check.status is Status.FIRED else ''}"


def _without_all(warning: AuditWarning, figures: int) -> str:
    """The missing data, without the number of figures if it is all of them."""
    if len(warning.figures) != figures:
        return warning.missing
    all_figures = (units.count(figures, "figure"), *warning.figures[:1])
    return re.sub(rf" \((?:{'|'.join(map(re.escape, all_figures))})\)$", "", warning.missing)


def _checks_of_status(status: Status, audited: Audited) -> tuple[Block, ...]:
    names = [check.check for check in audited.checks if check.status is status and not check.warnings]
    return (Text(", ".join(map(printable, names))),) if names else ()


def audit_sentence(audited: Audited) -> str:
    """The verdict of an audit, and how many of the applicable checks could be made."""
    if not audited.own:
        return _quotable(audited)
    if not audited.figures:
        return f"Nothing was measured, so there is no verdict{' (F)' if audited.is_fatal else ''}"
    findings = _findings_counted(audited)
    return f"{findings}. {_checks_counted(audited)}" if findings else _nothing_found(audited)


def _quotable(audited: Audited) -> str:
    """Whether another tool's numbers can be quoted, and if not, why."""
    tally = audited.tally()
    warnings = (warning for check in audited.checks for warning in check.warnings)
    fired = _worst_first(warning for warning in warnings if warning.severity is not Severity.NOTE)
    if fired:
        worst = fired[0][0]
        which = _marked_figures(audited, worst, tally.fatal if audited.is_fatal else tally.warned)
        verdict = f"Do not quote {which}" if audited.is_fatal else f"Quote {which} with care"
        return f"{verdict}: {printable(worst.meaning)}. {_checks_counted(audited)}"
    checked, all_ = _checks(audited)
    if 2 * checked < all_ or not checked:
        return _nothing_found(audited)
    return f"These numbers can be quoted. {_checks_counted(audited)}"


def _marked_figures(audited: Audited, worst: AuditWarning, marked: int) -> str:
    """The figures with a finding as severe as the worst: '1 of 4 figures (NAME)'."""
    if not 0 < marked < audited.figures:
        return "these numbers"
    marked_share = f"{marked} of {units.count(audited.figures, 'figure')}"
    if marked != len(worst.figures):
        return marked_share
    if marked <= _MOST_NAMED:
        return f"{marked_share} ({'; '.join(map(printable, worst.figures))})"
    has_name = ", " not in worst.subject and worst.subject not in _WHOLE
    return f"{marked_share} ({printable(worst.subject)})" if has_name else marked_share


def _findings_counted(audited: Audited) -> str:
    """The number of a run's comparisons that are marked F or W; empty for none."""
    fatal, warned = audited.tally().fatal, audited.tally().warned
    comparisons = f"of {units.count(audited.figures, 'comparison')}"
    parts = [f"{fatal} {comparisons} {_verb(fatal, 'loses its', 'lose their')} verdict (F)"] if fatal else []
    if warned:
        parts.append(f"{warned} {'more' if fatal else comparisons} {_verb(warned, 'has', 'have')} a warning (W)")
    return " and ".join(parts)


def _checks_counted(audited: Audited) -> str:
    """'Only 3 checks of 12 could be made'."""
    checked, all_ = _checks(audited)
    if checked == all_:
        return f"All {all_} checks could be made" if all_ > 1 else "The only check could be made"
    return f"{'Only ' if 2 * checked < all_ else ''}{units.count(checked, 'check')} of {all_} could be made"


def _nothing_found(audited: Audited) -> str:
    checked, all_ = _checks(audited)
    if not checked:
        return (
            f"Nothing is known: none of {units.count(all_, 'check')} could be made" if all_ else "No check applies here"
        )
    if 2 * checked < all_:
        return f"{_checks_counted(audited)}, which is not a pass; {_verb(checked, 'it', 'they')} found nothing"
    if checked < all_:
        return f"Nothing was found by the {units.count(checked, 'check')} of {all_} that could be made"
    return f"Nothing was found by {f'any of the {all_} checks' if all_ > 1 else 'the one check'} that could be made"


def _checks(audited: Audited) -> tuple[int, int]:
    """The number of checks that could be made, and that apply."""
    checked = audited.count(Status.FIRED) + audited.count(Status.SILENT)
    return checked, checked + audited.count(Status.UNCHECKED)


def _verb(number: int, singular: str, several: str) -> str:
    return singular if number == 1 else several
