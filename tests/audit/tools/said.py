"""What the audit says of a text."""

from __future__ import annotations

from pathlib import Path

from sectax.audit.checks.registry import review
from sectax.audit.form import Evidence
from sectax.audit.reading.registry import read
from sectax.model.finding import Severity

SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def build_evidence(text: str) -> Evidence:
    return read(text)[1]


def said(text: str) -> set[tuple[str, str]]:
    """(severity, check) of everything that is marked F or W."""
    outcomes = review(build_evidence(text))
    return {
        (warning.severity.value, outcome.check)
        for outcome in outcomes
        for warning in outcome.warnings
        if warning.severity is not Severity.NOTE
    }
