"""The table of algorithms. A new one is a row here, and a scheme in `primitive` if its kind is new."""

from __future__ import annotations

from typing import Literal, NamedTuple

KeyType = Literal["oct", "RSA", "EC", "OKP"]


class Algorithm(NamedTuple):
    """
    Attributes:
        name: as in RFC 7518 and RFC 8037.
        scheme: how the layer `primitive` makes it; see `primitive.scheme`.
        key_type: the `kty` that its keys must have.
        hash: the class in cryptography's `hashes`; empty where the scheme brings its own.
        curve: the one curve that its keys must be on; None where there is none.
    """

    name: str
    scheme: Literal["hmac", "rsa-pkcs1", "ecdsa", "eddsa"]
    key_type: KeyType
    hash: str = ""
    curve: str | None = None


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("HS256", "hmac", "oct", hash="SHA256"),
        Algorithm("RS256", "rsa-pkcs1", "RSA", hash="SHA256"),
        Algorithm("ES256", "ecdsa", "EC", hash="SHA256", curve="P-256"),
        Algorithm("EdDSA", "eddsa", "OKP", curve="Ed25519"),
    )
}
