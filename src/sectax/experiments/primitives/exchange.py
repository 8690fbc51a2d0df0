"""Both sides of a key agreement: pycryptodome, ML-KEM in Python.

Public keys and messages have TLS's form: X25519's 32 bytes (RFC 7748), P-256's uncompressed point, FIPS 203's ML-KEM.
X25519MLKEM768 puts ML-KEM before X25519 in keys, messages and secrets (draft-ietf-tls-ecdhe-mlkem).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

HYBRID, ML_KEM, X25519, P_256 = "x25519mlkem768", "ml-kem-768", "x25519", "p-256"
_PARTS = {HYBRID: (ML_KEM, X25519)}
_MESSAGE_BYTES = {ML_KEM: 1088, X25519: 32, P_256: 65}
_PRIVATE_BYTES = {ML_KEM: 64, X25519: 32, P_256: 32}
PUBLIC_BYTES = {ML_KEM: 1184, X25519: 32, P_256: 65}
# The order of P-256: SP 800-186, 3.2.1.3.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def parts(algorithm: str) -> tuple[str, ...]:
    return _PARTS.get(algorithm, (algorithm,))


def key_inputs(algorithm: str, entropy: bytes) -> dict[str, str]:
    """Derive the initiator's keys from at least 96 bytes of entropy.

    Returns:
        `private_key` (for ML-KEM the seed of 64 bytes), `public_key`, and for ML-KEM `decapsulation_key`.
    """
    from sectax.experiments.primitives.inputs import encode

    private = b""
    for name in parts(algorithm):
        own, entropy = entropy[: _PRIVATE_BYTES[name]], entropy[_PRIVATE_BYTES[name] :]
        if name == P_256:
            own = (1 + int.from_bytes(own) % (_ORDER - 1)).to_bytes(32)
        private += own
    keys = {"private_key": encode(private), "public_key": encode(public_key(algorithm, private))}
    if ML_KEM in parts(algorithm):
        keys["decapsulation_key"] = encode(_ml_kem_keys(private[:64])[1])
    return keys


def public_key(algorithm: str, private: bytes) -> bytes:
    public = b""
    for name in parts(algorithm):
        own, private = private[: _PRIVATE_BYTES[name]], private[_PRIVATE_BYTES[name] :]
        public += _ml_kem_keys(own)[0] if name == ML_KEM else _exported(name, _private(name, own).public_key())
    return public


def respond(algorithm: str, public: bytes) -> tuple[bytes, bytes]:
    """Return the responder's message and secret."""
    message = secret = b""
    for name in parts(algorithm):
        own, public = public[: PUBLIC_BYTES[name]], public[PUBLIC_BYTES[name] :]
        if name == ML_KEM:
            shared, sent = _scheme().encaps(own)
        else:
            ephemeral = _fresh(name)
            shared, sent = _agreed(ephemeral, _public(name, own)), _exported(name, ephemeral.public_key())
        message, secret = message + sent, secret + shared
    return message, secret


def finish(algorithm: str, keys: Mapping[str, str], message: bytes) -> bytes:
    """Return the initiator's secret. Raises `ValueError` for an invalid message."""
    from sectax.experiments.primitives.inputs import decode

    private, secret = decode(keys["private_key"]), b""
    if len(message) != sum(_MESSAGE_BYTES[name] for name in parts(algorithm)):
        raise ValueError("the message has a wrong length")
    for name in parts(algorithm):
        sent, message = message[: _MESSAGE_BYTES[name]], message[_MESSAGE_BYTES[name] :]
        own, private = private[: _PRIVATE_BYTES[name]], private[_PRIVATE_BYTES[name] :]
        if name == ML_KEM:
            secret += _scheme().decaps(_ml_kem_keys(own)[1], sent)
        else:
            secret += _agreed(_private(name, own), _public(name, sent))
    return secret


def wire_bytes(algorithm: str) -> int:
    """Return the bytes that both sides send."""
    return sum(PUBLIC_BYTES[name] + _MESSAGE_BYTES[name] for name in parts(algorithm))


def _scheme() -> Any:
    from kyber_py.ml_kem import ML_KEM_768  # type: ignore[import-untyped]

    return ML_KEM_768


@functools.lru_cache(maxsize=16)
def _ml_kem_keys(seed: bytes) -> tuple[bytes, bytes]:
    """Return the encapsulation key and the decapsulation key."""
    encapsulation, decapsulation = _scheme().key_derive(seed)
    return bytes(encapsulation), bytes(decapsulation)


def _agreed(private: Any, public: Any) -> bytes:
    from Crypto.Protocol.DH import key_agreement

    return bytes(key_agreement(static_priv=private, static_pub=public, kdf=bytes))


def _private(name: str, raw: bytes) -> Any:
    from Crypto.Protocol.DH import import_x25519_private_key
    from Crypto.PublicKey import ECC

    if name == X25519:
        return import_x25519_private_key(raw)
    return ECC.construct(curve="P-256", d=int.from_bytes(raw))


def _public(name: str, raw: bytes) -> Any:
    from Crypto.Protocol.DH import import_x25519_public_key
    from Crypto.PublicKey import ECC

    return import_x25519_public_key(raw) if name == X25519 else ECC.import_key(raw, curve_name="P-256")


def _fresh(name: str) -> Any:
    from Crypto.PublicKey import ECC

    return ECC.generate(curve="Curve25519" if name == X25519 else "P-256")


def _exported(name: str, public: Any) -> bytes:
    return bytes(public.export_key(format="raw" if name == X25519 else "SEC1"))
