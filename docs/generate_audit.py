"""Writes docs/audit-published.md, and the tables of docs/audit.md: `python docs/generate_audit.py`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from sectax import published
from sectax.audit.checks.registry import CHECKS as checks
from sectax.audit.checks.registry import ORDER, review
from sectax.audit.own.registry import CHECKS as OWN
from sectax.audit.reading.registry import grammar_modules, of_module
from sectax.audit.study import evidence_of_study
from sectax.model.finding import Severity
from sectax.model.published import PublishedStudy

_PUBLISHED, _AUDIT = (Path(__file__).with_name(name) for name in ("audit-published.md", "audit.md"))
_OUTPUTS = Path(__file__).parents[1] / "benchmarks" / "outputs.json"
_MATRIX = Path(__file__).parents[1] / "tests" / "audit" / "expected_matrix.toml"

_HEAD = """# The published studies under the audit

`python docs/generate_audit.py` writes this page; tests compare it with the program, and every cell below with what each
check reports of each figure.

A study is data here: its tables as printed, and each fact about them as stated, inferred or unknown. No check knows a
study. **F**: a conclusion drawn from the figure cannot stand. **W**: the figure cannot support one by itself. *Silent*:
the check applies and finds nothing. *Not checked*: the study does not report what the check needs.

A figure is 'table: row, column'; `*` stands for any. What concerns a comparison or the whole study, and not one figure,
is in brackets. Tables that a study computed from its others are left out.
"""


def document() -> str:
    """The whole page."""
    expected = tomllib.loads(_MATRIX.read_text(encoding="utf-8"))
    return "\n".join([_HEAD, *(part for study in published.ids() for part in _study(study, expected[study]))])


def _study(study_id: str, expected: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    study = published.load(study_id)
    yield f"## {study.title}\n\n`published:{study.id}`\n"
    yield "\n".join(_findings(study)) or "The audit finds nothing in it."
    made = {check.id: expected[check.id] for check in checks if expected.get(check.id, {}).keys() - {"cannot"}}
    if made:
        yield "\n| check | F | W | silent | not checked |\n| --- | --- | --- | --- | --- |"
    for check, states in made.items():
        yield f"| {check} | {' | '.join(_figures(states.get(state, [])) for state in ('F', 'W', 'silent', 'cannot'))} |"
    unmade = [check.id for check in checks if check.id in expected and check.id not in made]
    yield f"\nNot checked in any figure: {', '.join(unmade)}.\n"


def _findings(study: PublishedStudy) -> Iterator[str]:
    for outcome in review(evidence_of_study(study)):
        for warning in outcome.warnings:
            if warning.severity is not Severity.NOTE:
                about = f"**{warning.severity.value}** {outcome.check}, {warning.subject}"
                yield f"- {about}: {warning.saw}: {warning.meaning}."


def _figures(patterns: list[str]) -> str:
    return "<br>".join(pattern.replace("*", "\\*") for pattern in patterns)


def with_tables(page: str) -> str:
    """docs/audit.md with its tables as the program has them, and the versions that `benchmarks.outputs` saw."""
    tables = {
        "formats": _table("`--format`", "the tool, where its output is defined, and what its figures mean", _formats()),
        "checks": _table("check", "rule", _checks()),
        "outputs": f"{_versions()}\n",
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


def _checks() -> Iterator[tuple[str, str]]:
    """Every check, with its rule on published numbers and on sectax runs."""
    published_rules, own_rules = ({check.id: check.rule for check in every} for every in (checks, OWN))
    for check in ORDER.split():
        rule, own = published_rules.get(check), own_rules.get(check)
        if rule is None:
            yield f"`{check}`", f"*Sectax runs only.* {own}"
        else:
            more = "" if own is None else "<br>*Sectax runs too.*" if own == rule else f"<br>*Sectax runs:* {own}"
            yield f"`{check}`", f"{rule}{more}"


def _versions() -> str:
    by_date: dict[str, list[str]] = {}
    for name, seen in json.loads(_OUTPUTS.read_text(encoding="utf-8")).items():
        by_date.setdefault(seen["date"], []).append(f"{name} {seen['version']}")
    shown = "; ".join(f"on {date} {', '.join(tools)}" for date, tools in sorted(by_date.items()))
    return f"`python -m benchmarks.outputs` reads what the newest releases print: {shown}."


def _formats() -> Iterator[tuple[str, str]]:
    """Every format, with the first line of its file and the meaning of its figures."""
    about: dict[str, list[str]] = {}
    for module in grammar_modules():
        for grammar in of_module(module):
            lines = about.setdefault(grammar.name, [])
            lines += [(module.__doc__ or "").partition("\n")[0], grammar.means]
    yield from ((f"`{name}`", " ".join(filter(None, dict.fromkeys(lines)))) for name, lines in about.items())
    yield "`csv`", "any table: CSV, TSV, Markdown, columns separated by blanks"


def main() -> None:
    """Write both pages."""
    _PUBLISHED.write_text(document(), encoding="utf-8")
    _AUDIT.write_text(with_tables(_AUDIT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
