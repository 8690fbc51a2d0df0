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
    assert headings(folder / "a.html")[0] == "What to do"


def test_the_end_of_a_files_name_says_what_it_holds(folder, tmp_path):
    beginnings = {"a.md": b"# ", "a.html": b"<!doctype html>", "a.csv": b"run", "a.json": b"{", "a.svg": b"<svg "}
    for name in beginnings:
        assert sectax("report", str(folder / "a.sectax"), "--out", name, folder=tmp_path).status == 0
    refused = sectax("report", str(folder / "a.sectax"), "--out", "a.pdf", folder=tmp_path)

    assert {
        name: (tmp_path / name).read_bytes()[: len(text)].lower() for name, text in beginnings.items()
    } == beginnings
    assert refused.status == 2
    assert ".html" in refused.err
    assert not (tmp_path / "a.pdf").exists()


def test_the_command_to_repeat_makes_the_same_plan(folder):
    text = (folder / "a.html").read_text()
    (command,) = re.findall(r"<code>(sectax run [^<]*)</code>", text)[:1]
    _, *words = shlex.split(html.unescape(command))
    given = ("--baseline", "true", "--treatment", "slow=sleep 0.01", "--blocks", "6", "--seed", "1")

    first = sectax("run", "command", *given, "--dry-run", "--json", folder=folder)
    second = sectax(*words, "--dry-run", "--json", folder=folder)

    assert second.status == 0, second.err
    assert first.out == second.out


def test_comparisons_and_audits_have_pages(folder):
    words = ("--baseline", "true", "--treatment", "slow=sleep 0.01", "--blocks", "6", "--out", "again.sectax")
    again = sectax("run", "command", *words, folder=folder, simulated=1)
    compared = sectax("compare", "a.sectax", "again.sectax", "--html", "compared.html", folder=folder)
    published = sectax("audit", "published:jwt-php", "--html", "audit.html", "--json", folder=folder)

    assert (again.status, compared.status, published.status) == (0, 0, 0), compared.err
    assert "Effects" in headings(folder / "compared.html")
    assert "What fired" in headings(folder / "audit.html")
    assert published.out.startswith("{")
