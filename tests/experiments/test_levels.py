"""Factors and levels that a user asks for: they are the question, so their comparisons are the primary ones."""

from __future__ import annotations

import pytest

from sectax.experiments.levels import choose
from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor
from tests.experiments.plans import primary
from tests.machines import plan_of

KNOWN = (Factor("algorithm", ("RS256", "ES256", "EdDSA")), Factor("operation", ("sign", "verify")))


def test_a_users_levels_replace_the_presets_and_all_means_all():
    preset = {"algorithm": ("RS256",)}

    assert choose(KNOWN, preset, {})[0].levels == ("RS256",)
    assert choose(KNOWN, preset, {"algorithm": ("all",)})[0].levels == KNOWN[0].levels


@pytest.mark.parametrize(
    ("asked", "missing", "hint"),
    [
        ({"algoritm": ("RS256",)}, "algoritm", "algorithm"),
        ({"algorithm": ("eddsaa",)}, "eddsaa", "EdDSA"),
        ({"operation": ("encrypt",)}, "encrypt", "sign, verify"),
    ],
)
def test_an_unknown_name_is_rejected_with_a_near_match(asked, missing, hint):
    with pytest.raises(WrongUse, match=missing) as caught:
        choose(KNOWN, {}, asked)

    assert hint in caught.value.hint


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
    assert set() < primary(plan_of(experiment), factor) <= usual
    assert primary(plan_of(experiment, "default", {factor: (chosen,)}), factor) == {chosen}


def test_the_other_factors_keep_what_answers_the_question() -> None:
    chosen = {"layer": ("library",), "language": ("php",)}

    assert primary(plan_of("jwt", "default", chosen), "key_use") == {"parsed-once"}
