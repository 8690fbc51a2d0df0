"""Writes docs/audit-published.md, and the tables of docs/audit.md: `python docs/generate_audit.py`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from sectax import published
from sectax.audit.checks.registry import CHECKS as checks
from sectax.audit.checks.registry import review
from sectax.audit.own.registry import CHECKS as OWN
from sectax.audit.reading.registry import grammar_modules
from sectax.audit.study import evidence_of_study
from sectax.model.finding import Severity
from sectax.model.published import PublishedStudy

_PUBLISHED, _AUDIT = (Path(__file__).with_name(name) for name in ("audit-published.md", "audit.md"))
_MATRIX = Path(__file__).parents[1] / "tests" / "audit" / "expected_matrix.toml"

_HEAD = """# The published studies under the audit

Made by `python docs/generate_audit.py`; a test holds it to the program, and the matrices
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


def with_tables(page: str) -> str:
    """docs/audit.md with its tables as the program has them."""
    tables = {
        "formats": _table("`--format`", "the tool, and where its output is defined", _formats()),
        "checks": _table("check", "rule", ((f"`{check.id}`", check.rule) for check in checks)),
        "own": _table("check", "rule", ((f"`{check.id}`", check.rule) for check in OWN)),
    }
    for name, table in tables.items():
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
            lambda found, table=table: f"{found[1]}{table}{found[2]}",  # type: ignore[misc]
            page,
            flags=re.DOTALL,
        )
    return page


def _table(first: str, second: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {first} | {second} |", "| --- | --- |", *(f"| {one} | {other} |" for one, other in rows)]
    return "\n".join(lines) + "\n"


def _formats() -> Iterator[tuple[str, str]]:
    """Every format, with the first line of its file."""
    about: dict[str, list[str]] = {}
    for module in grammar_modules():
        for grammar in module.GRAMMARS:
            line = (module.__doc__ or "").partition("\n")[0].removesuffix(".")
            if line not in about.setdefault(grammar.name, []):
                about[grammar.name].append(line)
    yield from ((f"`{name}`", "; ".join(lines)) for name, lines in about.items())
    yield "`csv`", "any table: CSV, TSV, Markdown, columns separated by blanks"


def main() -> None:
    """Write both pages."""
    _PUBLISHED.write_text(document(), encoding="utf-8")
    _AUDIT.write_text(with_tables(_AUDIT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
