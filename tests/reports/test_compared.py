"""Comparisons in every format."""

from __future__ import annotations

import json as reader
from dataclasses import replace

import pytest
from rich.cells import cell_len

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published
from sectax.cli import present
from sectax.model.compared import Figure, PublishedComparison, RunComparison, Side
from sectax.reports import json, terminal
from tests.reports import situations
from tests.schemas import follows_its_schema


def compared_with_study() -> PublishedComparison:
    return compare_with_published(situations.published_preset(), published.load("jwt-php"))


def compared_with_study_with_gaps() -> PublishedComparison:
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
    a = situations.two_commands()
    plan = a.measured.plan
    options = plan.options | {"treatment": ("with-tls=curl -s --tls-max 1.2 https://localhost:8443/1m",)}
    again = replace(plan, preset="quick", batch_s=0.005, options=options)
    return compare_runs(a, replace(a, measured=replace(a.measured, run_id="c5", plan=again)))


def printed(comparison: PublishedComparison | RunComparison, width: int = 100, *, show_all: bool = True) -> str:
    return terminal.render(present.document(comparison, show_all=show_all), width=width, colour=False)


EVERY = pytest.mark.parametrize(
    "make", [compared_with_study, compared_with_study_with_gaps, same_host, other_host, other_commands]
)


@EVERY
def test_comparison_is_as_agreed(make, golden) -> None:
    golden(f"compared/{make.__name__.replace('_', '-')}.txt", printed(make()))


def test_missing_figures_are_one_sentence_without_all(golden) -> None:
    golden("compared/compared-with-study-in-short.txt", printed(compared_with_study_with_gaps(), show_all=False))


@EVERY
def test_document_of_a_comparison_follows_its_schema(make) -> None:
    follows_its_schema(reader.loads(json.document(make())))


def test_run_without_a_matching_figure_gets_one_line_with_the_reason() -> None:
    beside = compared_with_study()

    def without(why: str) -> PublishedComparison:
        def bare(sides: tuple[Side, ...]) -> tuple[Side, ...]:
            return tuple(
                Side(side.name, tuple(tuple(Figure(None, why) for _ in row) for row in side.figures)) for side in sides
            )

        return replace(beside, tables=tuple(replace(table, here=bare(table.here)) for table in beside.tables))

    for why in ("not part of this run", "measured in s, printed in operations/s"):
        comparison_document = present.document(without(why), show_all=False)
        (answer,) = comparison_document.answers
        (line,) = answer.blocks
        assert why in " ".join(line.texts)
        assert "missing" not in printed(without(why))


def test_a_ratio_that_is_too_noisy_is_not_compared() -> None:
    beside = compared_with_study()
    table, *others = beside.tables
    blurred = tuple(
        replace(shape, here=tuple(replace(figure, low=1e-3, high=1e3) for figure in shape.here)) for shape in table.down
    )
    noisy = replace(beside, tables=(replace(table, down=blurred, across=()), *others))

    text = " ".join(printed(noisy, width=400).split())

    assert f"{len(blurred)} too noisy" in text
    assert "published ratios" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_comparisons_fit_the_terminal(width: int) -> None:
    texts = [
        printed(comparison_document, width) for comparison_document in (compared_with_study_with_gaps(), other_host())
    ]

    assert [line for text in texts for line in text.splitlines() if cell_len(line) > width] == []
