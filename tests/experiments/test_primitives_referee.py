"""The independent judge of hashes, MACs, ciphers, key agreement and password hashes."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from importlib.resources import files

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.poly1305 import Poly1305

from sectax.experiments.primitives import algorithms, gcm_siv, passwords
from sectax.experiments.primitives.algorithms import FAMILIES
from sectax.experiments.primitives.blake3 import blake3
from sectax.experiments.primitives.experiment import prepared
from sectax.experiments.primitives.inputs import decode, encode, new_inputs
from sectax.experiments.primitives.referee import PrimitiveReferee, open_sealed

CHEAP = {
    "argon2id": {"m": 64, "t": 1, "p": 1},
    "argon2id-rfc9106": {"m": 64, "t": 1, "p": 4},
    "scrypt": {"ln": 4, "r": 8, "p": 1},
    "bcrypt": {"cost": 10},
    "pbkdf2-sha256": {"i": 2},
    "pbkdf2-sha512": {"i": 2},
}
EVERY = pytest.mark.parametrize(
    ("family", "algorithm"), [(name, one) for name, family in FAMILIES.items() for one in family.algorithms]
)


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    for place in (algorithms, passwords):
        monkeypatch.setattr(place, "SETTINGS", CHEAP)


def judged(family: str, algorithm: str, size: str = "64B") -> PrimitiveReferee:
    return prepared({"family": family, "algorithm": algorithm, "size": size}, new_inputs())[1]


def made_of(judge: PrimitiveReferee) -> str:
    """What an operation that is right gives out."""
    return judge.inputs["data"] if judge.family == "aead-open" else judge.genuine()[0]


FORMLESS = ["", ".", "!", "a.b.c", "é", "$", "$2b$10$", "$argon2id$v=19$m=64,t=1,p=1$$", "A" * 9]


@EVERY
def test_only_genuine_artefacts_are_accepted(family, algorithm):
    judge, of_other_keys = judged(family, algorithm), judged(family, algorithm)
    tampered = [artefact for _ in range(5) for artefact in judge.tampered()]

    assert judge.judge(made_of(judge)) is None
    for artefact in [*tampered, made_of(of_other_keys), *FORMLESS]:
        assert judge.judge(artefact) is not None, artefact


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 64, 1000])
def test_aes_gcm_siv_is_that_of_openssl(size):
    key, nonce, data = secrets.token_bytes(32), secrets.token_bytes(12), secrets.token_bytes(size)
    sealed = gcm_siv.seal(key, nonce, data)

    assert gcm_siv.open_sealed(key, nonce, sealed) == data
    if size:  # which OpenSSL does not take
        assert AESGCMSIV(key).encrypt(nonce, data, None) == sealed


@pytest.mark.parametrize(
    ("size", "first"),
    [
        (0, "af1349b9f5f9a1a6"),
        (1, "2d3adedff11b61f1"),
        (64, "4eed7141ea4a5cd4"),
        (1023, "10108970eeda3eb9"),
        (1024, "42214739f095a406"),
        (1025, "d00278ae47eb27b3"),
        (2049, "5f4d72f40d7a5f82"),
        (31744, "62b6960e1a44bcc1"),
    ],
)
def test_blake3_is_that_of_its_published_vectors(size, first):
    assert blake3(bytes(number % 251 for number in range(size))).hex().startswith(first)


def test_hashes_and_macs_are_those_of_other_implementations():
    def of(family: str, algorithm: str) -> tuple[bytes, bytes, bytes]:
        judge = judged(family, algorithm, "1KiB")
        key = decode(judge.inputs.get("key", ""))
        return decode(judge.genuine()[0]), key, decode(judge.inputs["data"])

    for name, new in (("sha-256", hashlib.sha256), ("sha-512", hashlib.sha512), ("sha3-256", hashlib.sha3_256)):
        made, _, data = of("hash", name)
        assert made == new(data).digest()
    made, _, data = of("hash", "blake2b")
    assert made == hashlib.blake2b(data).digest()
    for name in ("sha256", "sha512"):
        made, key, data = of("mac", f"hmac-{name[:3]}-{name[3:]}")
        assert made == hmac.digest(key, data, name)
    made, key, data = of("mac", "blake2b-keyed")
    assert made == hashlib.blake2b(data, key=key, digest_size=32).digest()
    made, key, data = of("mac", "poly1305")
    assert made == Poly1305.generate_tag(key, data)


def test_wycheproof_s_vectors_are_judged_rightly():
    groups = json.loads(files("sectax.experiments.primitives").joinpath("wycheproof.json").read_text())["groups"]
    judged_ones = 0
    for group in groups:
        family = "mac" if "data" in group["inputs"] else "aead-seal"
        judge = PrimitiveReferee(
            family, group["algorithm"], group["inputs"] | {"data": group["inputs"].get("data", "")}
        )
        for number, artefact, valid in group["tests"]:
            if family == "mac":
                right = judge.judge(artefact) is None
            else:  # of a sealed one the message is not in the file: only whether it opens
                right = open_sealed(group["algorithm"], decode(group["inputs"]["key"]), decode(artefact)) is not None
            assert right is valid, (group["file"], number)
            judged_ones += 1
    assert judged_ones > 100


def test_keys_and_messages_of_a_run_are_the_same_for_all_and_others_in_the_next():
    keys = new_inputs()
    levels = {"family": "mac", "algorithm": "hmac-sha-256", "size": "1KiB"}
    given = [prepared(levels, inputs)[0] for inputs in (keys, keys, new_inputs())]

    assert given[0] == given[1]
    assert given[0]["key"] != given[2]["key"]
    assert len(decode(given[0]["data"])) == 1024


def test_base64url_has_one_spelling():
    for text in ("AA==", "A", "AB", "A A", "A+"):
        with pytest.raises(ValueError, match=r"(?i)base64|padding|characters"):
            decode(text)
    assert decode(encode(b"\xff\xfe")) == b"\xff\xfe"
