"""Factors and levels that a user asks for."""

from __future__ import annotations

import pytest

from sectax.experiments.levels import choose
from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor

KNOWN = (Factor("algorithm", ("RS256", "ES256", "EdDSA")), Factor("operation", ("sign", "verify")))


def test_levels_come_in_the_factors_order_whatever_the_order_of_asking():
    chosen = choose(KNOWN, {}, {"algorithm": ("EdDSA", "RS256", "EdDSA")})

    assert chosen == (Factor("algorithm", ("RS256", "EdDSA")), KNOWN[1])


def test_a_users_levels_replace_the_presets_and_all_means_all():
    preset = {"algorithm": ("RS256",)}

    assert choose(KNOWN, preset, {})[0].levels == ("RS256",)
    assert choose(KNOWN, preset, {"algorithm": ("all",)})[0].levels == KNOWN[0].levels


@pytest.mark.parametrize(
    ("asked", "says", "hint"),
    [
        ({"algoritm": ("RS256",)}, "no factor 'algoritm'", "did you mean algorithm?"),
        ({"algorithm": ("eddsaa",)}, "no level 'eddsaa'", "did you mean EdDSA?"),
        ({"operation": ("encrypt",)}, "no level 'encrypt'", "there are: sign, verify"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_is_near(asked, says, hint):
    with pytest.raises(WrongUse, match=says) as caught:
        choose(KNOWN, {}, asked)

    assert hint in caught.value.hint
