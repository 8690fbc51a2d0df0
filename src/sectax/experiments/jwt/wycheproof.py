"""Wycheproof's vectors of JSON Web Signatures, as cases for probes.

`wycheproof.json`, created by `scripts/wycheproof.py`, has those that a bare signature check can judge, grouped by
algorithm and key. It omits 25 of the 401, which are about a key's declared use and the encoding of header and payload.
They are not for JWT libraries, which reject them all because no payload is a set of claims.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sectax.experiments.jwt.keys import unbase64url

if TYPE_CHECKING:
    from sectax.experiments.on_probe.conformance import Case


def cases() -> Iterator[Case]:
    """Yield one case per group: verify with the layer `primitive` and the group's key."""
    from sectax.experiments.on_probe.conformance import Case, Vectors

    for group in json.loads(files(__package__).joinpath("wycheproof.json").read_text())["groups"]:
        tests = [(test["tcId"], test["jws"], test["result"] == "valid") for test in group["tests"]]
        token = next(jws for _, jws, valid in tests if valid)
        yield Case(
            "verify",
            {"algorithm": group["alg"], "layer": "primitive", "key_use": "parsed-once"},
            _key(group["public"]) | {"token": token, "claims": "{}", "signing_input": token.rpartition(".")[0]},
            vectors=Vectors(f"Wycheproof (from {tests[0][0]})", tuple(tests)),
        )


def _key(jwk: dict[str, str]) -> dict[str, str]:
    """Convert a JSON Web Key (RFC 7517) to the inputs of the probe protocol."""
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    def number(name: str) -> int:
        return int.from_bytes(unbase64url(jwk[name]), "big")

    public: Any
    match jwk["kty"]:
        case "oct":
            return {"secret": jwk["k"]}
        case "RSA":
            public = rsa.RSAPublicNumbers(number("e"), number("n")).public_key()
        case _:
            curve: ec.EllipticCurve = ec.SECP256R1() if jwk["crv"] == "P-256" else ec.SECP521R1()
            public = ec.EllipticCurvePublicNumbers(number("x"), number("y"), curve).public_key()
    return {"public_key_pem": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()}
