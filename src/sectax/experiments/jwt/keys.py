"""The algorithms, and a run's keys, claims and signing inputs."""

from __future__ import annotations

import base64
import functools
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sectax.model.subject import Witness


@dataclass(frozen=True)
class Algorithm:
    """A JWS algorithm and its key (RFC 7518, 8037, 8812; ML-DSA draft).

    Attributes:
        name: the level.
        key_type: `kty` of RFC 7518.
        bits: size of the key: of the modulus, the curve's field, the shared secret, or the public key.
        curve: the curve of keys of type EC and OKP.
        probe: the name in the probe protocol, if it differs from `name`.
        header: the name in a token's header, if it differs from the protocol's.
    """

    name: str
    key_type: str
    bits: int
    curve: str | None = None
    probe: str = ""
    header: str = ""

    @property
    def protocol_name(self) -> str:
        return self.probe or self.name

    @property
    def alg(self) -> str:
        return self.header or self.protocol_name

    @property
    def signature_bytes(self) -> int:
        """The size of a signature in JOSE's form, before base64url."""
        match self.key_type:
            case "oct" | "RSA":
                return self.bits // 8
            case "AKP":
                return {10496: 2420, 15616: 3309}.get(self.bits, 4627)
        return 114 if self.curve == "Ed448" else 2 * -(-self.bits // 8)

    def declares(self) -> dict[str, Witness]:
        """Return the witnesses that a probe must confirm."""
        promised: dict[str, Witness] = {"key_type": self.key_type, "key_bits": self.bits, "alg": self.alg}
        if self.curve is not None:
            promised["curve"] = self.curve
        return promised


def _rsa(kind: str, bits: int) -> Algorithm:
    return Algorithm(kind if bits == 2048 else f"{kind}-{bits}", "RSA", bits, probe=kind)


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("RS256", "RSA", 2048),
        # RFC 7518, 3.2: the key is at least as long as the hash.
        Algorithm("HS256", "oct", 256),
        Algorithm("ES256", "EC", 256, "P-256"),
        Algorithm("EdDSA", "OKP", 256, "Ed25519"),
        Algorithm("HS384", "oct", 384),
        Algorithm("HS512", "oct", 512),
        *(_rsa(kind, 2048) for kind in ("RS384", "RS512", "PS256", "PS384", "PS512")),
        *(_rsa(kind, bits) for bits in (3072, 4096) for kind in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")),
        Algorithm("ES384", "EC", 384, "P-384"),
        Algorithm("ES512", "EC", 521, "P-521"),
        Algorithm("ES256K", "EC", 256, "secp256k1"),
        # RFC 8037: the header is EdDSA for both curves.
        Algorithm("Ed448", "OKP", 456, "Ed448", header="EdDSA"),
        *(Algorithm(f"ML-DSA-{size}", "AKP", 8 * key) for size, key in ((44, 1312), (65, 1952), (87, 2592))),
    )
}

BASELINE = "RS256"
# The default algorithms.
COMMON = ("RS256", "HS256", "ES256", "EdDSA")


# The claims of a typical session token, without times, so that it does not expire, and without an audience, which PyJWT
# rejects unless it expects one.
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
    """Create keys for these algorithms; those with the same kind of key share one.

    Returns:
        `RS256.private_key_pem`, `RS256.public_key_pem`, `HS256.secret` …, with the names of the probe protocol.
    """
    keys: dict[str, str] = {}
    key = functools.cache(_key)
    for algorithm in map(ALGORITHMS.__getitem__, names):
        parts = key(algorithm.key_type, algorithm.bits, algorithm.curve)
        keys.update({f"{algorithm.name}.{part}": text for part, text in parts.items()})
    return keys


def _key(key_type: str, bits: int, curve: str | None) -> dict[str, str]:
    if key_type == "oct":
        return {"secret": base64url(secrets.token_bytes(bits // 8))}
    # Slow to import, and not needed to list experiments.
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    private = _private_key(key_type, bits, curve)
    return {
        "private_key_pem": private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "public_key_pem": private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
    }


def _private_key(key_type: str, bits: int, curve: str | None) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, mldsa, rsa

    match key_type, curve or bits:
        case "RSA", _:
            return rsa.generate_private_key(public_exponent=65537, key_size=bits)
        case "EC", str(name):
            curves: dict[str, Callable[[], ec.EllipticCurve]]
            curves = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1, "secp256k1": ec.SECP256K1}
            return ec.generate_private_key(curves[name]())
        case "OKP", "Ed448":
            return ed448.Ed448PrivateKey.generate()
        case "OKP", _:
            return ed25519.Ed25519PrivateKey.generate()
        case _, 10496:
            return mldsa.MLDSA44PrivateKey.generate()
        case _, 15616:
            return mldsa.MLDSA65PrivateKey.generate()
    return mldsa.MLDSA87PrivateKey.generate()


def signing_input(algorithm: str) -> str:
    """Return the text to sign: the header and the claims in base64url."""
    header = json.dumps({"typ": "JWT", "alg": ALGORITHMS[algorithm].alg}, separators=(",", ":"))
    return f"{base64url(header.encode())}.{base64url(claims_text().encode())}"


def claims_text() -> str:
    return json.dumps(CLAIMS, separators=(",", ":"))


def algorithm_inputs(inputs: Mapping[str, str], algorithm: str) -> dict[str, str]:
    """Return the inputs of one algorithm, by the names of the probe protocol."""
    prefix = f"{algorithm}."
    return {name.removeprefix(prefix): text for name, text in inputs.items() if name.startswith(prefix)}


def der(pem: str) -> bytes:
    return base64.b64decode("".join(pem.splitlines()[1:-1]))
