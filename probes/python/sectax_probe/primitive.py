"""The layer `primitive`: cryptography's own calls over the bytes of the signing input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC

from sectax_probe import jose
from sectax_probe.algorithms import Algorithm
from sectax_probe.kit.timing import Call, Failed
from sectax_probe.tokens import text

REFUSALS = (InvalidSignature,)


def implementation(algorithm: Algorithm) -> str:
    return "cryptography/openssl"


def signer(
    algorithm: Algorithm, key: Any, per_call: bool, inputs: Mapping[str, str]
) -> tuple[Call, Callable[[], str]]:
    signing_input = text(inputs, "signing_input")
    if not signing_input.isascii():
        raise Failed("the input 'signing_input' is not ASCII")
    scheme = _scheme(algorithm)
    make = scheme.parsing_signer if per_call else scheme.signer
    call: Call = make(key.encode() if per_call else key, signing_input.encode())

    def artefact() -> str:
        signature: Any = call()
        return f"{signing_input}.{jose.encode(scheme.to_jose(signature))}"

    return call, artefact


def verifier(algorithm: Algorithm, key: Any, per_call: bool) -> Callable[[str], Call]:
    scheme = _scheme(algorithm)
    make = scheme.parsing_verifier if per_call else scheme.verifier
    if per_call:
        key = key.encode()

    def of(token: str) -> Call:
        parts = jose.parse(token)
        call: Call = make(key, scheme.from_jose(parts.signature), parts.signing_input)
        return call

    return of


def _scheme(algorithm: Algorithm) -> Any:
    """Import and make the scheme of the algorithm, and no other; its verifiers raise `InvalidSignature`."""
    if algorithm.scheme == "hmac":
        return Hmac(algorithm.hash)
    from sectax_probe.signatures import Signatures

    return Signatures(algorithm)


class Hmac:
    """Every HMAC is given the key, as in cryptography's documentation and in PyJWT: the secret is
    the key, and a keyed context that is kept and copied would be a cache that they do not have.
    """

    def __init__(self, hash_name: str) -> None:
        self._hash: hashes.HashAlgorithm = getattr(hashes, hash_name)()

    def signer(self, key: bytes, data: bytes) -> Call:
        new, hash_ = HMAC, self._hash

        def sign() -> bytes:
            mac = new(key, hash_)
            mac.update(data)
            return mac.finalize()

        return sign

    def verifier(self, key: bytes, signature: bytes, data: bytes) -> Call:
        new, hash_ = HMAC, self._hash

        def verify() -> None:
            mac = new(key, hash_)
            mac.update(data)
            mac.verify(signature)

        return verify

    def to_jose(self, signature: bytes) -> bytes:
        return signature

    from_jose = to_jose
