"""Nobody times a no-op: a token changed anywhere is refused by both layers and both counterparts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sectax_probe import jose
from tests import vectors
from tests.speak import measure, prepare, say, token_of, witness
from tests.vectors import Vector

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

pytestmark = [
    pytest.mark.parametrize("layer", ["primitive", "library"]),
    pytest.mark.parametrize("vector", vectors.ALL, ids=lambda vector: str(vector.algorithm)),
]


def changed_characters(token: str) -> Iterator[str]:
    """Change every character by its highest bit, and by its lowest, which the last of a part may not use."""
    for index, character in enumerate(token):
        if character == ".":
            yield token[:index] + token[index + 1 :]
            continue
        for bit in (1, 32):
            other = ALPHABET[ALPHABET.index(character) ^ bit]
            yield token[:index] + other + token[index + 1 :]


def changed_bytes(token: str) -> Iterator[str]:
    parts = token.split(".")
    for part in range(3):
        data = jose.decode(parts[part])
        for index in range(len(data)):
            changed = bytearray(data)
            changed[index] ^= 0x01
            yield ".".join([*parts[:part], jose.encode(bytes(changed)), *parts[part + 1 :]])


def strange(token: str) -> list[str]:
    header, payload, signature = token.split(".")
    no_algorithm = jose.encode(b'{"alg":"none"}')
    return [
        "",
        "..",
        "a.b.c",
        f"{header}.{payload}.",
        f"{header}.{payload}",
        f"{header}..{signature}",
        f"{no_algorithm}.{payload}.",
        f"{no_algorithm}.{payload}.{signature}",
        f"{header}.{payload}.{signature}AA",
        f"{header}.{payload}.{signature}!",
        f" {token}",
        f"{token}\n",
        f"{token}.{signature}",
        f"{header}.{payload}.é",
        f"[].{payload}.{signature}",
    ]


@pytest.mark.parametrize("operation", ["sign", "verify"])
def test_every_change_is_refused_and_the_genuine_token_accepted(
    vector: Vector, layer: str, operation: str
) -> None:
    token = token_of(vector, layer)
    tampered = [*changed_characters(token), *changed_bytes(token), *strange(token)]

    _, reply = say(prepare(operation, vector, layer, token=token), witness(token, *tampered, token))

    assert reply["status"] == "ok", reply
    accepted = [text for text, yes in zip(tampered, reply["accepted"][1:-1], strict=True) if yes]
    assert accepted == []
    assert reply["accepted"][0]
    assert reply["accepted"][-1]


def test_verifying_a_tampered_token_counts_every_call_as_a_failure(vector: Vector, layer: str) -> None:
    token = token_of(vector, layer)
    header, payload, signature = token.split(".")
    data = bytearray(jose.decode(signature))
    data[7] ^= 0x01
    tampered = f"{header}.{payload}.{jose.encode(bytes(data))}"

    replies = say(
        prepare("verify", vector, layer, token=tampered),
        measure(5),
        measure(5, each=True),
        prepare("verify", vector, layer, token=token),
        measure(5),
    )

    assert [replies[index]["failures"] for index in (1, 2, 4)] == [5, 5, 0]


def test_a_token_of_another_key_is_refused(vector: Vector, layer: str) -> None:
    token = token_of(vector, layer)
    header, payload, _ = token.split(".")
    others = [
        ".".join([header, payload, token_of(other, layer).split(".")[2]])
        for other in vectors.ALL
        if other is not vector
    ]

    _, reply = say(prepare("verify", vector, layer, token=token), witness(*others))

    assert reply["accepted"] == [False, False, False]
