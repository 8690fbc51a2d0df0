"""The layer `library`: complete tokens by PyJWT."""

from __future__ import annotations

import json
from typing import Any

from jwt import InvalidTokenError, decode, encode

from sectax_probe import jose
from sectax_probe.algorithms import Algorithm
from sectax_probe.answers import Failed, Skipped
from sectax_probe.operation import Call, Operation, accepted_by
from sectax_probe.treatment import Treatment

_REFUSALS = (InvalidTokenError,)


def sign(treatment: Treatment) -> Operation:
    """A token from claims.

    Raises:
        Failed, Skipped: as the inputs deserve.
    """
    algorithm = _name(treatment.algorithm)
    key, witnesses = _key(treatment, "private_key_pem")
    public, _ = _key(treatment, "public_key_pem")
    claims = _claims(treatment.input("claims"))

    def sign() -> str:
        return encode(claims, key, algorithm=algorithm)

    return Operation(
        call=sign,
        witnesses=witnesses,
        constant_size=True,  # of a JWS even ECDSA's signature has one length
        artefact=sign,
        accepts=accepted_by(lambda token: _verifier(token, public, algorithm), _REFUSALS),
    )


def verify(treatment: Treatment) -> Operation:
    """The claims of a token.

    Raises:
        Failed, Skipped: as the inputs deserve.
    """
    algorithm = _name(treatment.algorithm)
    key, witnesses = _key(treatment, "public_key_pem")
    token = treatment.input("token")
    jose.parse(token)
    return Operation(
        call=_verifier(token, key, algorithm),
        witnesses=witnesses,
        refusals=_REFUSALS,
        accepts=accepted_by(lambda token: _verifier(token, key, algorithm), _REFUSALS),
        token=token,
    )


def _name(algorithm: Algorithm) -> str:
    if not algorithm.pyjwt:
        raise Skipped("not in PyJWT")
    return algorithm.pyjwt


def _verifier(token: str, key: Any, algorithm: str) -> Call:
    algorithms = [algorithm]

    def verify() -> dict[str, Any]:
        return decode(token, key, algorithms=algorithms)

    return verify


def _key(treatment: Treatment, name: str) -> tuple[Any, dict[str, str | int]]:
    """Give what PyJWT is handed: a key object, or the PEM text that it parses in every call itself."""
    if treatment.algorithm.key_type == "oct":
        secret = treatment.secret()
        bits = 8 * len(secret)
        return secret, {"key_type": "oct", "key_bits": bits, "implementation": "PyJWT/hmac/openssl of Python"}
    from sectax_probe import keys

    key = keys.private_key(treatment) if name == "private_key_pem" else keys.public_key(treatment)
    witnesses = {**keys.describe(key), "implementation": "PyJWT/cryptography/openssl"}
    return treatment.input(name) if treatment.per_call else key, witnesses


def _claims(text: str) -> dict[str, Any]:
    try:
        claims = json.loads(text)
    except (ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise Failed("the input 'claims' is no JSON object")
    return claims
