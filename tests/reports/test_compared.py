"""Comparisons in every format."""

from __future__ import annotations

import json as reader
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rich.cells import cell_len

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published
from sectax.model.compared import Figure, PublishedComparison, RunComparison, Side
from sectax.reports import json, terminal
from sectax.reports.document import Lines
from sectax.workflow import present
from tests.reports import situations

Golden = Callable[[str, str], None]

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def beside_the_study() -> PublishedComparison:
    return compare_with_published(situations.published_preset(), published.load("jwt-php"))


def beside_the_study_with_gaps() -> PublishedComparison:
    return compare_with_published(situations.treatment_failed_in_the_pilot(), published.load("jwt-php"))


def same_host() -> RunComparison:
    return compare_runs(situations.signatures_in_php(), situations.verdict_withdrawn())


def other_host() -> RunComparison:
    b = situations.signatures_in_php()
    session = b.measured.sessions[0]
    moved = replace(session, identity=session.identity | {"host.cpu_model": "Ampere Altra", "sectax": "0.2.0"})
    return compare_runs(
        situations.published_preset(), replace(b, measured=replace(b.measured, run_id="b4", sessions=(moved,)))
    )


def other_commands() -> RunComparison:
    a = situations.commands()
    plan = a.measured.plan
    options = plan.options | {"treatment": ("with-tls=curl -s --tls-max 1.2 https://localhost:8443/1m",)}
    again = replace(plan, preset="quick", batch_s=0.005, options=options)
    return compare_runs(a, replace(a, measured=replace(a.measured, run_id="c5", plan=again)))


def printed(comparison: PublishedComparison | RunComparison, width: int = 100, *, show_all: bool = True) -> str:
    return terminal.render(present.document(comparison, show_all=show_all), width=width, colour=False)


STUDIES = pytest.mark.parametrize("make", [beside_the_study, beside_the_study_with_gaps])
RUNS = pytest.mark.parametrize("make", [same_host, other_host, other_commands])


def name(make: Callable[[], object]) -> str:
    return make.__name__.replace("_", "-")


@STUDIES
def test_run_beside_a_study_is_as_agreed(make: Callable[[], PublishedComparison], golden: Golden) -> None:
    golden(f"compared/{name(make)}.txt", printed(make()))


def test_what_a_run_lacks_of_a_study_is_one_sentence_unless_all_is_asked_for(golden: Golden) -> None:
    golden("compared/beside-the-study-in-short.txt", printed(beside_the_study_with_gaps(), show_all=False))


@RUNS
def test_run_beside_a_run_is_as_agreed(make: Callable[[], RunComparison], golden: Golden) -> None:
    golden(f"compared/{name(make)}.txt", printed(make()))


@STUDIES
def test_document_beside_a_study_follows_its_schema(make: Callable[[], PublishedComparison]) -> None:
    _follows("published-comparison-1.json", json.document(make()))


@RUNS
def test_document_beside_a_run_follows_its_schema(make: Callable[[], RunComparison]) -> None:
    _follows("run-comparison-1.json", json.document(make()))


def test_a_run_of_nothing_in_the_study_is_one_line_and_another_unit_is_named() -> None:
    beside = beside_the_study()

    def without(why: str) -> PublishedComparison:
        def bare(sides: tuple[Side, ...]) -> tuple[Side, ...]:
            return tuple(
                Side(side.name, tuple(tuple(Figure(None, why) for _ in row) for row in side.figures)) for side in sides
            )

        return replace(beside, tables=tuple(replace(table, here=bare(table.here)) for table in beside.tables))

    for why in ("not part of this run", "measured in s, printed in operations/s"):
        made = present.document(without(why), show_all=False)
        (answer,) = made.answers
        (line,) = answer.blocks
        assert isinstance(line, Lines)
        assert why in " ".join(line.texts)
        assert "missing" not in printed(without(why))


def test_a_ratio_that_is_too_noisy_is_neither_alike_nor_unlike() -> None:
    beside = beside_the_study()
    table, *others = beside.tables
    blurred = tuple(
        replace(shape, here=tuple(replace(figure, low=1e-3, high=1e3) for figure in shape.here)) for shape in table.down
    )
    noisy = replace(beside, tables=(replace(table, down=blurred, across=()), *others))

    text = " ".join(printed(noisy, width=400).split())

    assert f"{len(blurred)} too noisy" in text
    assert "interval in" not in text


def _follows(schema_name: str, document: bytes) -> None:
    schema = reader.loads((SCHEMAS / schema_name).read_text())
    Draft202012Validator.check_schema(schema)
    told = reader.loads(document)
    Draft202012Validator(schema).validate(told)
    assert told["schema"] == schema["properties"]["schema"]["const"]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_comparisons_fit_the_terminal(width: int) -> None:
    texts = [
        printed(beside_the_study_with_gaps(), width),
        printed(other_host(), width),
    ]

    assert [line for text in texts for line in text.splitlines() if cell_len(line) > width] == []
