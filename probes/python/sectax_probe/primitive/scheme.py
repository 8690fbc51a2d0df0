"""What a scheme must give, and which one an algorithm has."""

from __future__ import annotations

from typing import Any, Protocol

from sectax_probe.algorithms import Algorithm
from sectax_probe.operation import Call


class Scheme(Protocol):
    """Makes the calls of one signature scheme, with everything bound but what is timed.

    The calls that parse take PEM and load it within; a verifier raises `InvalidSignature` to say no.
    """

    constant_size: bool

    def signer(self, key: Any, data: bytes) -> Call: ...

    def parsing_signer(self, pem: bytes, data: bytes) -> Call: ...

    def verifier(self, key: Any, signature: bytes, data: bytes) -> Call: ...

    def parsing_verifier(self, pem: bytes, signature: bytes, data: bytes) -> Call: ...

    def to_jose(self, signature: bytes) -> bytes:
        """Turn cryptography's form of a signature into the one that RFC 7518 wants."""
        ...

    def from_jose(self, signature: bytes) -> bytes:
        """Turn it back; `Malformed` where that cannot be."""
        ...


def scheme_of(algorithm: Algorithm) -> Scheme:
    """Import and make the scheme of *algorithm*, and no other."""
    match algorithm.scheme:
        case "hmac":
            from sectax_probe.primitive.hmac import Hmac

            return Hmac(algorithm.hash)
        case "rsa-pkcs1":
            from sectax_probe.primitive.rsa import RsaPkcs1

            return RsaPkcs1(algorithm.hash)
        case "rsa-pss":
            from sectax_probe.primitive.rsa import RsaPss

            return RsaPss(algorithm.hash)
        case "ecdsa":
            from sectax_probe.primitive.ecdsa import Ecdsa

            return Ecdsa(algorithm.hash, str(algorithm.curve))
        case "pure":
            from sectax_probe.primitive.pure import Pure

            return Pure()
