"""The report of an audit: what is counted, what is shown, and that nothing in it can steer a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from sectax.model.audited import Audited, Checked, Status, Tally
from sectax.model.finding import AuditWarning, Severity
from sectax.reports import terminal
from sectax.reports.audit_layout import audit_report
from sectax.reports.words import audit_sentence


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
UNCHECKED = Checked("timer", "F: a rule", Status.UNCHECKED, (warning("timer", Severity.NOTE, "cpu", "not told"),))
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


def test_sentence_counts_subjects_and_checks() -> None:
    assert audit_sentence(audited()) == (
        "6 claims cannot stand (F), 2 more carry no verdict by themselves (W), 1 check found nothing, "
        "1 could not be checked"
    )


def test_comparisons_of_a_run_are_counted_and_not_what_its_warnings_are_about() -> None:
    run = replace(audited(own=True), comparisons=Tally(9, 1))

    assert audit_sentence(run) == (
        "9 comparisons lose their verdict (F), 1 more carries a warning (W), 1 check found nothing, "
        "1 could not be checked"
    )


def test_figure_with_both_marks_is_counted_as_the_graver() -> None:
    severities = (Severity.FATAL, Severity.WARNING)
    both = tuple(replace(warning("x", severity, "cpu"), figures=("cpu: a",)) for severity in severities)

    assert audit_sentence(audited(checks=(Checked("x", "r", Status.FIRED, both),))).startswith(
        "1 claim cannot stand (F), 0 more carry"
    )


def test_warnings_that_name_no_figure_are_counted_beside() -> None:
    whole = Checked("x", "r", Status.FIRED, (warning("x", Severity.FATAL, "all figures"),))
    pair = Checked("y", "r", Status.FIRED, tuple(warning("y", Severity.WARNING, each) for each in "ab"))

    assert audit_sentence(audited(checks=(FIRED, whole, pair))).startswith(
        "6 claims cannot stand (F), 2 more carry no verdict by themselves (W), "
        "1 warning marked F and 2 warnings marked W are about comparisons or all figures, 0 checks"
    )
    assert audit_sentence(audited(checks=(whole,))).startswith(
        "0 claims cannot stand (F), 0 more carry no verdict by themselves (W), "
        "1 warning marked F is about comparisons or all figures, "
    )
    assert audited(checks=(whole,)).is_fatal
    assert not audited(checks=(pair,)).is_fatal


def test_report_is_as_agreed(golden: Callable[[str, str], None]) -> None:
    golden("terminal/audit.txt", text())


def test_what_many_figures_share_is_told_once_and_all_are_shown_on_request() -> None:
    assert "and 2 more: ten of ten" in text()
    assert "and 2 more" not in text(show_all=True)
    assert text(show_all=True).count("ten of ten") == 2  # once for F, once for W


@pytest.mark.parametrize("width", [60, 100, 160])
def test_report_fits_the_terminal(width: int) -> None:
    assert all(cell_len(line) <= width for line in text(width).splitlines())


def test_colour_is_written_only_where_it_is_asked_for_and_labels_are_escaped() -> None:
    assert "\x1b" not in text()
    assert "\x1b[1;31m" in text(colour=True)
    assert "\\x1b[31m0" in text()
    assert "\x07" not in text(colour=True)
