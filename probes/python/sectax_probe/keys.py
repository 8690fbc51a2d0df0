"""Keys out of PEM, and what the parsed key says of itself."""

from __future__ import annotations

from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.algorithms import Algorithm
from sectax_probe.answers import Failed
from sectax_probe.treatment import Treatment

PrivateKey: TypeAlias = RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey
PublicKey: TypeAlias = RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey

_CURVES = {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"}


def private_key(treatment: Treatment) -> PrivateKey:
    """
    Raises:
        Failed: no PKCS#8 PEM, or not a key for this algorithm.
    """
    try:
        key = load_pem_private_key(treatment.ascii_input("private_key_pem"), None)
    except (ValueError, TypeError):  # TypeError: it is encrypted
        raise Failed("the input 'private_key_pem' is no readable PKCS#8 PEM") from None
    if not isinstance(key, PrivateKey):
        raise Failed(f"no key for {treatment.algorithm.name}")
    _check(treatment.algorithm, key.public_key())
    return key


def public_key(treatment: Treatment) -> PublicKey:
    """
    Raises:
        Failed: no SubjectPublicKeyInfo PEM, or not a key for this algorithm.
    """
    try:
        key = load_pem_public_key(treatment.ascii_input("public_key_pem"))
    except ValueError:
        raise Failed("the input 'public_key_pem' is no readable SubjectPublicKeyInfo PEM") from None
    if not isinstance(key, PublicKey):
        raise Failed(f"no key for {treatment.algorithm.name}")
    _check(treatment.algorithm, key)
    return key


def describe(key: PrivateKey | PublicKey) -> dict[str, str | int]:
    """Give `key_type`, `key_bits` and, on a curve, `curve`, all read from the key."""
    public = key if isinstance(key, PublicKey) else key.public_key()
    if isinstance(public, RSAPublicKey):
        return {"key_type": "RSA", "key_bits": public.key_size}
    if isinstance(public, EllipticCurvePublicKey):
        curve = _CURVES.get(public.curve.name, public.curve.name)
        return {"key_type": "EC", "key_bits": public.key_size, "curve": curve}
    return {"key_type": "OKP", "key_bits": 8 * len(public.public_bytes_raw()), "curve": "Ed25519"}


def _check(algorithm: Algorithm, key: PublicKey) -> None:
    read = describe(key)
    wanted = (algorithm.key_type, algorithm.curve)
    if (read["key_type"], read.get("curve")) != wanted:
        came = " ".join(str(value) for value in (read["key_type"], read.get("curve")) if value)
        raise Failed(f"{algorithm.name} takes {' '.join(filter(None, wanted))} keys, this one is {came}")
