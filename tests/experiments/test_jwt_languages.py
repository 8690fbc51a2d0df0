"""Languages against each other: every token of one is verified by all others, and a tampered one by none."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from sectax.experiments.jwt.experiment import LAYERS, find_referee, subject_inputs
from sectax.experiments.jwt.keys import ALGORITHMS, make_keys
from sectax.experiments.jwt.referee import tampered
from sectax.protocol.session import AnsweredSkipped
from tests.experiments.languages import NEEDS, PRESENT, conversation, end_conversations
from tests.needs import needs

NAMES = [name for name, algorithm in ALGORITHMS.items() if algorithm.name == algorithm.protocol_name]
# Algorithms that must be in all languages.
COMMON = {"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "EdDSA"}

pytestmark = [pytest.mark.more]


@functools.cache
def keys() -> dict[str, str]:
    return make_keys(NAMES)


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    end_conversations()


def ready(language: str, operation: str, algorithm: str, layer: str) -> bool:
    parameters = {"algorithm": ALGORITHMS[algorithm].protocol_name, "layer": layer, "key_use": "parsed-once"}
    try:
        conversation(language).prepare(operation, parameters, subject_inputs(algorithm, keys()))
    except AnsweredSkipped:
        return False
    return True


@functools.cache
def tokens(language: str) -> dict[tuple[str, str], str]:
    """What the language signs, by algorithm and layer."""
    made = {}
    for algorithm in NAMES:
        for layer in LAYERS:
            if ready(language, "sign", algorithm, layer):
                token = conversation(language).witness([]).artefact
                assert token is not None
                made[algorithm, layer] = token
    return made


@pytest.mark.parametrize("language", [pytest.param(name, marks=needs(part)) for name, part in NEEDS.items()])
def test_all_languages_verify_tokens_and_reject_tampered_ones(language: str) -> None:
    signed = tokens(language)
    judged = 0

    assert {algorithm for algorithm, _ in signed} >= COMMON
    for algorithm, layer in signed:
        token = signed[algorithm, layer]
        assert find_referee("sign", algorithm, keys()).judge(token) is None, (algorithm, layer)
        for other in PRESENT:
            for other_layer in LAYERS:
                if ready(other, "verify", algorithm, other_layer):
                    accepted = conversation(other).witness([token, *tampered(token)]).accepted
                    assert accepted == [True, False, False], (algorithm, layer, other, other_layer)
                    judged += 1
    assert judged >= len(COMMON) * len(LAYERS) ** 2 * len(PRESENT)
