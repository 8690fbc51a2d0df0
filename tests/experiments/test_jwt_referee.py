"""The independent judge of tokens, against vectors that others published and against tampering."""

from __future__ import annotations

import base64
import functools
import json
import time

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from sectax.experiments.jwt import wycheproof
from sectax.experiments.jwt.keys import ALGORITHMS, algorithm_inputs, base64url, make_keys, signing_input, unbase64url
from sectax.experiments.jwt.referee import JwtReferee

EVERY = pytest.mark.parametrize("name", sorted(ALGORITHMS))


@functools.cache
def keys() -> dict[str, str]:
    """Long RSA keys take seconds to make: once is enough, where a test asks for them."""
    return make_keys(ALGORITHMS)


def referee(name: str) -> JwtReferee:
    return JwtReferee(name, algorithm_inputs(keys(), name))


@EVERY
def test_a_genuine_token_is_sound_and_a_tampered_one_refused_whatever_bit_is_turned(name):
    judge = referee(name)

    refused = [judge.judge(token) for _ in range(25) for token in judge.tampered()]

    assert all(judge.judge(token) is None for token in judge.genuine())
    assert len(refused) >= 50
    assert None not in refused


@pytest.mark.parametrize("name", sorted(name for name in ALGORITHMS if not name.endswith(("-3072", "-4096"))))
def test_a_token_of_another_key_is_refused(name):
    other = JwtReferee(name, algorithm_inputs(make_keys([name]), name))

    assert "signature" in referee(name).judge(other.genuine()[0])


@EVERY
def test_other_claims_and_other_headers_are_refused_even_where_the_signature_is_valid(name):
    judge = referee(name)
    header, claims, _ = judge.genuine()[0].split(".")
    other_claims = base64url(json.dumps({"sub": "someone else"}).encode())
    none = base64url(b'{"alg":"none"}')
    signed = f"{header}.{other_claims}.{base64url(judge._sign(f'{header}.{other_claims}'.encode()))}"

    assert "claims" in judge.judge(signed)
    assert ALGORITHMS[name].alg in judge.judge(f"{none}.{claims}.")
    assert "parts" in judge.judge("a.b")
    assert "decoded" in judge.judge("a.b.c")


def test_two_implementations_agree_about_what_the_referee_signs():
    """What pycryptodome signs, OpenSSL (through cryptography) verifies."""
    for name in ("RS256", "ES256", "EdDSA"):
        public = load_pem_public_key(keys()[f"{name}.public_key_pem"].encode())
        head, _, last = referee(name).genuine()[0].rpartition(".")
        signature, data = unbase64url(last), head.encode()
        if name == "RS256":
            public.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
        elif name == "ES256":
            assert isinstance(public, ec.EllipticCurvePublicKey)
            half = len(signature) // 2
            r, s = (int.from_bytes(part) for part in (signature[:half], signature[half:]))
            public.verify(encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
        else:
            assert isinstance(public, ed25519.Ed25519PublicKey)
            public.verify(signature, data)


def test_rfc_8037_appendix_a4_signature_is_valid():
    """The published Ed25519 signature over the published signing input."""
    x = unbase64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    der = bytes.fromhex("302a300506032b6570032100") + x
    pem = "-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(der).decode() + "\n-----END PUBLIC KEY-----\n"
    signed = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
    signature = unbase64url("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")

    judge = JwtReferee("EdDSA", {"public_key_pem": pem})

    assert judge._verify(signed, signature)
    assert not judge._verify(signed + b"x", signature)


def test_keys_are_what_the_algorithm_declares_never_twice_the_same_and_in_no_text():
    assert algorithm_inputs(keys(), "HS256").keys() == {"secret"}
    assert len(unbase64url(keys()["HS256.secret"])) == 32
    assert load_pem_public_key(keys()["RS256.public_key_pem"].encode()).key_size == 2048
    assert make_keys(["HS256"]) != make_keys(["HS256"])
    assert "PRIVATE" not in repr(referee("ES256"))
    assert keys()["HS256.secret"] not in repr(referee("HS256"))


def test_the_claims_carry_no_time_so_that_expiry_is_never_in_play():
    claims = json.loads(unbase64url(signing_input("RS256").split(".")[1]))

    assert not {"exp", "nbf", "iat"} & claims.keys()
    assert str(int(time.time()))[:6] not in json.dumps(claims)


@EVERY
def test_the_sizes_are_those_of_the_token_and_the_key(name):
    judge, algorithm = referee(name), ALGORITHMS[name]
    token = judge.genuine()[0]

    sizes = judge.sizes(token)

    assert sizes["token_bytes"] == len(token)
    assert sizes["signature_bytes"] == algorithm.signature_bytes
    assert ("public_key_bytes" in sizes) is (algorithm.key_type != "oct")


def test_algorithms_that_take_the_same_kind_of_key_share_one():
    keys = make_keys(["RS256", "PS512", "RS256-3072"])

    assert keys["RS256.public_key_pem"] == keys["PS512.public_key_pem"] != keys["RS256-3072.public_key_pem"]


def test_wycheproofs_vectors_are_judged_as_wycheproof_does():
    judged = wrong = 0
    for case in wycheproof.cases():
        verify = JwtReferee(case.parameters["algorithm"], case.inputs)._verify
        for _, token, valid in case.vectors.vectors:
            text, _, signature = token.rpartition(".")
            accepted = token.count(".") == 2 and verify(text.encode(), unbase64url(signature))
            judged, wrong = judged + 1, wrong + (accepted is not valid)

    assert (judged, wrong) == (376, 0)
