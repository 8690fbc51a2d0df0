"""`make studies`: what it writes of a study that was measured, and what it says of one that cannot be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/studies.py"


@pytest.fixture(scope="module")
def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["studies"] = module  # dataclasses look for the module of their annotations
    spec.loader.exec_module(module)
    return module


def test_what_sectax_refuses_is_a_reason_and_no_page(studies: ModuleType, tmp_path: Path) -> None:
    """An experiment that has no such form; whether something is missing here is sectax's own word."""
    study = studies.Study("jwt-php", "command")

    outcome = studies.measure(study, tmp_path, quick=True)

    assert outcome.reason.startswith("skipped: ")
    assert "--published" in outcome.reason
    assert not outcome.text
    assert not outcome.failed
    assert list(tmp_path.iterdir()) == []


def test_the_index_names_the_reason_where_there_is_no_page(studies: ModuleType, tmp_path: Path, agreed) -> None:
    (tmp_path / "jwt-php.md").write_text("# jwt\n\nMeasured 2026-11-22 on something.\n")

    text = studies.index_text(tmp_path, {"s3-default-encryption": "skipped: SeaweedFS is *not* set up"})

    agreed(text)


@pytest.mark.more
def test_a_study_that_can_be_measured_gets_its_pages(studies: ModuleType, tmp_path: Path) -> None:
    study = studies.Study("jwt-php", "jwt", ("--level", "language=python", "--level", "algorithm=RS256,HS256"))

    outcome = studies.measure(study, tmp_path, quick=True)

    assert (outcome.reason, outcome.failed) == ("", False)
    assert "    sectax compare jwt-php.sectax published:jwt-php" in outcome.text
    pages = sorted(tmp_path.glob("*.html"))
    assert [page.name for page in pages] == ["jwt-php-audit.html", "jwt-php-beside.html", "jwt-php-measured.html"]
    for page in pages:
        assert 'content="sectax"' in page.read_text()
        for own in (ROOT, Path.home(), tmp_path):
            assert f"{own}/" not in page.read_text(), "a page that is shared names no folder of whoever measured it"


def _report(*costs: tuple[str, str, float, float]) -> dict[str, object]:
    treatments = [
        {
            "id": f"{language}/{algorithm}",
            "role": "treatment",
            "levels": {"operation": "sign", "language": language, "algorithm": algorithm},
            "estimates": [{"metric": "cpu_time", "estimate": {"low": low, "high": high}}],
        }
        for language, algorithm, low, high in costs
    ]
    plan = {"control": "algorithm", "metrics": [{"name": "cpu_time"}]}
    java = {"treatment": "java/ES256", "metric": "cpu_time", "verdict": {"id": "inconclusive"}}
    return {"plan": plan, "treatments": treatments, "findings": [java] if costs[-1][0] == "java" else []}


def test_the_order_is_reported_by_language_where_it_is_known(studies: ModuleType, agreed) -> None:
    report = _report(
        *(("php", "RS256", 9, 10), ("php", "EdDSA", 1, 2), ("php", "ES256", 3, 4)),
        *(("go", "RS256", 9, 10), ("go", "EdDSA", 1, 2), ("go", "ES256", 3, 4)),
        *(("node", "RS256", 9, 10), ("node", "EdDSA", 3, 5), ("node", "ES256", 2, 4)),
        *(("java", "RS256", 9, 10), ("java", "ES256", 7, 8)),
    )

    agreed(*studies.orders(report))
