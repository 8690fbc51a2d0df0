"""`make studies`: what it writes of a study that was measured, and what it says of one that cannot be."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sectax import published
from sectax.experiments import registry

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/studies.py"


@pytest.fixture(scope="module")
def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["studies"] = module  # dataclasses look for the module of their annotations
    spec.loader.exec_module(module)
    return module


def test_every_published_study_that_can_be_measured_again_has_its_experiment(studies: ModuleType) -> None:
    again = {name for name in published.ids() if published.load(name).counterpart is not None}
    assert {study.id for study in studies.STUDIES} == again
    assert {study.experiment for study in studies.STUDIES} <= set(registry.names())


def test_what_sectax_refuses_is_a_reason_and_no_page(studies: ModuleType, tmp_path: Path) -> None:
    """An experiment that has no such form; whether something is missing here is sectax's own word."""
    study = studies.Study("jwt-php", "command")

    outcome = studies.measure(study, tmp_path, quick=True)

    assert outcome.reason.startswith("skipped: ")
    assert "--published" in outcome.reason
    assert not outcome.text
    assert not outcome.failed
    assert list(tmp_path.iterdir()) == []


def test_the_index_names_the_reason_where_there_is_no_page(studies: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "jwt-php.md").write_text("# jwt\n\nMeasured 2026-11-22 on something.\n")

    text = studies.index_text(tmp_path, {"s3-default-encryption": "skipped: MinIO is *not* set up"})

    assert "- [jwt: jwt-php](jwt-php.md). Measured 2026-11-22 on something." in text
    assert r"- s3: s3-default-encryption: skipped: MinIO is \*not\* set up" in text
    assert "- hmac: hmac-lambda-2023: not measured yet" in text


def test_an_experiment_without_a_study_is_refused() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "nonsense"], capture_output=True, text=True)

    assert done.returncode == 2
    assert "nonsense" in done.stderr


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


def test_the_order_is_reported_by_language_where_it_is_known(studies: ModuleType) -> None:
    report = _report(
        *(("php", "RS256", 9, 10), ("php", "EdDSA", 1, 2), ("php", "ES256", 3, 4)),
        *(("go", "RS256", 9, 10), ("go", "EdDSA", 1, 2), ("go", "ES256", 3, 4)),
        *(("node", "RS256", 9, 10), ("node", "EdDSA", 3, 5), ("node", "ES256", 2, 4)),
        *(("java", "RS256", 9, 10), ("java", "ES256", 7, 8)),
    )

    assert studies.orders(report) == [
        "- sign, cheapest first: php, go: EdDSA, ES256, RS256; node: ES256 ~ EdDSA, RS256; java: undecided."
    ]


def test_what_the_other_languages_say_names_its_run(studies: ModuleType) -> None:
    report = json.loads((ROOT / "tests/reports/golden/json/signatures-in-php.json").read_text())

    words = studies.elsewhere_words([*studies.session(report), "    sectax run jwt", *studies.orders(report)])

    assert words[:3] == [
        "## In other languages",
        "Measured 2026-03-02 on AMD EPYC 7B13, 14 blocks.",
        "    sectax run jwt",
    ]
    assert words[3].count("cheapest first: php: ") == 2
