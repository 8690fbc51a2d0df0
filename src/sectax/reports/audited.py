"""What an audit found: the verdict in a sentence, what fired, what could not be checked, and what found nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sectax.model.audited import Audited, Checked, Status, Tally
from sectax.model.finding import Severity, Warning
from sectax.model.printable import printable
from sectax.reports.doubts import Warned

if TYPE_CHECKING:
    from sectax.reports.terminal.page import Page

# Of a warning that many figures share, so many are shown; --all and the JSON document have them all.
_MOST_SUBJECTS = 4
_STYLES = {Severity.FATAL: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
_ORDER = (Severity.FATAL, Severity.WARNING, Severity.NOTE)


def sentence(audited: Audited) -> str:
    """The audit's own verdict, in one sentence."""
    fatal, warned = audited.tally().fatal, audited.tally().warned
    silent, unchecked = audited.count(Status.SILENT), audited.count(Status.UNCHECKED)
    if audited.own:
        first = f"{_number(fatal, 'comparison')} {_verb(fatal, 'loses its', 'lose their')} verdict (F)"
        second = f"{warned} more {_verb(warned, 'carries', 'carry')} a warning (W)"
    else:
        first = f"{_number(fatal, 'claim')} cannot stand (F)"
        second = f"{warned} more {_verb(warned, 'carries', 'carry')} no verdict by "
        second += f"{_verb(warned, 'itself', 'themselves')} (W)"
    third = f"{_number(silent, 'check')} found nothing, {unchecked} could not be checked"
    return ", ".join(part for part in (first, second, _beside(audited.beside()), third) if part)


def _beside(beside: Tally) -> str:
    """The warnings that no figure is counted for; empty where there are none."""
    both = ((beside.fatal, Severity.FATAL), (beside.warned, Severity.WARNING))
    several = [f"{_number(count, 'warning')} marked {severity.value}" for count, severity in both if count]
    if not several:
        return ""
    are = _verb(beside.fatal + beside.warned, "is", "are")
    return f"{' and '.join(several)} {are} about comparisons or all figures"


def terminal(audited: Audited, *, width: int, colour: bool, show_all: bool) -> str:
    """The report for a terminal, *width* columns wide; `show_all` names every figure of every warning."""
    from sectax.reports.terminal.page import INDENT, Page

    page = Page(width, colour=colour)
    page.paragraph(f"Audit of {printable(audited.target)}", style="bold", indent=0)
    page.paragraph(f"{printable(audited.title)}: {_scope(audited)}", indent=0)
    page.blank()
    page.paragraph(f"{sentence(audited)}.", style="bold", indent=0)
    for title, severities, statuses in (
        ("What fired", (Severity.FATAL, Severity.WARNING), (Status.FIRED,)),
        ("Notes, and what cannot be checked", (Severity.NOTE,), (Status.FIRED, Status.UNCHECKED)),
    ):
        warned = gathered(each for each in audited.checks if each.status in statuses)
        shown = [each for each in warned if each.severity in severities]
        if shown:
            page.heading(title)
        for each in shown:
            _write(page, each, show_all, 2 * INDENT)
    for title, status in (("Found nothing", Status.SILENT), ("Do not apply here", Status.NOT_APPLICABLE)):
        names = [printable(each.check) for each in audited.checks if each.status is status]
        if names:
            page.heading(title)
            page.paragraph(", ".join(names))
    return page.text()


def json_document(audited: Audited) -> bytes:
    """One JSON document, UTF-8; its schema stands in docs/schemas."""
    from sectax.reports.json.parts import encoded, warning

    return encoded(
        {
            "schema": "sectax/audit/1",
            "target": audited.target,
            "source": {"kind": audited.kind, "title": audited.title, "own": audited.own},
            "figures": audited.figures,
            "values": audited.values,
            "verdict": {
                "fatal": audited.tally().fatal,
                "warned": audited.tally().warned,
                "beside": {"fatal": audited.beside().fatal, "warned": audited.beside().warned},
                **{_MEMBERS[status]: audited.count(status) for status in Status},
                "words": sentence(audited),
            },
            "checks": [
                {
                    "check": each.check,
                    "rule": each.rule,
                    "status": each.status.value,
                    "warnings": [warning(one) | {"figures": [*one.figures]} for one in each.warnings],
                }
                for each in audited.checks
            ],
        }
    )


_MEMBERS = {
    Status.FIRED: "fired",
    Status.SILENT: "silent",
    Status.UNCHECKED: "unchecked",
    Status.NOT_APPLICABLE: "not_applicable",
}


def gathered(checks: Iterable[Checked]) -> tuple[Warned, ...]:
    """The warnings of checks, those that say the same of several figures gathered into one, the grave ones first."""
    groups: dict[tuple[str, Severity, str, str], dict[tuple[str, str], None]] = {}
    for warning in sorted((one for each in checks for one in each.warnings), key=_gravity):
        key = (warning.check, warning.severity, warning.meaning, warning.advice)
        groups.setdefault(key, {})[printable(warning.subject), printable(warning.saw)] = None
    return tuple(
        Warned(printable(check), severity, tuple(seen), printable(meaning), printable(advice))
        for (check, severity, meaning, advice), seen in groups.items()
    )


def _gravity(warning: Warning) -> int:
    return _ORDER.index(warning.severity)


def _write(page: Page, warned: Warned, show_all: bool, indent: int) -> None:
    page.paragraph(f"{warned.severity.value}  {warned.check}", style=_STYLES[warned.severity])
    for saw, about in _by_sight(warned.seen):
        shown = about if show_all else about[:_MOST_SUBJECTS]
        more = f" and {len(about) - len(shown)} more" if len(shown) < len(about) else ""
        page.paragraph(f"{', '.join(shown)}{more}: {saw}", indent=indent)
    page.paragraph(warned.meaning, indent=indent)
    if warned.advice:
        page.paragraph(f"try: {warned.advice}", indent=indent)


def _by_sight(seen: tuple[tuple[str, str], ...]) -> list[tuple[str, list[str]]]:
    """What was seen, with all that it was seen of."""
    groups: dict[str, list[str]] = {}
    for about, saw in seen:
        groups.setdefault(saw, []).append(about)
    return list(groups.items())


def _scope(audited: Audited) -> str:
    counted = _number(audited.figures, "comparison" if audited.own else "figure")
    return f"{counted}, {_number(audited.values, 'single value')}" if audited.values else counted


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _verb(count: int, one: str, several: str) -> str:
    return one if count == 1 else several
