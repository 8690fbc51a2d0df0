"""The report of an audit: counts, sections, and escaped labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from sectax.model.audited import Audited, Checked, Status, Tally
from sectax.model.finding import AuditWarning, Severity
from sectax.reports import terminal
from sectax.reports.audit_layout import audit_report, audit_sentence


def warning(check: str, severity: Severity, subject: str, saw: str = "ten of ten") -> AuditWarning:
    return AuditWarning(check, severity, subject, saw, "the claim cannot stand", "count the events")


FIRED = Checked(
    "fixed-time-total",
    "F: a rule",
    Status.FIRED,
    (
        *(
            replace(warning("fixed-time-total", Severity.FATAL, f"memory \x1b[31m{at}"), figures=(f"memory: {at}",))
            for at in range(6)
        ),
        replace(warning("fixed-time-total", Severity.WARNING, "cpu"), figures=("cpu: a", "cpu: b")),
    ),
)
NOT_REPORTED = "not checked: the step of the clock is not reported"
UNCHECKED = Checked(
    "timer",
    "F: a rule",
    Status.UNCHECKED,
    tuple(warning("timer", Severity.NOTE, subject, NOT_REPORTED) for subject in ("cpu", "memory")),
)
CHECKS = (
    FIRED,
    UNCHECKED,
    Checked("copied-data", "F: a rule", Status.SILENT, ()),
    Checked("controls", "F: a rule", Status.NOT_APPLICABLE, ()),
)


def audited(own: bool = False, checks: tuple[Checked, ...] = CHECKS) -> Audited:
    return Audited("a\x07.txt", "sysbench", "sysbench", own, figures=7, values=0, checks=checks)


def text(width: int = 100, colour: bool = False, show_all: bool = False, given: Audited | None = None) -> str:
    return terminal.render(audit_report(given or audited(), show_all=show_all), width=width, colour=colour)


def said(*checks: Checked, **changes: Any) -> str:
    return audit_sentence(replace(audited(checks=checks), **changes))


def silent(number: int) -> tuple[Checked, ...]:
    return tuple(Checked(f"silent-{at}", "r", Status.SILENT, ()) for at in range(number))


def unchecked(number: int) -> tuple[Checked, ...]:
    return tuple(replace(UNCHECKED, check=f"unchecked-{at}") for at in range(number))


def test_sentences_are_as_agreed(golden) -> None:
    severities = (Severity.FATAL, Severity.WARNING)
    both = tuple(replace(warning("x", severity, "cpu"), figures=("cpu: a",)) for severity in severities)
    whole = Checked("x", "r", Status.FIRED, (warning("x", Severity.FATAL, "all figures"),))
    pair = Checked("y", "r", Status.FIRED, tuple(warning("y", Severity.WARNING, subject) for subject in "ab"))
    sentences = {
        "figures and checks": audit_sentence(audited()),
        "comparisons of a run": said(*CHECKS, own=True, figures=12, comparisons=Tally(9, 1)),
        "a run in which nothing was measured": said(*silent(3), own=True, figures=0, comparisons=Tally(0, 0)),
        "a figure with both marks": said(Checked("x", "r", Status.FIRED, both)),
        "a fatal warning of no figure": said(whole),
        "a warning of no figure": said(pair),
    }
    for made, not_made in ((4, 0), (10, 4), (3, 9), (1, 9), (0, 5), (0, 0)):
        sentences[f"{made} made, {not_made} not"] = said(*silent(made), *unchecked(not_made))

    golden("words/audits.txt", "".join(f"{name}: {sentence}\n" for name, sentence in sentences.items()))
    assert audited(checks=(whole,)).is_fatal
    assert not audited(checks=(pair,)).is_fatal


def test_worst_findings_come_first_and_the_widest_of_them() -> None:
    narrow = Checked("narrow", "r", Status.FIRED, (replace(FIRED.warnings[0], check="narrow", meaning="one is wrong"),))
    report = text(given=audited(checks=(narrow, FIRED)))

    assert report.index("Do not quote 6 of 7 figures: the claim cannot stand.") < report.index("\nFindings\n")
    assert report.index("  F  fixed-time-total\n") < report.index("  F  narrow\n") < report.index("  W  ")


def of_a_run() -> Audited:
    """The ids of its treatments have names, and one check lacks data for a part."""
    names = {"all/rs": "rs", "all/rs#positive": "rs · positive control"}
    seen = warning("drift", Severity.WARNING, "all/rs#positive", "all/rs#positive differs from all/rs, not all/rsa")
    checks = (
        Checked("drift", "r", Status.FIRED, (seen,)),
        replace(FIRED, warnings=FIRED.warnings + UNCHECKED.warnings),
    )
    return replace(audited(own=True, checks=checks), names=names, comparisons=Tally(0, 1))


@pytest.mark.parametrize(
    ("name", "given", "show_all"),
    [("audit", audited(), False), ("audit.all", audited(), True), ("audit.of-a-run", of_a_run(), False)],
)
def test_report_is_as_agreed(name: str, given: Audited, show_all: bool, golden) -> None:
    golden(f"terminal/{name}.txt", text(given=given, show_all=show_all))


@pytest.mark.parametrize("width", [60, 100, 160])
def test_report_fits_the_terminal(width: int) -> None:
    assert all(cell_len(line) <= width for line in text(width).splitlines())


def test_colour_is_optional_and_labels_are_escaped() -> None:
    assert "\x1b" not in text()
    assert "\x1b[1;31m" in text(colour=True)
    assert "\\x1b[31m0" in text()
    assert "\x07" not in text(colour=True)
