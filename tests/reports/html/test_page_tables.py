"""What stands beside the picture of a page: the steps of treatments, folded tables, every check of the audit."""

from __future__ import annotations

import pytest

from sectax.model.advice import Anatomy, AnatomyPart, Breakdown
from sectax.model.finding import Estimate
from sectax.reports import forest
from sectax.reports.page_tables import where_it_goes
from tests.reports import situations
from tests.reports.html.pages import of_class, one, page_of, parsed, words


def test_a_step_that_is_too_noisy_has_no_figure() -> None:
    plan = situations.signatures_in_php().measured.plan
    known = Estimate(1e-3, 0.9e-3, 1.1e-3, 0.95, "", 12, "s"), Estimate(0.5, 0.45, 0.55, 0.95, "", 12, "share")
    noisy = Estimate(1e-3, -9e-3, 11e-3, 0.95, "", 12, "s"), Estimate(0.5, -4.5, 5.5, 0.95, "", 12, "share")
    cell = plan.cells[0]
    anatomy = Anatomy(cell.id, cell.baseline, (AnatomyPart("parsing", *known), AnatomyPart("checking", *noisy)))

    (table,) = where_it_goes(plan, Breakdown(plan.metrics[0].name, (anatomy,)))

    assert [row.cells[1:3] for row in table.rows] == [("parsing", "1 ms"), ("checking", "")]


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
