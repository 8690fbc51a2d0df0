"""The page in Chromium: it loads nothing, fits, is legible, and has its marks at their figures."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from benchmarks.chromium import chromium
from sectax.cli.present import render
from sectax.model.finding import VerdictId
from sectax.model.treatment import CONTROLS
from tests.needs import needs
from tests.reports import situations
from tests.reports.html.pages import page_of
from tests.reports.test_formats import RESULTS

SITUATIONS = ("every-kind-of-verdict", "signatures-in-php", "hostile-labels")
CHROMIUM = chromium()

pytestmark = [
    pytest.mark.more,
    needs("Chromium"),
    # Of the driver's own event loop.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

LOOKS = Path(__file__).with_name("looks.js").read_text()


def ask(page, function: str):
    """The result of a function of looks.js on a page."""
    return page.evaluate(f"() => {{ {LOOKS}\nreturn {function}(); }}")


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


# Every kind of page.
MADE = {
    **{situation: functools.partial(page_of, situations.ALL[situation]()) for situation in SITUATIONS},
    "beside-a-study": lambda: render(RESULTS["beside a study"], "html"),
    "beside-a-run": lambda: render(RESULTS["beside a run"], "html"),
    "audit": lambda: render(RESULTS["audit"], "html"),
}
EVERY = pytest.mark.parametrize("made", MADE)


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for made, text in MADE.items():
        (folder / f"{made}.html").write_text(text())
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000, 1600])
@EVERY
def test_it_loads_nothing_fits_and_can_be_read(browser, files, made, width, scheme) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    messages, requests = [], []
    page.on("console", lambda message: messages.append(message.text))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))

    page.goto((files / f"{made}.html").as_uri())

    assert messages == []
    assert requests == [(files / f"{made}.html").as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert ask(page, "contrast") >= 4.5
    assert ask(page, "squeezed") == []
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1000, "dark")])
@EVERY
def test_axe_finds_nothing_serious(browser, files, made, width, scheme) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((files / f"{made}.html").as_uri())
    # Include folded sections.
    ask(page, "unfold")

    results = Axe().run(page).response

    serious = [violation for violation in results["violations"] if violation["impact"] in {"serious", "critical"}]
    assert [(item["id"], [node["html"][:200] for node in item["nodes"]][:3]) for item in serious] == []
    assert len(results["passes"]) > 10
    page.close()


def test_axe_would_find_something(browser, tmp_path) -> None:
    """The test above can fail."""
    (tmp_path / "bad.html").write_text("<html><body><p style='color:#ccc;background:#fff'>hard to read</p><img src=''>")
    page = browser.new_page()
    page.goto((tmp_path / "bad.html").as_uri())

    results = {violation["id"]: violation["impact"] for violation in Axe().run(page).response["violations"]}

    assert results["color-contrast"] == "serious"
    assert results["image-alt"] == "critical"
    page.close()


@pytest.mark.parametrize("width", [390, 1000])
def test_marks_on_the_screen_are_at_their_figures(browser, files, width) -> None:
    analysed = situations.every_kind_of_verdict()
    void = {VerdictId.WITHDRAWN, VerdictId.NOT_MEASURED}
    expected = [
        finding.effect
        for finding in analysed.findings
        if finding.effect is not None and finding.verdict not in void and finding.comparison.standing not in CONTROLS
    ]
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((files / "every-kind-of-verdict.html").as_uri())
    ask(page, "unfold")

    places = ask(page, "places")

    assert len(places) == len(expected)
    for item, effect in zip(places, expected, strict=True):
        unit = item["margin"] / (2 * math.log1p(0.02))
        for end, log in (("low", effect.low), ("point", effect.log_ratio), ("high", effect.high)):
            assert (item[end] - item["zero"]) / unit == pytest.approx(log, abs=1.5 / unit)
    page.close()


def test_what_is_folded_is_printed(browser, files) -> None:
    page = browser.new_page()
    page.goto((files / "signatures-in-php.html").as_uri())
    is_seen = "document.querySelector('details table').checkVisibility()"

    assert not page.evaluate(is_seen)
    page.emulate_media(media="print")
    assert page.evaluate(is_seen)
    page.close()
