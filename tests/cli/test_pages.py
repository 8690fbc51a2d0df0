"""Pages as a user gets them: of a run, of a comparison, of an audit."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import html5lib
import pytest

from tests.program import sectax


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with one run, and the page that was written with it."""
    made = tmp_path_factory.mktemp("pages")
    words = ("--baseline", "true", "--treatment", "slow=sleep 0.01", "--blocks", "6", "--out", "a.sectax")
    result = sectax("run", "command", *words, "--html", "a.html", folder=made, simulated=1)
    assert result.status == 0, result.err
    assert "page: a.html" in result.err
    return made


def headings(page: Path) -> list[str]:
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page.read_text())
    return ["".join(tag.itertext()) for tag in root.iter("h2")]


def test_the_page_of_a_run_is_the_same_made_later_from_its_file(folder):
    result = sectax("report", "a.sectax", "--format", "html", "--out", "later.html", folder=folder)

    assert (result.status, result.out) == (0, "later.html\n")
    assert (folder / "later.html").read_text() == (folder / "a.html").read_text()
    assert headings(folder / "a.html")


def test_the_command_to_repeat_makes_the_same_plan(folder):
    text = (folder / "a.html").read_text()
    (command,) = re.findall(r"<code>(sectax run [^<]*)</code>", text)[:1]
    _, *words = shlex.split(html.unescape(command))
    given = ("--baseline", "true", "--treatment", "slow=sleep 0.01", "--blocks", "6", "--seed", "1")

    first = sectax("run", "command", *given, "--dry-run", "--json", folder=folder)
    second = sectax(*words, "--dry-run", "--json", folder=folder)

    assert second.status == 0, second.err
    assert first.out == second.out
