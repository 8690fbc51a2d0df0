"""The algorithms that are compared; makes the keys, claims and tokens of a run, once, for all languages alike."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sectax.model.subject import Witness


@dataclass(frozen=True)
class Algorithm:
    """A JWS algorithm with the key it is measured with (RFC 7518, RFC 8037).

    `bits` is the size of the key: the modulus, the curve's field, or the shared secret.
    """

    name: str
    key_type: str
    bits: int
    curve: str | None = None

    def declares(self) -> dict[str, Witness]:
        """What the witnesses must say."""
        promised: dict[str, Witness] = {"key_type": self.key_type, "key_bits": self.bits, "alg": self.name}
        if self.curve is not None:
            promised["curve"] = self.curve
        return promised


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("RS256", "RSA", 2048),
        # RFC 7518, 3.2: a key of the size of the hash output or larger.
        Algorithm("HS256", "oct", 256),
        Algorithm("ES256", "EC", 256, "P-256"),
        Algorithm("EdDSA", "OKP", 256, "Ed25519"),
    )
}

BASELINE = "RS256"


# What a session token of a web service carries. No times, so that expiry is never in play, and no audience, which
# PyJWT refuses unless it is given one.
CLAIMS = {
    "iss": "https://issuer.example",
    "sub": "user-0123456789",
    "scope": "orders:read orders:write profile",
    "jti": "5f0d1c4e9b7a42c8",
    "tenant": "api.example",
}


def base64url(data: bytes) -> str:
    """Base64 with the URL-safe alphabet and without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def unbase64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def make_keys(names: Iterable[str]) -> dict[str, str]:
    """Fresh keys for the algorithms named.

    Returns:
        `RS256.private_key_pem`, `RS256.public_key_pem`, `HS256.secret` and so on, as the probe protocol names them.
    """
    made: dict[str, str] = {}
    for name in names:
        made.update({f"{name}.{part}": text for part, text in _key(ALGORITHMS[name]).items()})
    return made


def _key(algorithm: Algorithm) -> dict[str, str]:
    if algorithm.key_type == "oct":
        return {"secret": base64url(secrets.token_bytes(algorithm.bits // 8))}
    # Imported here: making keys is not needed to list experiments.
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    private: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
    if algorithm.key_type == "RSA":
        private = rsa.generate_private_key(public_exponent=65537, key_size=algorithm.bits)
    elif algorithm.key_type == "EC":
        private = ec.generate_private_key(ec.SECP256R1())
    else:
        private = ed25519.Ed25519PrivateKey.generate()
    public = private.public_key()
    return {
        "private_key_pem": private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "public_key_pem": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
    }


def signing_input(algorithm: str) -> str:
    """The text that is signed: the header and the claims, each as base64url."""
    header = json.dumps({"typ": "JWT", "alg": algorithm}, separators=(",", ":"))
    return f"{base64url(header.encode())}.{base64url(claims_text().encode())}"


def claims_text() -> str:
    return json.dumps(CLAIMS, separators=(",", ":"))


def key_of(inputs: Mapping[str, str], algorithm: str) -> dict[str, str]:
    """The inputs of one algorithm, by the names of the probe protocol."""
    prefix = f"{algorithm}."
    return {name.removeprefix(prefix): text for name, text in inputs.items() if name.startswith(prefix)}
