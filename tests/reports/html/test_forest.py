"""Forest plots: positions of marks, many rows, hostile labels."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from sectax.reports.document import EffectInterval, Forest, ForestGroup, ForestRow, Tone
from sectax.reports.html import render_picture
from sectax.reports.html.forest import NARROW, WIDE, Sizes, draw
from sectax.reports.html.interval_column import mark_size

SVG = "{http://www.w3.org/2000/svg}"


def picture(*ratios: float, groups: int = 1, label: str = "HS256") -> Forest:
    rows = tuple(
        ForestRow(label, "2 µs, slower", Tone.WORSE, EffectInterval(ratio / 1.1, ratio, ratio * 1.1, "slower"))
        for ratio in ratios
    )
    members = tuple(ForestGroup(f"php {number}", "baseline RS256: 330 µs", rows) for number in range(groups))
    return Forest("HS256 is slower.", "Which algorithm?", members, 0.02, 0, ("two processors", "self-check passed"))


@pytest.mark.parametrize("sizes", [WIDE, NARROW], ids=["wide", "narrow"])
def test_marks_are_in_the_order_of_their_figures_and_inside_the_plot(sizes: Sizes) -> None:
    drawn = draw(picture(0.01, 0.5, 1.0, 3.0), sizes)

    for mark in drawn.marks:
        assert sizes.plot[0] <= mark.interval.low < mark.interval.point < mark.interval.high <= sizes.plot[1]
    assert all(one.interval.point < other.interval.point for one, other in pairwise(drawn.marks))
    assert drawn.marks[2].interval.point == pytest.approx(drawn.zero)
    assert drawn.band[0] < drawn.zero < drawn.band[1]


@pytest.mark.parametrize(("groups", "ratios"), [(1, (2.0,)), (4, (2.0, 3.0, 4.0)), (7, (1.5, 2.0))])
def test_a_picture_for_sharing_has_one_size_and_everything_inside(groups: int, ratios: tuple[float, ...]) -> None:
    drawn = draw(picture(*ratios, groups=groups), WIDE)

    assert (drawn.width, drawn.height) == (1200, pytest.approx(630))
    assert max(line.y for line in drawn.lines) < 630
    rows = [line.y for line in drawn.lines if line.role == "label"]
    assert all(below - above > WIDE.text for above, below in pairwise(rows))


@pytest.mark.parametrize("label", ["HS256", "service 127.0.0.1-18912 (secondary)", "long " * 20])
def test_label_does_not_overlap_an_interval(label: str) -> None:
    drawn = draw(picture(0.5, 2.0, label=label), WIDE)

    (one, _) = (line for line in drawn.lines if line.role == "label")
    end = one.x + (one.room or 0.58 * WIDE.text * len(label))
    assert end < min(mark.interval.low for mark in drawn.marks)


def test_many_rows_make_the_picture_higher_without_overlap() -> None:
    drawn = draw(picture(1.5, 2.0, 3.0, groups=10), WIDE)

    assert drawn.height > 630
    rows = [line.y for line in drawn.lines if line.role in {"label", "group"}]
    assert len(rows) == 40
    assert all(below - above > WIDE.text for above, below in pairwise(rows))


@pytest.mark.parametrize("sizes", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("ratios", [(0.005, 5.0), (1.0, 3.0, 0.5), (10_000.0, 200_000.0), (1.001,)])
def test_ticks_are_on_both_sides_of_same_and_do_not_overlap(ratios: tuple[float, ...], sizes: Sizes) -> None:
    drawn = draw(picture(*ratios), sizes)

    ticks = sorted((line for line in drawn.lines if line.anchor == "middle"), key=lambda line: line.x)
    middle = [line.text for line in ticks].index("same")
    assert middle > 0 or min(ratios) >= 1
    assert middle < len(ticks) - 1 or max(ratios) <= 1
    for left, right in pairwise(ticks):
        assert right.x - left.x > sizes.text * 0.5 * (len(left.text) + len(right.text)) / 2


def test_long_label_is_compressed_to_the_width_of_a_phone() -> None:
    short, long = (draw(picture(2.0, label=label), NARROW) for label in ("HS256", "a-label-that-is-long" * 4))

    rooms = [[line.room for line in drawn.lines if line.role == Tone.WORSE.value] for drawn in (short, long)]
    assert rooms[0] == [None]
    assert rooms[1][0] < NARROW.width


def test_a_mark_hides_no_end_of_its_interval() -> None:
    assert mark_size(EffectInterval(0, 50, 100, "")) == 1.0
    assert 12 * mark_size(EffectInterval(0, 6, 12, "")) < 12


def test_a_row_without_an_interval_keeps_its_words() -> None:
    row = ForestRow("EdDSA", "undecided", Tone.VOID)
    forest = Forest("T", "Q", (ForestGroup("g", "n", (*picture(2.0).groups[0].rows, row)),), 0.02, 3, ())

    drawn = draw(forest, WIDE)

    assert len(drawn.marks) == 1
    assert "undecided" in [line.text for line in drawn.lines]
    assert any("3 more" in line.text for line in drawn.lines)


def test_the_file_is_one_svg_that_loads_nothing_and_escapes_labels() -> None:
    text = render_picture(picture(2.0, label='<script>alert("x")</script>&'))

    root = ElementTree.fromstring(text)  # noqa: S314
    assert root.tag == f"{SVG}svg"
    assert root.find(f".//{SVG}script") is None
    assert not re.search(r"href|url\(|@import|<image", text)
    assert '<script>alert("x")</script>&' in [element.text for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("sizes", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_lines_of_the_axis_leave_out_headings(sizes: Sizes) -> None:
    drawn = draw(picture(0.9, 1.1, groups=3), sizes)

    words = [line.y for line in drawn.lines if line.role == "group"]
    words += [] if sizes.one_line else [line.y for line in drawn.lines if line.text.startswith("HS256: ")]
    assert words
    assert not [y for y in words for top, bottom in drawn.plots if top < y <= bottom]
    assert all(any(top < mark.y < bottom for top, bottom in drawn.plots) for mark in drawn.marks)


def test_an_outlier_breaks_the_axis_and_is_named() -> None:
    drawn = draw(picture(0.99, 1.0, 1.01, 400.0), WIDE)

    assert [mark.interval.above for mark in drawn.marks] == [False, False, False, True]
    assert max(mark.interval.high for mark in drawn.marks) <= WIDE.plot[1]
    assert any("axis is broken" in line.text for line in drawn.lines)
    assert drawn.marks[2].interval.high - drawn.marks[0].interval.low > 100
