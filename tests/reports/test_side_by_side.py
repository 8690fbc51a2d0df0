"""The table of a run's languages, without a verdict."""

from __future__ import annotations

import pytest

from sectax.model.analysed import Analysed
from sectax.reports import side_by_side
from tests.reports.situations.signatures import simple
from tests.reports.situations.simulated import Case, Fault

# Seconds of one operation.
TRUTH = {"php/RS256": 270e-6, "php/ES256": 25e-6, "php/EdDSA": 19e-6, "python/RS256": 272e-6, "python/ES256": 23e-6}


@pytest.fixture(scope="module")
def of_two_languages() -> Analysed:
    case = Case(simple({"language": ("php", "python")}, "RS256", "ES256", "EdDSA"), TRUTH | {"python/EdDSA": 33e-6})
    case.faults = {"python/EdDSA": Fault("not in this library")}
    return case.build()


def test_every_treatment_has_a_row_and_every_language_a_column(of_two_languages: Analysed) -> None:
    _, table, notes = side_by_side.table(of_two_languages)

    assert [column.head for column in table.columns] == ["", "PHP", "Python"]
    assert [row.cells[0] for row in table.rows] == ["RS256", "ES256", "EdDSA"]
    assert [cell.split()[1] for cell in table.rows[0].cells[1:]] == ["operations/s"] * 2
    assert float(table.rows[1].cells[1].split()[0].replace(",", "")) == pytest.approx(40_000, rel=0.02)
    assert table.rows[2].cells[2] == "missing [1]"
    assert "not in this library" in notes.texts[0]
