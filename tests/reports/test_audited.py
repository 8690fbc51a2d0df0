"""The report of an audit: what is counted, what is shown, and that nothing in it can steer a terminal."""

from __future__ import annotations

from collections.abc import Callable
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


def test_sentences_are_as_agreed(golden: Callable[[str, str], None]) -> None:
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


def test_what_matters_most_is_reported_first_and_the_widest_of_what_is_grave() -> None:
    narrow = Checked("narrow", "r", Status.FIRED, (replace(FIRED.warnings[0], check="narrow", meaning="one is wrong"),))
    found = text(given=audited(checks=(narrow, FIRED)))

    assert found.index("Do not quote 6 of 7 figures: the claim cannot stand.") < found.index("What fired")
    assert found.index("  F  fixed-time-total\n") < found.index("  F  narrow\n") < found.index("  W  ")


def test_what_cannot_be_checked_is_one_line_and_with_all_a_table_with_a_row_for_each_check() -> None:
    assert "timer (--all says what is missing)" in text()
    table = text(show_all=True).partition("What cannot be checked")[2]

    assert table.count("timer") == table.count("the step of the clock is not reported") == 1
    assert "not checked" not in table
    assert text(show_all=True).count("the step of the clock") == 1


def test_a_check_that_found_something_lacks_data_for_a_part() -> None:
    both = replace(FIRED, warnings=(*FIRED.warnings, *UNCHECKED.warnings))

    assert f"{FIRED.check} (in part)" in text(given=audited(checks=(both,)))
    assert "(in part)" not in text(given=audited(checks=(FIRED, UNCHECKED)))


def test_ids_of_a_run_are_named_as_in_the_other_reports() -> None:
    names = {"all/rs": "rs", "all/rs#positive": "rs · positive control"}
    seen = warning("drift", Severity.WARNING, "all/rs#positive", "all/rs#positive differs from all/rs, not all/rsa")
    run = replace(
        audited(own=True, checks=(Checked("drift", "r", Status.FIRED, (seen,)),)), names=names, comparisons=Tally(0, 1)
    )

    assert "rs · positive control differs from rs, not all/rsa" in text(given=run)


def test_report_is_as_agreed(golden: Callable[[str, str], None]) -> None:
    golden("terminal/audit.txt", text())


def test_what_many_figures_share_is_reported_once_and_all_are_shown_on_request() -> None:
    assert "and 2 more: ten of ten" in text()
    assert "and 2 more:" not in text(show_all=True)
    assert text(show_all=True).count("ten of ten") == 2  # once for F, once for W


@pytest.mark.parametrize("width", [60, 100, 160])
def test_report_fits_the_terminal(width: int) -> None:
    assert all(cell_len(line) <= width for line in text(width).splitlines())


def test_colour_is_written_only_where_it_is_asked_for_and_labels_are_escaped() -> None:
    assert "\x1b" not in text()
    assert "\x1b[1;31m" in text(colour=True)
    assert "\\x1b[31m0" in text()
    assert "\x07" not in text(colour=True)
