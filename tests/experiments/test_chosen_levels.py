"""The levels that somebody chose are the question: their comparisons are the primary ones."""

from __future__ import annotations

import pytest

from sectax.model.treatment import Standing
from tests.machines import plan_of


def primary_levels(
    experiment: str, factor: str, levels: dict[str, tuple[str, ...]], preset: str = "default"
) -> set[str]:
    plan = plan_of(experiment, preset, levels)
    primary = [comparison for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY]
    assert primary
    return {plan.treatment(comparison.treatment).levels[factor] for comparison in primary}


@pytest.mark.parametrize(
    ("experiment", "factor", "usual", "chosen"),
    [
        ("jwt", "layer", {"primitive"}, "library"),
        ("jwt", "key_use", {"parsed-once"}, "parsed-per-call"),
        ("s3", "operation", {"put", "get"}, "head"),
        ("hmac", "memory", {"128"}, "512"),
    ],
)
def test_chosen_levels_have_the_primary_comparisons(experiment: str, factor: str, usual: set[str], chosen: str) -> None:
    assert primary_levels(experiment, factor, {}) <= usual
    assert primary_levels(experiment, factor, {factor: (chosen,)}) == {chosen}


def test_the_other_factors_keep_what_answers_the_question() -> None:
    chosen = {"layer": ("library",), "language": ("php",)}

    assert primary_levels("jwt", "key_use", chosen) == {"parsed-once"}
