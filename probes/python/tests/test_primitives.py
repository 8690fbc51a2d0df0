"""The operations of the experiment primitives, against published vectors and against tampering."""

from __future__ import annotations

import os

import pytest

from sectax_probe import primitives
from sectax_probe.jose import decode, encode
from tests.speak import Reply, measure, say, witness

OF_ABC = {  # FIPS 180-4 and 202, RFC 7693
    "sha-256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha3-256": "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
    "sha-512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    "blake2b": "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
}
CHEAP = {
    "argon2id": "$argon2id$v=19$m=64,t=1,p=1$",
    "scrypt": "$scrypt$ln=4,r=8,p=1$",
    "pbkdf2-sha256": "$pbkdf2-sha256$i=2$",
}


def ready(operation: str, algorithm: str, **inputs: str) -> Reply:
    return {
        "seq": 1,
        "command": "prepare",
        "operation": operation,
        "parameters": {"algorithm": algorithm},
        "inputs": inputs,
    }


@pytest.mark.parametrize("algorithm", OF_ABC)
def test_hashes_are_those_of_the_standards(algorithm: str) -> None:
    _, shown, measured = say(ready("hash", algorithm, data=encode(b"abc")), witness(), measure())

    assert decode(shown["artefact"]).hex() == OF_ABC[algorithm]
    assert measured["bytes"] == 2 * len(OF_ABC[algorithm]) // 2


def test_hmac_and_poly1305_are_those_of_the_rfcs() -> None:
    key = bytes.fromhex("0b" * 20)
    _, of_hmac = say(
        ready("mac", "hmac-sha-256", key=encode(key), data=encode(b"Hi There")), witness()
    )  # RFC 4231, test case 1
    key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
    text = encode(b"Cryptographic Forum Research Group")
    _, of_poly1305 = say(ready("mac", "poly1305", key=encode(key), data=text), witness())  # RFC 8439, 2.5.2

    assert decode(of_hmac["artefact"]).hex().startswith("b0344c61d8db38535ca8afceaf0bf12b")
    assert decode(of_poly1305["artefact"]).hex() == "a8061dc1305136c6c22b8baf0c0127a9"


@pytest.mark.parametrize("algorithm", primitives.PARAMETERS["aead-seal"])
def test_what_is_sealed_is_opened_once_each_nonce_and_never_with_a_bit_turned(algorithm: str) -> None:
    size = 16 if algorithm == "aes-128-gcm" else 32
    key, data = encode(os.urandom(size)), encode(os.urandom(100))
    prepare = ready("aead-seal", algorithm, key=key, data=data)
    _, first, second = say(prepare, witness(), witness())
    sealed = decode(first["artefact"])
    wrong = [encode(sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]) for at in range(len(sealed))]
    opening = ready("aead-open", algorithm, key=key, sealed=first["artefact"])
    _, opened, timed = say(opening, witness(first["artefact"], *wrong, "", "AA"), measure())

    assert first["artefact"][:16] != second["artefact"][:16]
    assert opened["artefact"] == data
    assert opened["accepted"] == [True] + [False] * (len(wrong) + 2)
    assert (timed["failures"], timed["bytes"]) == (0, 200)
    _, failing = say(ready("aead-open", algorithm, key=key, sealed=wrong[-1]), measure())
    assert failing["failures"] == 2


@pytest.mark.parametrize("algorithm", CHEAP)
def test_a_stored_password_is_accepted_and_another_is_not(algorithm: str) -> None:
    made = f"{CHEAP[algorithm]}{'A' * 22}${'A' * 43}"
    _, shown = say(ready("password", algorithm, password="correct", stored=made), witness())
    stored = shown["artefact"]
    _, judged, timed = say(
        ready("password", algorithm, password="correct", stored=stored), witness(stored, made), measure()
    )
    _, failing = say(ready("password", algorithm, password="horse", stored=stored), measure())

    assert stored.startswith(CHEAP[algorithm])
    assert judged["accepted"] == [True, False]
    assert (timed["failures"], failing["failures"]) == (0, 2)


def test_what_no_library_has_is_skipped_and_what_does_not_fit_fails() -> None:
    key = encode(os.urandom(32))
    lines: list[tuple[Reply, str]] = [
        (ready("hash", "blake3", data="AAAA"), "skipped"),
        (ready("hash", "sha-256"), "failed"),
        (ready("hash", "sha-256", data="A A"), "failed"),
        (ready("mac", "poly1305", key="AAAA", data="AAAA"), "failed"),
        (ready("aead-seal", "aes-256-gcm", key="AAAA", data="AAAA"), "failed"),
        (ready("agree", "x25519", private_key="AAAA", public_key=key), "failed"),
        (ready("password", "scrypt", password="p", stored="$"), "failed"),
    ]
    for line, status in lines:
        (reply, after) = say(line, measure())
        assert (reply["status"], after["status"]) == (status, "failed"), line
        assert key not in reply["reason"]
