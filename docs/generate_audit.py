"""Prints docs/audit-published.md: `python docs/generate_audit.py > docs/audit-published.md`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import click

from sectax import published
from sectax.audit.checks.registry import CHECKS as checks
from sectax.audit.checks.registry import review
from sectax.audit.study import evidence_of_study
from sectax.model.finding import Severity
from sectax.model.published import PublishedStudy

_MATRIX = Path(__file__).parents[1] / "tests" / "audit" / "expected_matrix.toml"

_HEAD = """# The published studies under the audit

Made by `python docs/generate_audit.py > docs/audit-published.md`; a test holds it to the program, and the matrices
below to what every check really says of every figure, both ways: what is expected must be said, and nothing else may.

The studies are read as data: their tables as printed, and each fact about them as stated, inferred or unknown. The
checks know no study; they know sizes, operations, what ended a trial, how many trials there were. **F** means that a
conclusion drawn from the figure cannot stand, **W** that the figure cannot carry one by itself. *Silent*: the check
applies, and finds nothing. *Cannot be checked*: the study does not say what it would take. A check that is not listed
has nothing to say of the study.

A figure is 'table: row, column', and `*` stands for any. What is said of a comparison, or of the study as a whole, and
of no figure by itself, stands in brackets: that one pair of machines was measured takes nothing from the figures of
these two. Tables that a study computed from another of its own are left out: what holds of the one holds of the other.
"""


def document() -> str:
    """The whole page."""
    expected = tomllib.loads(_MATRIX.read_text(encoding="utf-8"))
    return "\n".join([_HEAD, *(part for study in published.ids() for part in _study(study, expected[study]))])


def _study(study_id: str, expected: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    study = published.load(study_id)
    yield f"## {study.title}\n\n`published:{study.id}`\n"
    yield "### What it finds\n\n" + "\n".join(_findings(study)) + "\n"
    yield "### The matrix\n\n| check | F | W | silent | cannot be checked |\n| --- | --- | --- | --- | --- |"
    for check in checks:
        if check.id in expected:
            row = (_figures(expected[check.id].get(state, [])) for state in ("F", "W", "silent", "cannot"))
            yield f"| {check.id} | {' | '.join(row)} |"
    yield ""


def _findings(study: PublishedStudy) -> Iterator[str]:
    for outcome in review(evidence_of_study(study)):
        for warning in outcome.warnings:
            if warning.severity is not Severity.NOTE:
                about = f"**{warning.severity.value}** {outcome.check}, {warning.subject}"
                yield f"- {about}: {warning.saw}. That means: {warning.meaning}."


def _figures(patterns: list[str]) -> str:
    return "<br>".join(pattern.replace("*", "\\*") for pattern in patterns)


if __name__ == "__main__":
    click.echo(document(), nl=False)
