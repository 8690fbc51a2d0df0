"""What the report of an audit says: its verdict, what matters most, what fired, and last what could not be checked.

The verdict is one sentence that cannot be read as a pass where little was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sectax.model.audited import Audited, Checked, Status
from sectax.model.finding import AuditWarning, Severity
from sectax.reports.diagnostics import alike, warned
from sectax.reports.document import Block, Document, Section, SectionKind, Text, Warned, grid, sections
from sectax.reports.words.names import MOST_SUBJECTS, namer
from sectax.text import units
from sectax.text.printable import printable

# Subjects that say nothing beside what was seen.
_WHOLE = ("run", "all figures")

Names = Callable[[str], str]
# What fits into three lines beside its meaning.
_SHORT = 200
# Where a check named the first few figures alone.
_CUT = re.compile(r"; and \d+ more\b")
# Of somebody else's numbers, unless all are asked for.
_MOST_FINDINGS = 3
# Figures that the verdict names; of more it has their number.
_MOST_NAMED = 2


def audit_report(audited: Audited, *, show_all: bool) -> Document:
    """Lay out an audit; `show_all` names every figure of every warning."""
    scope = units.count(audited.figures, "comparison" if audited.own else "figure")
    if audited.values:
        scope += f", {units.count(audited.values, 'single value')}"
    named = namer(audited.names)
    every = [warning for check in audited.checks for warning in check.warnings]
    groups = _gravest_first(outcome for outcome in every if not outcome.missing)
    fired = [group for group in groups if group[0].severity is not Severity.NOTE]
    notes = [group for group in groups if group[0].severity is Severity.NOTE]
    short = not (audited.own or show_all)
    shown = fired[:_MOST_FINDINGS] if short else fired
    more = f"{len(fired)} findings, all of them: --all" if len(shown) < len(fired) else ""
    return Document(
        f"Audit of {printable(audited.target)}",
        (
            Text(f"{printable(audited.title)}: {scope}"),
            Text(f"{audit_sentence(audited)}.", strong=True),
            *(_gravest(fired, named) if audited.own else ()),
        ),
        sections(
            Section("What fired", (*_warnings(shown, named, show_all), *([Text(more)] if more else []))),
            Section("Notes", tuple(_warnings(notes, named, show_all))),
            Section("Found nothing", _checks_of_status(Status.SILENT, audited), SectionKind.DETAIL),
            Section(
                "Do not apply here",
                _checks_of_status(Status.NOT_APPLICABLE, audited) if show_all else (),
                SectionKind.DETAIL,
            ),
            Section(
                "What cannot be checked",
                _unchecked_in_short(audited) if short else _unchecked(audited, named, show_all),
            ),
        ),
    )


def _gravest_first(warnings: Iterable[AuditWarning]) -> list[list[AuditWarning]]:
    """Those that say the same together; the grave ones first, and of these what concerns most."""
    groups = [same for _, same in alike(warnings)]
    return sorted(groups, key=lambda same: ([*Severity].index(same[0].severity), -_reach(same)))


def _reach(same: list[AuditWarning]) -> float:
    if any(warning.subject in _WHOLE for warning in same):
        return float("inf")
    return sum(max(len(warning.figures), 1) for warning in same)


def _gravest(fired: list[list[AuditWarning]], named: Names) -> Iterator[Text]:
    """The gravest: what was seen, as far as it is short, and what it means."""
    first = fired[0][0] if fired else None
    if first is not None and first.severity is Severity.FATAL:
        saw = f"{named(first.saw)}: " if len(first.saw) <= _SHORT else ""
        yield Text(f"{first.severity.value}  {printable(first.check)}: {saw}{printable(first.meaning)}.", strong=True)


def _warnings(groups: list[list[AuditWarning]], named: Names, show_all: bool) -> Iterator[Warned]:
    for same in groups:
        sights = [_line(saw, subjects, show_all) for saw, subjects in _by_observation(same, named).items()]
        if show_all and any(map(_CUT.search, sights)):
            figures = dict.fromkeys(named(figure) for warning in same for figure in warning.figures)
            sights = [*(_CUT.sub("; …", line) for line in sights), f"figures: {'; '.join(figures)}"]
        yield warned(same[0], sights)


def _by_observation(warnings: Iterable[AuditWarning], named: Names) -> dict[str, dict[str, None]]:
    """What was seen, with all that it was seen of."""
    groups: dict[str, dict[str, None]] = {}
    for warning in warnings:
        groups.setdefault(named(warning.saw), {})[
            warning.subject if warning.subject in _WHOLE else named(warning.subject)
        ] = None
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


def _unchecked(audited: Audited, named: Names, show_all: bool) -> tuple[Block, ...]:
    """One row for each check, however many figures it lacks the same for."""
    rows = []
    for check in audited.checks:
        lacking = _by_observation(
            (
                replace(warning, saw=_without_all(warning, audited.figures))
                for warning in check.warnings
                if warning.missing
            ),
            named,
        )
        if lacking:
            missing = "; ".join(lacking)
            about = dict.fromkeys(
                subject for subjects in lacking.values() for subject in subjects if subject not in _WHOLE
            )
            rows.append((_unchecked_name(check), missing, _listed([*about], show_all)))
    if not rows:
        return ()
    # What is missing of every figure needs no names.
    tell_of = audited.own and any(subjects for _, _, subjects in rows)
    shown = 3 if tell_of else 2
    return (grid("", ("check", "what is missing", "of")[:shown], (row[:shown] for row in rows), words=shown),)


def _unchecked_in_short(audited: Audited) -> tuple[Block, ...]:
    """The checks that lack data, in one line."""
    names = [_unchecked_name(check) for check in audited.checks if any(warning.missing for warning in check.warnings)]
    return (Text(f"{', '.join(names)} (--all says what is missing)"),) if names else ()


def _unchecked_name(check: Checked) -> str:
    """The name of a check that lacks data; where it found something in other figures, it lacks them for a part."""
    return f"{printable(check.check)}{' (in part)' if check.status is Status.FIRED else ''}"


def _without_all(warning: AuditWarning, figures: int) -> str:
    """What is missing; where it is missing of every figure, that needs no words."""
    if len(warning.figures) != figures:
        return warning.missing
    of_all = (units.count(figures, "figure"), *warning.figures[:1])
    return re.sub(rf" \((?:{'|'.join(map(re.escape, of_all))})\)$", "", warning.missing)


def _checks_of_status(status: Status, audited: Audited) -> tuple[Block, ...]:
    """Those that came out so and have nothing to say."""
    names = [check.check for check in audited.checks if check.status is status and not check.warnings]
    return (Text(", ".join(map(printable, names))),) if names else ()


def audit_sentence(audited: Audited) -> str:
    """What falls, what is doubtful, and how many of the checks that concern the target could be made."""
    if not audited.own:
        return _quotable(audited)
    if not audited.figures:
        return f"Nothing was measured, so there is no verdict{' (F)' if audited.is_fatal else ''}"
    findings = _findings_counted(audited)
    return f"{findings}. {_checks_counted(audited)}" if findings else _nothing_found(audited)


def _quotable(audited: Audited) -> str:
    """Whether somebody else's numbers can be quoted, and if not, why."""
    tally = audited.tally()
    every = (warning for check in audited.checks for warning in check.warnings)
    fired = _gravest_first(warning for warning in every if warning.severity is not Severity.NOTE)
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
    """The figures with a finding as grave as the worst, as a reader would call them."""
    if not 0 < marked < audited.figures:
        return "these numbers"
    marked_share = f"{marked} of {units.count(audited.figures, 'figure')}"
    if marked != len(worst.figures):
        return marked_share
    if marked <= _MOST_NAMED:
        return f"{marked_share} ({'; '.join(map(printable, worst.figures))})"
    return (
        marked_share
        if ", " in worst.subject or worst.subject in _WHOLE
        else f"{marked_share} ({printable(worst.subject)})"
    )


def _findings_counted(audited: Audited) -> str:
    """How many comparisons of a run are marked F or W; empty where none is."""
    fatal, warned = audited.tally().fatal, audited.tally().warned
    of_comparisons = f"of {units.count(audited.figures, 'comparison')}"
    parts = []
    if fatal:
        parts.append(f"{fatal} {of_comparisons} {_verb(fatal, 'loses its', 'lose their')} verdict (F)")
    if warned:
        parts.append(
            f"{warned} {'more' if fatal else of_comparisons} {_verb(warned, 'carries', 'carry')} a warning (W)"
        )
    return " and ".join(parts)


def _checks_counted(audited: Audited) -> str:
    """'3 checks of 12 could be made': so few are no pass."""
    checked, all_ = _checks(audited)
    if checked == all_:
        return f"All {units.count(all_, 'check')} could be made"
    return f"{'Only ' if 2 * checked < all_ else ''}{units.count(checked, 'check')} of {all_} could be made"


def _nothing_found(audited: Audited) -> str:
    checked, all_ = _checks(audited)
    if not checked:
        return (
            f"None of {units.count(all_, 'check')} could be made, so nothing is known"
            if all_
            else "No check applies here"
        )
    if 2 * checked < all_:
        return f"{_checks_counted(audited)}, which is not a pass; {_verb(checked, 'it', 'they')} found nothing"
    if checked < all_:
        return f"Nothing was found by the {units.count(checked, 'check')} of {all_} that could be made"
    return f"Nothing was found by {f'any of the {all_} checks' if all_ > 1 else 'the one check'} that could be made"


def _checks(audited: Audited) -> tuple[int, int]:
    """How many checks could be made, and how many apply."""
    checked = audited.count(Status.FIRED) + audited.count(Status.SILENT)
    return checked, checked + audited.count(Status.UNCHECKED)


def _verb(number: int, singular: str, several: str) -> str:
    return singular if number == 1 else several
