"""Every algorithm of the table, in both layers: what it makes it accepts, and changed it does not."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, mldsa, rsa

from sectax_probe import jose
from sectax_probe.algorithms import ALGORITHMS
from tests.speak import measure, prepare, say, witness
from tests.vectors import Inputs, Vector, pem_inputs

_RSA = pem_inputs(rsa.generate_private_key(65537, 2048))
KEYS: dict[str, Inputs] = {
    "P-256": pem_inputs(ec.generate_private_key(ec.SECP256R1())),
    "P-384": pem_inputs(ec.generate_private_key(ec.SECP384R1())),
    "P-521": pem_inputs(ec.generate_private_key(ec.SECP521R1())),
    "secp256k1": pem_inputs(ec.generate_private_key(ec.SECP256K1())),
    "Ed25519": pem_inputs(ed25519.Ed25519PrivateKey.generate()),
    "Ed448": pem_inputs(ed448.Ed448PrivateKey.generate()),
    "ML-DSA-44": pem_inputs(mldsa.MLDSA44PrivateKey.generate()),
    "ML-DSA-65": pem_inputs(mldsa.MLDSA65PrivateKey.generate()),
    "ML-DSA-87": pem_inputs(mldsa.MLDSA87PrivateKey.generate()),
}
SIGNATURES = {
    **{"HS256": 32, "HS384": 48, "HS512": 64, "RSA": 256, "Ed25519": 64, "Ed448": 114},
    **{"P-256": 64, "P-384": 96, "P-521": 132, "secp256k1": 64},
    **{"ML-DSA-44": 2420, "ML-DSA-65": 3309, "ML-DSA-87": 4627},
}


def vector(name: str) -> Vector:
    algorithm = ALGORITHMS[name]
    header = json.dumps({"typ": "JWT", "alg": "EdDSA" if name == "Ed448" else name})
    text = f"{jose.encode(header.encode())}.{jose.encode(b'{}')}"
    secret = {"secret": jose.encode(bytes(range(64)))}
    keys = {"oct": secret, "RSA": _RSA}.get(algorithm.key_type) or KEYS[str(algorithm.curve)]
    return Vector(name, f"{text}.", keys)


@pytest.mark.parametrize("key_use", ["parsed-once", "parsed-per-call"])
@pytest.mark.parametrize("layer", ["primitive", "library"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_accepts_what_it_makes_and_nothing_else(name: str, layer: str, key_use: str) -> None:
    of, algorithm = vector(name), ALGORITHMS[name]
    prepared, made, measured = say(prepare("sign", of, layer, key_use), witness(), measure())
    nothing_to_parse = algorithm.key_type == "oct" and key_use == "parsed-per-call"
    if nothing_to_parse or (layer == "library" and not algorithm.pyjwt):
        assert (prepared["status"], measured["status"]) == ("skipped", "failed")
        assert prepared["reason"].startswith("the key of" if nothing_to_parse else "not in PyJWT")
        return
    assert prepared["status"] == "ok", prepared
    head, _, last = made["artefact"].rpartition(".")
    signature = jose.decode(last)
    other = f"{head}.{jose.encode(bytes([signature[0] ^ 1]) + signature[1:])}"
    verify = prepare("verify", of, layer, key_use, token=made["artefact"])
    _, seen = say(verify, witness(made["artefact"], other))

    assert (measured["count"], measured["failures"], len(measured["elapsed_ns"])) == (2, 0, 1)
    assert made["witnesses"] == {"alg": "EdDSA" if name == "Ed448" else name}
    kinds = (name, algorithm.curve or "", algorithm.key_type)
    assert len(signature) == next(SIGNATURES[kind] for kind in kinds if kind in SIGNATURES)
    assert seen["accepted"] == [True, False]
