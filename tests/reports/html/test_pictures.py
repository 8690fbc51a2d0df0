"""The pictures of what grows, of steps and of telemetry: marks read back from the page, beside the figures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

import pytest

from sectax.model.analysed import Analysed
from sectax.reports import forest
from sectax.workflow.advise import breakdown
from tests.reports import situations
from tests.reports.html.grown import BLOCKS, TAKES, grown
from tests.reports.html.pages import PLACES, marks, name, number, of_class, one, page_of, parsed, title, words


@pytest.fixture(scope="module")
def analysed() -> Analysed:
    return grown()


@pytest.fixture(scope="module")
def root(analysed: Analysed) -> Element:
    return parsed(page_of(analysed))


def figure(root: Element, begins: str) -> Element:
    (found,) = [tag for tag in root.iter("figure") if words(tag).startswith(begins)]
    return found


def ruler(svg: Element, class_: str, along: str, value: Callable[[str], float]) -> Callable[[float], float]:
    """From places to values, by the names of two ticks of a logarithmic or a straight axis."""
    ticks = [(number(shape, along), value(words(shape))) for shape in of_class(svg, "text", class_)]
    (place, one_), (other, two) = ticks[0], ticks[-1]
    middle_place, middle = ticks[1]
    straight = one_ + (two - one_) * (middle_place - place) / (other - place)
    if abs(straight - middle) <= 0.02 * abs(middle):
        return lambda at: one_ + (two - one_) * (at - place) / (other - place)
    return lambda at: math.exp(math.log(one_) + math.log(two / one_) * (at - place) / (other - place))


def size(text: str) -> float:
    return float(text.removesuffix("KiB")) * 1024 if text.endswith("KiB") else float(text.removesuffix("MiB")) * 2**20


def plain(text: str) -> float:
    return float(text.replace(",", ""))


def test_points_against_the_size_stand_where_the_treatments_own_figures_are(analysed, root) -> None:
    svg = one(figure(root, "Duration against payload"), "svg", "chart")
    across, upward = ruler(svg, "across", "x", size), ruler(svg, "upward", "y", plain)
    seen = {title(shape): marks(shape) for shape in of_class(svg, "g", "series")}
    results = {treatment.treatment: treatment.estimates for treatment in analysed.treatments}

    assert len(seen) == 6
    for treatment in analysed.measured.plan.treatments:
        if treatment.role.value not in {"baseline", "treatment"}:
            continue
        label = f"memory {treatment.levels['memory']} · {treatment.levels['authentication']}"
        points = {round(across(x)): upward(y + 4) for x, y in seen[label]}
        expected = analysed.measured.plan.contents.sizes[treatment.levels["payload"]]
        near = min(points, key=lambda place: abs(math.log(place / expected)))
        assert near == pytest.approx(expected, rel=0.02)
        # A place of the drawing is 1.2 % of a value here, and names of ticks stand a little below their lines.
        assert points[near] == pytest.approx(1e3 * results[treatment.id]["duration"].point, rel=0.04)


def test_the_fitted_line_is_drawn_as_a_line_in_a_band_and_not_as_points(analysed, root) -> None:
    svg = one(figure(root, "Duration against payload"), "svg", "chart")
    upward, across = ruler(svg, "upward", "y", plain), ruler(svg, "across", "x", size)

    for series in of_class(svg, "g", "series"):
        memory, _, did = title(series).removeprefix("memory ").partition(" · ")
        fixed, per_byte = TAKES[did]
        line = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", one(series, "path", "fit").get("d", ""))
        assert len(line) > 10
        for x, y in line:
            expected = 1e3 * (fixed + per_byte * across(float(x))) * 1769 / float(memory)
            assert upward(float(y) + 4) == pytest.approx(expected, rel=0.06)
        band = [float(y) for _, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", one(series, "path", "fitted").get("d", ""))]
        assert len(band) == 2 * len(line)
        for (_, y), high, low in zip(line, band, band[::-1], strict=False):
            assert high - PLACES <= float(y) <= low + PLACES
        assert len(marks(series)) == 4  # what was measured, and nothing more
    assert "nothing was measured on it" in words(figure(root, "Duration against payload"))


def test_the_band_holds_the_truth_of_most_lines(analysed) -> None:
    """95 % at each size; twelve lines of the same noise."""
    found = breakdown(analysed)
    assert found is not None
    inside = []
    for growth in found.growths:
        fixed, per_byte = TAKES[growth.levels["authentication"]]
        for at, seen in growth.line:
            true = (fixed + per_byte * at) * 1769 / float(growth.levels["memory"])
            inside.append(seen.low <= true <= seen.high)
    assert sum(inside) / len(inside) > 0.8


def test_memory_has_a_picture_of_its_own_and_no_line(root) -> None:
    svg = one(figure(root, "Duration against memory"), "svg", "chart")

    assert len(of_class(svg, "g", "series")) == 8
    assert of_class(svg, "path", "fit") == []
    assert "Only the first 8 of 12 are drawn" in words(figure(root, "Duration against memory"))


def test_steps_are_as_long_as_the_seconds_that_they_took(analysed, root) -> None:
    found = breakdown(analysed)
    assert found is not None
    svg = one(figure(root, "Where the time goes"), "svg", "chart")
    at = ruler(svg, "across", "x", plain)
    drawn = [
        (title(shape), at(number(step, "x") + number(step, "width")) - at(number(step, "x")))
        for shape in of_class(svg, "g", "part")
        for step in of_class(shape, "rect", "step")
    ]
    expected = [(part.words, 1e3 * part.seconds.point) for anatomy in found.anatomies for part in anatomy.parts]

    assert len(drawn) == len(expected) > 8
    for (said, length), (words_, milliseconds) in zip(drawn, expected, strict=True):
        assert said.startswith(words_)
        assert length == pytest.approx(milliseconds, abs=0.03, rel=0.02)


def test_a_step_that_is_too_noisy_is_named_and_not_drawn() -> None:
    from sectax.model.advice import Anatomy, Breakdown, Part
    from sectax.model.finding import Estimate
    from sectax.reports.html.chart import draw_stacks
    from sectax.reports.pictures import where_it_goes

    plan = grown().measured.plan
    known = Estimate(1e-3, 0.9e-3, 1.1e-3, 0.95, "", 12, "s"), Estimate(0.5, 0.45, 0.55, 0.95, "", 12, "share")
    noisy = Estimate(1e-3, -9e-3, 11e-3, 0.95, "", 12, "s"), Estimate(0.5, -4.5, 5.5, 0.95, "", 12, "share")
    cell = plan.cells[0]
    anatomy = Anatomy(cell.id, cell.baseline, (Part("parsing", *known), Part("checking", *noisy)))

    stacks, table = where_it_goes(plan, Breakdown("duration", (anatomy,), ()))

    assert [part.words for part in draw_stacks(stacks).rows[0].parts] == ["parsing: 1 ms, 50 % (45 to 55)"]
    assert [row.cells[1:] for row in table.rows] == [
        ("parsing", "1 ms", "50 % (45 to 55)"),
        ("checking", "", "too noisy: run longer"),
    ]


def test_what_the_kernel_told_stands_beside_the_blocks(root) -> None:
    drawn = figure(root, "During the blocks")
    svg = one(drawn, "svg", "chart")
    series = {title(shape): marks(shape) for shape in of_class(svg, "g", "series")}

    assert series.keys() == {"waiting for a processor", "held back by a quota"}
    assert all(len(item) == len(BLOCKS) for item in series.values())
    assert "There was none stolen by other machines." in words(drawn)
    waiting, held = ([y for _, y in series[text]] for text in ("waiting for a processor", "held back by a quota"))
    assert waiting == sorted(waiting, reverse=True)  # grew from block to block
    assert held == sorted(held)


def test_tables_are_folded_below_a_picture_that_has_all_answers() -> None:
    (folded,) = of_class(parsed(page_of(situations.published_preset())), "details", "aside")
    tables = of_class(folded, "table", "results")

    assert words(folded.find("summary")) == "Findings"
    # Two metrics, four cells, the baseline and two others.
    assert sum(len(table.findall(".//tbody/tr")) for table in tables) == 2 * 4 * 3


def test_tables_are_not_folded_below_a_picture_that_lacks_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, "_MOST_ROWS", 3)

    page = parsed(page_of(situations.signatures_in_php()))

    assert of_class(page, "details", "aside") == []
    assert "ES256" in words(one(page, "section", "results"))


def test_every_check_of_the_audit_is_on_the_page(analysed, root) -> None:
    (section,) = [shape for shape in of_class(root, "details", "detail") if words(shape.find("summary")) == "Audit"]
    named = [words(row.find("th")) for row in section.findall(".//tbody/tr")]

    assert named == [check.check for check in analysed.checks]
    assert len(named) > 20
    assert {name(tag) for tag in section.iter() if isinstance(tag.tag, str)} >= {"table", "th"}
