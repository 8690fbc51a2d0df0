"""The published studies under the audit: exactly what is expected of every figure under every check, and no more."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from sectax import published
from sectax.audit.checks.interface import CheckOutcome
from sectax.audit.checks.registry import CHECKS, review
from sectax.audit.form import Evidence, Quantity
from sectax.audit.study import evidence_of_study
from sectax.model.finding import Severity

EXPECTED = tomllib.loads((Path(__file__).with_name("expected_matrix.toml")).read_text(encoding="utf-8"))
STUDIES = published.ids()


class State(StrEnum):
    FATAL = "F"
    WARNING = "W"
    CANNOT = "cannot"
    SILENT = "silent"
    DOES_NOT_APPLY = "does-not-apply"


# The gravest first.
_STATES = {Severity.FATAL: State.FATAL, Severity.WARNING: State.WARNING, Severity.NOTE: State.CANNOT}


def states(outcome: CheckOutcome, figures: Iterable[str]) -> dict[str, State]:
    """The state of each of the figures under one check, by id.

    What is said of no single figure stands under its subject in brackets, as '(get against head)' or '(all figures)'.
    """
    said: dict[str, list[Severity]] = {}
    for warning in outcome.warnings:
        for key in warning.figures or (f"({warning.subject})",):
            said.setdefault(key, []).append(warning.severity)
    every = dict.fromkeys(figures, State.DOES_NOT_APPLY)
    if outcome.applies:
        every |= dict.fromkeys(outcome.seen, State.SILENT)
        if not outcome.seen and not said:
            every["(whole)"] = State.SILENT  # of comparisons, or of the source, it has nothing to say
    gravest = {key: min(severities, key=list(_STATES).index) for key, severities in said.items()}
    return every | {key: _STATES[severity] for key, severity in gravest.items()}


def audited(study: str) -> tuple[Evidence, dict[str, CheckOutcome]]:
    evidence = evidence_of_study(published.load(study))
    return evidence, {outcome.check: outcome for outcome in review(evidence)}


def expected_states(expected: dict[str, list[str]], figures: list[str]) -> dict[str, State]:
    """The state of every figure by the patterns of one row of the matrix; each must match, and no two the same."""
    every = dict.fromkeys(figures, State.DOES_NOT_APPLY)
    for state, patterns in expected.items():
        for pattern in patterns:
            matched = (
                [pattern] if pattern.startswith("(") else [figure for figure in figures if fnmatchcase(figure, pattern)]
            )
            assert matched, f"{pattern} is no figure"
            for figure in matched:
                assert every.get(figure, State.DOES_NOT_APPLY) is State.DOES_NOT_APPLY, f"{figure} stands twice"
                every[figure] = State(state)
    return every


def test_the_matrix_is_about_the_studies_and_checks_that_there_are() -> None:
    assert set(EXPECTED) == set(STUDIES)
    assert {check for rows in EXPECTED.values() for check in rows} <= {check.id for check in CHECKS}


@pytest.mark.parametrize("check", [check.id for check in CHECKS])
@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_has_its_expected_state(study: str, check: str) -> None:
    evidence, outcomes = audited(study)
    figures = [figure.id for figure in evidence.figures]

    assert states(outcomes[check], figures) == expected_states(EXPECTED[study].get(check, {}), figures)


@pytest.mark.parametrize("study", STUDIES)
def test_a_report_on_a_study_is_short_enough_to_be_read(study: str) -> None:
    _, outcomes = audited(study)
    warnings = [warning for outcome in outcomes.values() for warning in outcome.warnings]

    assert len(warnings) <= 20
    assert max(len(warning.saw) for warning in warnings) < 400


@pytest.mark.parametrize("study", STUDIES)
def test_figures_carry_base_units_and_ids_of_their_own(study: str) -> None:
    evidence, _ = audited(study)

    assert len({claim.id for claim in evidence.figures}) == len(evidence.figures)
    assert all(one.quantity is not Quantity.OTHER for one in evidence.series)


def test_computed_figures_of_a_study_are_not_evidence() -> None:
    evidence, _ = audited("confidential-vm-sysbench")

    assert {one.table for one in evidence.series} == {"total-time"}


def test_a_figure_knows_how_it_came_about() -> None:
    evidence, _ = audited("s3-default-encryption")
    figure = next(one for one in evidence.series if one.id == "get: 1MB, none")

    assert (figure.typical, figure.trials, figure.claims[0].statistic) == (0.00035, 10, None)
    assert figure.work.contains == ("head",)
    assert figure.work.size_bytes == 1e6
    assert figure.setting.withdrawn is not None


def test_statistics_in_columns_are_not_levels() -> None:
    evidence, _ = audited("secrets-extension-2022")
    figure = next(one for one in evidence.series if one.id == "hit-extension: 128 MB, p90")

    assert figure.claims[0].statistic == "p90"
    assert figure.levels == {"situation": "cache hit", "access": "extension", "memory": "128 MB"}
    assert figure.typical == pytest.approx(0.0403995089)


def test_an_algorithm_brings_its_key_and_its_library_along() -> None:
    evidence, _ = audited("jwt-php")

    assert set(evidence.contrast.entails) == {"curve", "key_bits", "library"}
