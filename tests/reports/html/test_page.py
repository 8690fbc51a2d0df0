"""The page of a run: its content, validity, and positions of marks."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re

import pytest

from sectax.cli.present import Result, document, render
from sectax.model.finding import VerdictId
from sectax.model.treatment import CONTROLS
from sectax.reports import csv
from tests.reports import situations
from tests.reports.html.pages import costs, marks, name, number, of_class, one, page_of, parsed, words
from tests.reports.test_formats import RESULTS

EVERY = pytest.mark.parametrize("situation", situations.ALL)
# What can make a browser fetch or run something.
_LEADS_OUT = ("src", "href", "action", "data", "srcset", "formaction", "poster", "background")


@EVERY
def test_page_is_valid_and_loads_nothing(situation: str) -> None:
    root = parsed(page_of(situations.ALL[situation]()))

    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        assert name(element) not in {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on")
            assert attribute != "style"
            assert attribute not in _LEADS_OUT or value.startswith(("data:text/csv;", "data:application/gzip;"))


def test_policy_allows_only_its_own_style_sheet() -> None:
    text = page_of(situations.signatures_in_php())
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)

    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == f"'sha256-{digest}'"
    assert "@import" not in style[1]
    assert "url(" not in style[1]


def test_hostile_labels_are_text_and_nothing_else() -> None:
    root = parsed(page_of(situations.hostile_labels()))
    text = words(root)

    assert "- <b>" in text
    assert not list(root.iter("b"))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_sections_are_in_order() -> None:
    root = parsed(page_of(situations.every_kind_of_verdict()))

    headings = [words(tag) for tag in root.iter("h2")]
    doubts = ["Warnings", "Environment", "Repeat this run"]
    order = ["What to do", "Caveats", "Findings", "Blocks over time", *doubts]
    assert [heading for heading in headings if heading in order] == order


def test_tables_have_heads_for_columns_and_rows() -> None:
    for table in parsed(page_of(situations.signatures_in_php())).iter("table"):
        heads = [tag for tag in table.iter("th") if tag.get("scope") == "col"]
        for row in list(table.iter("tr"))[1:]:
            assert [tag.get("scope") for tag in row.iter("th")] == ["row"]
            assert len(heads) == len(list(row.iter("th"))) + len(list(row.iter("td")))


def test_interval_marks_are_at_their_figures() -> None:
    analysed = situations.every_kind_of_verdict()
    void = {VerdictId.WITHDRAWN, VerdictId.NOT_MEASURED}
    expected = [
        (finding.effect.low, finding.effect.log_ratio, finding.effect.high)
        for finding in analysed.findings
        if finding.effect is not None and finding.verdict not in void and finding.comparison.standing not in CONTROLS
    ]

    drawn = of_class(one(parsed(page_of(analysed)), "details", "aside"), "svg", "interval")

    assert len(drawn) == len(expected) >= 5
    for svg, logs in zip(drawn, expected, strict=True):
        drawn_values = [math.log(cost) for cost in costs(svg, 0.02)]
        # Log ratio per unit of the drawing, from the band.
        place = 2 * math.log1p(0.02) / number(one(svg, "rect", "band"), "width")
        assert drawn_values == pytest.approx(list(logs), abs=4 * place)
        assert svg.get("aria-label")


def test_every_kind_of_answer_has_its_own_shape() -> None:
    drawn = of_class(parsed(page_of(situations.every_kind_of_verdict())), "svg", "interval")
    shapes: dict[str, set[str]] = {}
    for svg in drawn:
        shapes.setdefault(svg.get("class", "").split()[1], set()).add(one(svg, "path", "mark").get("d", ""))

    assert {"worse", "better", "even", "open"} <= shapes.keys()
    assert all(len(shape) == 1 for shape in shapes.values())
    assert len({next(iter(shape)) for shape in shapes.values()}) == len(shapes)


def test_every_block_is_a_point_where_its_value_is() -> None:
    analysed = situations.two_commands()
    values = analysed.measured.values["wall"]["all/with-tls"]
    root = parsed(page_of(analysed))
    figure = next(root.iter("figure"))
    series = next(shape for shape in of_class(figure, "g", "series") if words(shape).startswith("with-tls"))

    ticks = [
        (float(words(shape).replace(",", "")), number(shape, "y") - 4) for shape in of_class(figure, "text", "upward")
    ]
    (low, low_y), *_, (high, high_y) = ticks
    drawn_values = [low + (y - low_y) / (high_y - low_y) * (high - low) for _, y in marks(series)]
    assert drawn_values == pytest.approx([1e3 * value for _, value in sorted(values.items())], abs=(high - low) / 50)
    assert len(drawn_values) == len(values) > 5
    assert [x for x, _ in marks(series)] == sorted(x for x, _ in marks(series))


@pytest.mark.parametrize("situation", ["signatures-in-php", "six-hosts"])
def test_raw_data_are_in_the_file(situation: str) -> None:
    analysed = situations.ALL[situation]()
    links = {tag.get("download"): tag.get("href", "") for tag in parsed(page_of(analysed)).iter("a")}

    assert links.keys() == {f"{table}.csv" for table in csv.available_tables(analysed)}
    for table in csv.available_tables(analysed):
        content = base64.b64decode(links[f"{table}.csv"].partition(";base64,")[2]).decode()
        assert content == csv.render(analysed, table)


def test_two_hundred_treatments_fit_into_a_megabyte() -> None:
    assert len(page_of(situations.two_hundred_treatments()).encode()) < 1_000_000


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_every_kind_of_result_has_a_valid_page_with_all_its_headings(result: Result) -> None:
    root = parsed(render(result, "html"))

    headings = {words(tag) for tag in root.iter("h2")}
    assert {" ".join(section.title.split()) for section in document(result, show_all=True).sections} <= headings
    levels = [int(tag.tag[1]) for tag in root.iter() if isinstance(tag.tag, str) and re.fullmatch("h[1-6]", tag.tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert len(list(root.iter("main"))) == 1
    for table in root.iter("table"):
        assert [tag.get("scope") for tag in table.iter("th")]
        assert None not in [tag.get("scope") for tag in table.iter("th")]


def test_the_headline_is_the_answer_and_is_said_once() -> None:
    page = parsed(page_of(situations.ALL["every-kind-of-verdict"]()))
    answer = one(page, "section", "answer")

    first = words(next(item for item in answer.iter() if name(item) == "strong"))
    assert first.startswith("Take faster-ratio")
    texts = [words(item) for item in answer.iter() if name(item) in {"strong", "li", "p", "text"}]
    assert sum("Take faster-ratio" in text for text in texts if text != first) <= 1  # the paragraph around it
