"""Keys out of PEM, and what the parsed key says of itself."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import (
    MLDSA44PublicKey,
    MLDSA65PublicKey,
    MLDSA87PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.algorithms import Algorithm
from sectax_probe.kit.timing import Failed, Witnesses

_CURVES = {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"}
_RAW: dict[type[Any], Witnesses] = {
    Ed25519PublicKey: {"key_type": "OKP", "curve": "Ed25519"},
    Ed448PublicKey: {"key_type": "OKP", "curve": "Ed448"},
    MLDSA44PublicKey: {"key_type": "AKP", "parameters": "ML-DSA-44"},
    MLDSA65PublicKey: {"key_type": "AKP", "parameters": "ML-DSA-65"},
    MLDSA87PublicKey: {"key_type": "AKP", "parameters": "ML-DSA-87"},
}


def read(algorithm: Algorithm, name: str, pem: str) -> tuple[Any, Witnesses]:
    """Give the key of the input *name*, and what it says of itself."""
    private = name == "private_key_pem"
    try:
        data = pem.encode("ascii")
        key: Any = load_pem_private_key(data, None) if private else load_pem_public_key(data)
    except (ValueError, TypeError):  # TypeError: it is encrypted
        form = "PKCS#8" if private else "SubjectPublicKeyInfo"
        raise Failed(f"the input {name!r} is no readable {form} PEM") from None
    found = _describe(key.public_key() if private else key)
    if found is None:
        raise Failed(f"no key for {algorithm.name}")
    wanted = " ".join(filter(None, (algorithm.key_type, algorithm.curve)))
    came = " ".join(str(found[part]) for part in ("key_type", "curve", "parameters") if part in found)
    if came != wanted:
        raise Failed(f"{algorithm.name} takes {wanted} keys, this one is {came}")
    return key, found


def _describe(public: Any) -> Witnesses | None:
    if isinstance(public, RSAPublicKey):
        return {"key_type": "RSA", "key_bits": public.key_size}
    if isinstance(public, EllipticCurvePublicKey):
        curve = _CURVES.get(public.curve.name, public.curve.name)
        return {"key_type": "EC", "key_bits": public.key_size, "curve": curve}
    for kind, found in _RAW.items():
        if isinstance(public, kind):
            return found | {"key_bits": 8 * len(public.public_bytes_raw())}
    return None
