"""The report on a terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from sectax.model.analysed import Analysed
from sectax.model.finding import AuditWarning, Severity
from sectax.model.treatment import Standing
from sectax.reports import terminal
from sectax.reports.distrust import _doubts, distrust
from sectax.reports.report_layout import run_report
from sectax.reports.result_tables import SHARED_BLOCKS, footnotes, visible
from sectax.run.advice import decided
from tests.reports import situations
from tests.reports.situations.signatures import simple
from tests.reports.situations.simulated import Case

EVERY = pytest.mark.parametrize("situation", situations.ALL)


def rendered(situation: str, width: int = 100, *, colour: bool = False, show_all: bool = False) -> str:
    return printed(situations.ALL[situation](), width, colour=colour, show_all=show_all)


def printed(
    analysed: Analysed, width: int, *, colour: bool = False, show_all: bool = False, path: str = situations.PATH
) -> str:
    return terminal.render(run_report(analysed, path, decided(analysed), show_all=show_all), width=width, colour=colour)


@pytest.mark.parametrize(
    ("situation", "form", "options"),
    [
        *((situation, "", {}) for situation in situations.ALL),
        *(("signatures-in-php", f".{width}", {"width": width}) for width in (60, 200)),
        *(("every-kind-of-verdict", f".{width}", {"width": width}) for width in (60, 200)),
        ("every-kind-of-verdict", ".colour", {"colour": True}),
        ("published-preset", ".all", {"show_all": True}),
        ("two-commands", ".all", {"show_all": True}),
    ],
)
def test_report_is_as_agreed(situation: str, form: str, options: dict[str, int], golden) -> None:
    golden(f"terminal/{situation}{form}.txt", rendered(situation, **options))


@EVERY
@pytest.mark.parametrize("width", [40, 41, 60, 61, 79, 120, 200])
def test_no_line_is_wider_than_the_terminal(situation: str, width: int) -> None:
    lines = rendered(situation, width).splitlines()

    # Commands and the path are never broken, so that they can be copied.
    commands = ("    sectax ", "    sudo ", "    raise ", "    try", "run file:", "details")
    assert [line for line in lines if cell_len(line) > width and not line.startswith(commands)] == []


# Its labels are longer than any real level.
@pytest.mark.parametrize("situation", [item for item in situations.ALL if item != "hostile-labels"])
@pytest.mark.parametrize("show_all", [False, True])
def test_at_80_columns_no_word_is_broken(situation: str, show_all: bool) -> None:
    def words(width: int) -> set[str]:
        all_words = {word.strip(",;:()") for word in rendered(situation, width, show_all=show_all).split()}
        return {item for item in all_words if any(map(str.isalpha, item))}

    assert words(80) - words(200) == set()


@EVERY
def test_every_width_says_the_same_words(situation: str) -> None:
    """Only spaces within a paragraph depend on the width."""
    ends = [rendered(situation, width).partition("What to do")[2].split() for width in (60, 100, 200)]

    assert ends[0] == ends[1] == ends[2]


def test_colour_depends_on_the_caller_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[31m" in rendered("every-kind-of-verdict", colour=True)

    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in rendered("every-kind-of-verdict")


@EVERY
def test_colour_adds_nothing_but_colour(situation: str) -> None:
    bare = re.sub(r"\x1b\[[0-9;]*m", "", rendered(situation, colour=True))

    assert "\x1b" not in rendered(situation)
    assert [line.rstrip() for line in bare.splitlines()] == rendered(situation).splitlines()


@pytest.mark.parametrize("width", [60, 200])
def test_hostile_labels_steer_nothing(width: int) -> None:
    assert all(line.isprintable() for line in rendered("hostile-labels", width).split("\n"))


def test_effects_over_fewer_blocks_than_their_figures_say_so() -> None:
    analysed = situations.signatures_in_php()
    shown = visible(analysed, show_all=False)
    longer = tuple(replace(treatment, blocks=treatment.blocks + 6) for treatment in analysed.treatments)

    assert SHARED_BLOCKS not in footnotes(analysed, shown)
    assert SHARED_BLOCKS in footnotes(replace(analysed, treatments=longer), shown)


def test_run_without_primary_comparisons_hides_nothing() -> None:
    analysed = situations.signatures_in_php()
    findings = tuple(
        replace(finding, comparison=replace(finding.comparison, standing=Standing.SECONDARY))
        for finding in analysed.findings
    )

    text = printed(replace(analysed, findings=findings), 100)

    assert "EdDSA †" in text
    assert "not shown" not in text


def test_run_without_a_block_or_a_session_is_still_reported() -> None:
    analysed = situations.only_one_block()
    measured = replace(analysed.measured, blocks=(), sessions=(), block_s=None, calibrated=None)

    text = printed(replace(analysed, measured=measured, findings=(), treatments=(), controls=()), 80)

    assert "0 blocks" in text


def test_families_wait_each_for_themselves(agreed) -> None:
    case = Case(simple({"language": ("php", "python")}, "RS256", "ES256"), {})
    case.truth = {treatment.id: 0.001 for treatment in case.plan().treatments}
    case.telemetry = {
        f"{language}/RS256": {"run_queue_delay_s": waited, "cpu_time_s": 1.0 - waited, "throttled_s": 0.25}
        for language, waited in (("php", 0.01), ("python", 0.02))
    }

    text = printed(case.build(), 200, show_all=True)

    agreed(*(line for line in text.splitlines() if "throttled" in line))


@pytest.mark.parametrize(("level", "shown"), [("hopeless", False), ("faster-ratio", True)])
def test_a_warning_that_is_small_beside_the_interval_is_only_named(level: str, shown: bool) -> None:
    analysed = situations.ALL["every-kind-of-verdict"]()
    (subject,) = (result.treatment for result in analysed.treatments if result.levels.get("algorithm") == level)
    warning = AuditWarning("timer", Severity.WARNING, subject, "few steps", "rounding alone may change it by 0.2 %")
    only = replace(analysed, warnings=(warning,), findings=tuple(replace(it, warnings=()) for it in analysed.findings))
    doubts, others = distrust(only, visible(only, show_all=True))

    assert ("! timer" in others) is not (any("few steps" in text for text in doubts))
    assert any(rank < 6 for rank, name, _ in _doubts(only, visible(only, show_all=True)) if name == "! timer") is shown
