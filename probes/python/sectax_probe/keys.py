"""Keys out of PEM, and what the parsed key says of itself."""

from __future__ import annotations

from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey, Ed448PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import (
    MLDSA44PrivateKey,
    MLDSA44PublicKey,
    MLDSA65PrivateKey,
    MLDSA65PublicKey,
    MLDSA87PrivateKey,
    MLDSA87PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.algorithms import Algorithm
from sectax_probe.answers import Failed
from sectax_probe.treatment import Treatment

_MlDsaPrivateKey: TypeAlias = MLDSA44PrivateKey | MLDSA65PrivateKey | MLDSA87PrivateKey
_MlDsaPublicKey: TypeAlias = MLDSA44PublicKey | MLDSA65PublicKey | MLDSA87PublicKey
PrivateKey: TypeAlias = (
    RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey | Ed448PrivateKey | _MlDsaPrivateKey
)
PublicKey: TypeAlias = (
    RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey | Ed448PublicKey | _MlDsaPublicKey
)

_ML_DSA: dict[type, str] = {
    MLDSA44PublicKey: "ML-DSA-44",
    MLDSA65PublicKey: "ML-DSA-65",
    MLDSA87PublicKey: "ML-DSA-87",
}
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
    """Give `key_type`, `key_bits` and, where there are several, `curve` or `parameters`, from the key."""
    public = key if isinstance(key, PublicKey) else key.public_key()
    if isinstance(public, RSAPublicKey):
        return {"key_type": "RSA", "key_bits": public.key_size}
    if isinstance(public, EllipticCurvePublicKey):
        curve = _CURVES.get(public.curve.name, public.curve.name)
        return {"key_type": "EC", "key_bits": public.key_size, "curve": curve}
    bits = 8 * len(public.public_bytes_raw())
    if isinstance(public, _MlDsaPublicKey):
        parameters = next(name for kind, name in _ML_DSA.items() if isinstance(public, kind))
        return {"key_type": "AKP", "key_bits": bits, "parameters": parameters}
    return {
        "key_type": "OKP",
        "key_bits": bits,
        "curve": "Ed448" if isinstance(public, Ed448PublicKey) else "Ed25519",
    }


def _check(algorithm: Algorithm, key: PublicKey) -> None:
    read = describe(key)
    wanted = (algorithm.key_type, algorithm.curve)
    which = read.get("curve", read.get("parameters"))
    if (read["key_type"], which) != wanted:
        came = " ".join(str(value) for value in (read["key_type"], which) if value)
        raise Failed(f"{algorithm.name} takes {' '.join(filter(None, wanted))} keys, this one is {came}")
