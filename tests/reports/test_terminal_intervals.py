"""Intervals drawn on a terminal."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sectax.reports import terminal
from sectax.reports.document import EffectInterval, Row, Table, Tone, result_table
from sectax.reports.html import interval_column
from sectax.reports.report_layout import run_report
from sectax.reports.scale import interval_axis
from sectax.reports.terminal.intervals import NARROWEST, WIDEST, broken, draw, head
from sectax.text.printable import in_ascii
from tests.reports import situations

HEADS = ("algorithm", "ms", "against none", "difference, ms")
MARKS = {Tone.WORSE: "►", Tone.BETTER: "◄", Tone.EVEN: "■", Tone.OPEN: "○", Tone.VOID: "×", Tone.NONE: "◆"}
ENDS = st.tuples(*[st.floats(-8, 8)] * 3).map(sorted)


def table(*intervals: tuple[float, float, float], tone: Tone = Tone.WORSE) -> Table:
    """The baseline, and a row for each interval given in logs."""
    rows = [Row(("none", "1", "baseline", "", ""))]
    rows += [
        Row(("a", "2", "", "", "slower"), tone, EffectInterval(*map(math.exp, interval), "")) for interval in intervals
    ]
    return result_table("", HEADS, rows, 0.02)


@given(st.lists(ENDS, min_size=1, max_size=4), st.integers(NARROWEST, WIDEST), st.sampled_from(Tone))
def test_marks_are_at_their_figures(logs, width: int, tone: Tone) -> None:
    drawn_table = table(*logs, tone=tone)
    axis = interval_axis(drawn_table, 1.0, width - 2.0)

    for text, (low, point, high) in zip(draw(drawn_table, width)[1:], logs, strict=True):
        assert len(text) == width
        zero = round(axis.zero)
        place = text.index(MARKS[tone])
        # One column, and one more if the interval must not touch the line of zero.
        assert abs(place - axis.scale.place(math.exp(point))) <= 1.51
        first, last = re.search(r"[«├►◄■○×◆]", text), re.search(r"[┤»►◄■○×◆](?!.*[┤»►◄■○×◆])", text)
        assert abs(first.start() - axis.scale.place(math.exp(low))) <= 1.51
        assert abs(last.start() - axis.scale.place(math.exp(high))) <= 1.51
        if math.exp(low) > 1:
            assert first.start() > zero
        if math.exp(high) < 1:
            assert last.start() < zero


def test_every_kind_of_answer_has_the_mark_that_it_has_on_the_page() -> None:
    assert set(MARKS) == set(interval_column.SHAPES)
    for tone, mark in MARKS.items():
        assert mark in draw(table((0.1, 0.2, 0.3), tone=tone), 20)[1]
    assert len({in_ascii(item) for item in MARKS.values()}) == len(MARKS)


def test_only_an_interval_with_zero_touches_its_line() -> None:
    drawn_table = table((-0.5, 0.3, 0.5), (0.0001, 0.3, 0.5), tone=Tone.OPEN)
    axis = interval_axis(drawn_table, 1.0, 19.0)

    _, across, above = draw(drawn_table, 21)

    zero = round(axis.zero)
    assert head(drawn_table, 21)[zero] == "="
    assert across[zero] == "┼"
    assert above[zero] == "┊"
    assert above[zero + 1] == "├"


def test_without_an_interval_there_is_no_column_for_one() -> None:
    analysed = situations.signatures_in_php()
    findings = tuple(replace(finding, effect=None) for finding in analysed.findings)
    document = run_report(replace(analysed, findings=findings), situations.PATH, None, show_all=False)

    assert not any(mark in terminal.render(document, width=140, colour=False) for mark in "┊►◄■○")


NEAR = [(-0.02, 0.0, 0.02), (0.01, 0.02, 0.03), (-0.03, -0.02, -0.01)]


def test_one_outlier_breaks_the_axis_and_leaves_the_others_their_room() -> None:
    outlier = (-2.0, 1.0, 5.0)
    alone, beside = table(*NEAR), table(*NEAR, outlier)

    assert draw(beside, 27)[:4] == draw(alone, 27)
    assert draw(beside, 27)[4].startswith("«")
    assert draw(beside, 27)[4].endswith("»")
    assert (broken(alone, 27), broken(beside, 27)) == ("", "« » goes on beyond the axis")


def test_two_outliers_are_part_of_the_answer_and_break_nothing() -> None:
    assert not broken(table(*NEAR, (1.0, 1.1, 1.2), (1.1, 1.2, 1.3)), 27)
