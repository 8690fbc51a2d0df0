"""What stands beside the picture of a page: folded tables, every check of the audit."""

from __future__ import annotations

import pytest

from sectax.reports import forest
from tests.reports import situations
from tests.reports.html.pages import of_class, one, page_of, parsed, words


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


def test_every_check_of_the_audit_is_on_the_page() -> None:
    analysed = situations.signatures_in_php()

    sections = of_class(parsed(page_of(analysed)), "details", "detail")

    (audit,) = [section for section in sections if words(section.find("summary")) == "Audit"]
    named = [words(row.find("th")) for row in audit.findall(".//tbody/tr")]
    assert named == [check.check for check in analysed.checks]
    assert len(named) > 20
