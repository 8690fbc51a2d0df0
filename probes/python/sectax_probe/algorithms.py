"""The table of algorithms. A new one is a row here, and a scheme in `primitive` if its kind is new."""

from __future__ import annotations

from typing import Literal, NamedTuple

KeyType = Literal["oct", "RSA", "EC", "OKP", "AKP"]


class Algorithm(NamedTuple):
    """
    Attributes:
        name: as the protocol calls it.
        scheme: how the layer `primitive` makes it.
        key_type: the `kty` that its keys must have.
        hash: the class in cryptography's `hashes`; empty where the scheme brings its own.
        curve: the one curve, or set of parameters, that its keys must have; None where there is none.
        pyjwt: what PyJWT calls it; empty where it does not have it.
    """

    name: str
    scheme: Literal["hmac", "rsa-pkcs1", "rsa-pss", "ecdsa", "pure"]
    key_type: KeyType
    hash: str = ""
    curve: str | None = None
    pyjwt: str = ""


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("HS256", "hmac", "oct", "SHA256", pyjwt="HS256"),
        Algorithm("HS384", "hmac", "oct", "SHA384", pyjwt="HS384"),
        Algorithm("HS512", "hmac", "oct", "SHA512", pyjwt="HS512"),
        Algorithm("RS256", "rsa-pkcs1", "RSA", "SHA256", pyjwt="RS256"),
        Algorithm("RS384", "rsa-pkcs1", "RSA", "SHA384", pyjwt="RS384"),
        Algorithm("RS512", "rsa-pkcs1", "RSA", "SHA512", pyjwt="RS512"),
        Algorithm("PS256", "rsa-pss", "RSA", "SHA256", pyjwt="PS256"),
        Algorithm("PS384", "rsa-pss", "RSA", "SHA384", pyjwt="PS384"),
        Algorithm("PS512", "rsa-pss", "RSA", "SHA512", pyjwt="PS512"),
        Algorithm("ES256", "ecdsa", "EC", "SHA256", "P-256", "ES256"),
        Algorithm("ES384", "ecdsa", "EC", "SHA384", "P-384", "ES384"),
        Algorithm("ES512", "ecdsa", "EC", "SHA512", "P-521", "ES512"),
        Algorithm("ES256K", "ecdsa", "EC", "SHA256", "secp256k1", "ES256K"),
        Algorithm("EdDSA", "pure", "OKP", curve="Ed25519", pyjwt="EdDSA"),
        Algorithm("Ed448", "pure", "OKP", curve="Ed448", pyjwt="EdDSA"),
        Algorithm("ML-DSA-44", "pure", "AKP", curve="ML-DSA-44"),
        Algorithm("ML-DSA-65", "pure", "AKP", curve="ML-DSA-65"),
        Algorithm("ML-DSA-87", "pure", "AKP", curve="ML-DSA-87"),
    )
}
