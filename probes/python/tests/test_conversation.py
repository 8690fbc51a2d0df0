"""Whole conversations as byte strings."""

from __future__ import annotations

import json

import pytest

from sectax_probe import jose, primitives
from sectax_probe.algorithms import ALGORITHMS
from tests import vectors
from tests.speak import CLAIMS, measure, prepare, say, token_of, witness
from tests.vectors import EDDSA, ES256, HS256, RS256, Vector

VECTORS = pytest.mark.parametrize("vector", vectors.ALL, ids=lambda vector: str(vector.algorithm))


def test_hello_says_what_is_here() -> None:
    (reply,) = say(b'{"seq": 7, "command": "hello", "protocol": 1, "colour": "blue"}\n')

    assert (reply["seq"], reply["status"], reply["protocol"]) == (7, "ok", 1)
    assert reply["runtime"]["name"] == "CPython"
    assert [library["name"] for library in reply["libraries"]] == [
        "cryptography",
        "openssl",
        "PyJWT",
        "openssl of Python",
        "argon2-cffi",
        "bcrypt",
    ]
    names = [operation["name"] for operation in reply["operations"]]
    assert names == ["empty", "sign", "verify", *primitives.PARAMETERS]
    assert reply["operations"][1]["parameters"]["algorithm"] == list(ALGORITHMS)
    assert reply["clock"]["granularity_ns"] >= 1
    assert 1 <= reply["clock"]["read_ns"] < 100_000
    assert reply["cpu_clock"]["name"] == "time.process_time_ns"
    assert reply["cpu_clock"]["granularity_ns"] >= 1
    assert 1 <= reply["cpu_clock"]["read_ns"] < 100_000


def test_the_openssl_named_is_the_one_that_cryptography_uses() -> None:
    from cryptography.hazmat.backends.openssl import backend

    (reply,) = say({"seq": 1, "command": "hello", "protocol": 1})

    named = {library["name"]: library["version"] for library in reply["libraries"]}
    assert named["openssl"] == backend.openssl_version_text()


@VECTORS
def test_the_layers_accept_each_others_tokens(vector: Vector) -> None:
    token = token_of(vector, "library")
    signing_input = token.rpartition(".")[0]
    _, primitive = say(prepare("sign", vector, "primitive", signing_input=signing_input), witness(token))
    _, library = say(prepare("verify", vector, "library", token=token), witness(primitive["artefact"]))

    assert primitive["accepted"] == [True]
    assert library["accepted"] == [True]


@VECTORS
def test_the_library_signs_the_claims_that_it_was_given(vector: Vector) -> None:
    payload = token_of(vector, "library").split(".")[1]

    assert json.loads(jose.decode(payload)) == json.loads(CLAIMS)


@pytest.mark.parametrize(
    ("vector", "layer", "each_gives"),
    [
        pytest.param(HS256, "primitive", 32, id="HS256"),
        pytest.param(RS256, "primitive", 256, id="RS256"),
        pytest.param(ES256, "primitive", None, id="ES256: the length of DER varies"),
        pytest.param(EDDSA, "primitive", 64, id="EdDSA"),
        pytest.param(ES256, "library", len(token_of(ES256, "library")), id="ES256 token"),
    ],
)
def test_bytes_are_what_the_calls_gave_out_or_null(
    vector: Vector, layer: str, each_gives: int | None
) -> None:
    _, signed, _, verified = say(
        prepare("sign", vector, layer),
        measure(4),
        prepare("verify", vector, layer, token=token_of(vector, layer)),
        measure(4),
    )

    assert signed["bytes"] == (None if each_gives is None else 4 * each_gives)
    assert verified["bytes"] is None


def test_empty_is_timed_like_all_the_others() -> None:
    empty = {"seq": 1, "command": "prepare", "operation": "empty", "parameters": {}, "inputs": {}}

    prepared, seen, batch, singles = say(empty, witness("a.b.c"), measure(1000), measure(5, each=True))

    assert prepared == {"seq": 1, "status": "ok", "witnesses": {}}
    assert (seen["artefact"], seen["accepted"], seen["witnesses"]) == (None, [False], {})
    assert batch["elapsed_ns"][0] > 0
    assert batch["cpu_ns"] > 0
    assert (singles["count"], len(singles["elapsed_ns"]), singles["bytes"]) == (5, 5, None)
    assert singles["cpu_ns"] is None


@pytest.mark.parametrize("parameters", [{"layer": "no such layer"}, "no object"])
def test_a_second_prepare_replaces_the_first_even_when_it_fails(parameters: object) -> None:
    good = prepare("sign", EDDSA, "primitive")

    replies = say(good, measure(), {**good, "parameters": parameters}, measure())

    assert [reply["status"] for reply in replies] == ["ok", "ok", "failed", "failed"]
    assert replies[3]["reason"] == "no operation is prepared"


def test_stop_is_the_last_answer() -> None:
    replies = say({"seq": 1, "command": "stop"}, {"seq": 2, "command": "hello", "protocol": 1})

    assert replies == [{"seq": 1, "status": "ok"}]


def test_the_end_of_input_ends_the_conversation() -> None:
    assert say() == []
