"""The layer `library`: complete tokens by PyJWT."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from jwt import InvalidTokenError, decode, encode

from sectax_probe.algorithms import Algorithm
from sectax_probe.kit.timing import Call, Failed, Skipped
from sectax_probe.tokens import text

REFUSALS = (InvalidTokenError,)


def implementation(algorithm: Algorithm) -> str:
    if not algorithm.pyjwt:
        raise Skipped("not in PyJWT")
    return "PyJWT/hmac/openssl of Python" if algorithm.key_type == "oct" else "PyJWT/cryptography/openssl"


def signer(
    algorithm: Algorithm, key: Any, per_call: bool, inputs: Mapping[str, str]
) -> tuple[Call, Callable[[], str]]:
    """PyJWT takes a key object, or the PEM text that it parses in every call itself."""
    name = algorithm.pyjwt
    try:
        claims = json.loads(text(inputs, "claims"))
    except (ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise Failed("the input 'claims' is no JSON object")

    def sign() -> str:
        return encode(claims, key, algorithm=name)

    return sign, sign


def verifier(algorithm: Algorithm, key: Any, per_call: bool) -> Callable[[str], Call]:
    algorithms = [algorithm.pyjwt]

    def of(token: str) -> Call:
        def verify() -> dict[str, Any]:
            return decode(token, key, algorithms=algorithms)

        return verify

    return of
