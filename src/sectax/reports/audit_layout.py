"""What the report of an audit says: the verdict in a sentence, what fired, what could not be checked, and the rest."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.audited import Audited, Status
from sectax.model.finding import AuditWarning, Severity
from sectax.model.printable import printable
from sectax.reports.diagnostics import MOST_SUBJECTS, alike, warned
from sectax.reports.document import Block, Document, Kind, Section, Text, Warned, sections
from sectax.reports.words.audits import audit_sentence, count

_ORDER = (Severity.FATAL, Severity.WARNING, Severity.NOTE)


def audit_report(audited: Audited, *, show_all: bool) -> Document:
    """Lay out an audit; `show_all` names every figure of every warning."""
    scope = count(audited.figures, "comparison" if audited.own else "figure")
    if audited.values:
        scope += f", {count(audited.values, 'single value')}"
    looked = {Status.FIRED, Status.UNCHECKED}
    return Document(
        f"Audit of {printable(audited.target)}",
        (Text(f"{printable(audited.title)}: {scope}"), Text(f"{audit_sentence(audited)}.", strong=True)),
        sections(
            Section("What fired", tuple(_warnings(audited, {Status.FIRED}, _ORDER[:2], show_all))),
            Section("Notes, and what cannot be checked", tuple(_warnings(audited, looked, _ORDER[2:], show_all))),
            Section("Found nothing", _names(audited, Status.SILENT), Kind.DETAIL),
            Section("Do not apply here", _names(audited, Status.NOT_APPLICABLE), Kind.DETAIL),
        ),
    )


def _warnings(
    audited: Audited, statuses: set[Status], severities: tuple[Severity, ...], show_all: bool
) -> Iterator[Warned]:
    """The warnings of these severities, those that say the same gathered into one, the grave ones first."""
    found = [one for each in audited.checks if each.status in statuses for one in each.warnings]
    chosen = [each for each in found if each.severity in severities]
    for warning, same in alike(sorted(chosen, key=lambda each: _ORDER.index(each.severity))):
        yield warned(warning, (_line(saw, subjects, show_all) for saw, subjects in _by_sight(same).items()))


def _by_sight(warnings: list[AuditWarning]) -> dict[str, dict[str, None]]:
    """What was seen, with all that it was seen of."""
    groups: dict[str, dict[str, None]] = {}
    for each in warnings:
        groups.setdefault(printable(each.saw), {})[printable(each.subject)] = None
    return groups


def _line(saw: str, subjects: dict[str, None], show_all: bool) -> str:
    shown = [*subjects] if show_all else [*subjects][:MOST_SUBJECTS]
    more = f" and {len(subjects) - len(shown)} more" if len(shown) < len(subjects) else ""
    return f"{', '.join(shown)}{more}: {saw}"


def _names(audited: Audited, status: Status) -> tuple[Block, ...]:
    names = [printable(each.check) for each in audited.checks if each.status is status]
    return (Text(", ".join(names)),) if names else ()
