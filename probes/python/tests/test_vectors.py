"""The examples of the RFCs, through the code that is timed."""

from __future__ import annotations

import pytest
from jwt import ExpiredSignatureError

from sectax_probe import catalogue, jose
from tests import vectors
from tests.speak import prepare, say, witness
from tests.vectors import EDDSA, ES256, HS256, RS256, Vector

KEY_USES = ["parsed-once", "parsed-per-call"]


def uses(vector: Vector) -> list[str]:
    return KEY_USES if vector is not HS256 else KEY_USES[:1]


CASES = [
    pytest.param(vector, use, id=f"{vector.algorithm}-{use}")
    for vector in vectors.ALL
    for use in uses(vector)
]


@pytest.mark.parametrize(("vector", "key_use"), CASES)
def test_the_token_of_the_rfc_is_accepted(vector: Vector, key_use: str) -> None:
    _, reply = say(prepare("verify", vector, "primitive", key_use), witness(vector.token))

    assert reply["accepted"] == [True]
    assert reply["artefact"] is None
    assert reply["witnesses"] == {"alg": vector.algorithm}


@pytest.mark.parametrize(("vector", "key_use"), [case for case in CASES if case.values[0] is not ES256])
def test_a_deterministic_signature_is_that_of_the_rfc(vector: Vector, key_use: str) -> None:
    _, reply = say(prepare("sign", vector, "primitive", key_use), witness(vector.token))

    assert reply["artefact"] == vector.token
    assert reply["accepted"] == [True]


def test_an_ecdsa_signature_is_new_every_time_and_always_in_jose_form() -> None:
    replies = say(prepare("sign", ES256, "primitive"), *[witness(ES256.token)] * 50)[1:]

    tokens = {reply["artefact"] for reply in replies}
    assert len(tokens) == 50
    assert {len(jose.parse(token).signature) for token in tokens} == {64}
    assert all(reply["accepted"] == [True] for reply in replies)


@pytest.mark.parametrize("vector", [HS256, RS256, ES256], ids=lambda vector: str(vector.algorithm))
def test_pyjwt_accepts_the_signature_and_stops_at_the_expiry_of_2011(vector: Vector) -> None:
    parameters = {"algorithm": vector.algorithm, "layer": "library", "key_use": "parsed-once"}
    operation = catalogue.prepare("verify", parameters, {**vector.keys, "token": vector.token})

    with pytest.raises(ExpiredSignatureError):
        operation.call()


@pytest.mark.parametrize(
    ("vector", "witnesses"),
    [
        pytest.param(HS256, {"key_type": "oct", "key_bits": 512}, id="HS256"),
        pytest.param(RS256, {"key_type": "RSA", "key_bits": 2048}, id="RS256"),
        pytest.param(ES256, {"key_type": "EC", "key_bits": 256, "curve": "P-256"}, id="ES256"),
        pytest.param(EDDSA, {"key_type": "OKP", "key_bits": 256, "curve": "Ed25519"}, id="EdDSA"),
    ],
)
@pytest.mark.parametrize("operation", ["sign", "verify"])
@pytest.mark.parametrize("layer", ["primitive", "library"])
def test_the_key_is_described_as_it_was_read(
    vector: Vector, witnesses: dict[str, object], operation: str, layer: str
) -> None:
    (reply,) = say(prepare(operation, vector, layer))

    implementation = reply["witnesses"].pop("implementation")
    assert reply["witnesses"] == witnesses
    assert implementation.startswith("PyJWT/" if layer == "library" else "cryptography/")
