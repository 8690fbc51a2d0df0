"""Key agreement of cryptography: both sides of one exchange with fresh keys; what they send is bytes."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sectax_probe.jose import decode, encode
from sectax_probe.kit.timing import Operation


class Disagreed(Exception):
    """Both sides came to different secrets."""


class Exchange(NamedTuple):
    """
    Attributes:
        load: makes the initiator's key of its bytes.
        start: makes a fresh one, and its public key as bytes.
        respond: the responder's message and secret.
        finish: the initiator's secret.
    """

    load: Callable[[bytes], Any]
    start: Callable[[], tuple[Any, bytes]]
    respond: Callable[[bytes], tuple[bytes, bytes]]
    finish: Callable[[Any, bytes], bytes]


def _x25519() -> Exchange:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    fresh, read = X25519PrivateKey.generate, X25519PublicKey.from_public_bytes

    def start() -> tuple[Any, bytes]:
        key = fresh()
        return key, key.public_key().public_bytes_raw()

    def respond(public: bytes) -> tuple[bytes, bytes]:
        key = fresh()
        return key.public_key().public_bytes_raw(), key.exchange(read(public))

    return Exchange(
        X25519PrivateKey.from_private_bytes, start, respond, lambda key, message: key.exchange(read(message))
    )


def _p_256() -> Exchange:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    curve, method, form = ec.SECP256R1(), ec.ECDH(), (Encoding.X962, PublicFormat.UncompressedPoint)
    read = ec.EllipticCurvePublicKey.from_encoded_point

    def start() -> tuple[Any, bytes]:
        key = ec.generate_private_key(curve)
        return key, key.public_key().public_bytes(*form)

    def respond(public: bytes) -> tuple[bytes, bytes]:
        key = ec.generate_private_key(curve)
        return key.public_key().public_bytes(*form), key.exchange(method, read(curve, public))

    return Exchange(
        lambda raw: ec.derive_private_key(int.from_bytes(raw), curve),
        start,
        respond,
        lambda key, message: key.exchange(method, read(curve, message)),
    )


def _ml_kem_768() -> Exchange:
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey

    def start() -> tuple[Any, bytes]:
        key = MLKEM768PrivateKey.generate()
        return key, key.public_key().public_bytes_raw()

    def respond(public: bytes) -> tuple[bytes, bytes]:
        secret, message = MLKEM768PublicKey.from_public_bytes(public).encapsulate()
        return message, secret

    return Exchange(
        MLKEM768PrivateKey.from_seed_bytes, start, respond, lambda key, message: key.decapsulate(message)
    )


def _x25519mlkem768() -> Exchange:
    """ML-KEM before X25519 in all that is sent, and in the secret (draft-ietf-tls-ecdhe-mlkem)."""
    kem, curve = _ml_kem_768(), _x25519()

    def start() -> tuple[Any, bytes]:
        (one, first), (two, second) = kem.start(), curve.start()
        return (one, two), first + second

    def respond(public: bytes) -> tuple[bytes, bytes]:
        (first, one), (second, two) = kem.respond(public[:1184]), curve.respond(public[1184:])
        return first + second, one + two

    def finish(key: Any, message: bytes) -> bytes:
        return kem.finish(key[0], message[:1088]) + curve.finish(key[1], message[1088:])

    return Exchange(lambda raw: (kem.load(raw[:64]), curve.load(raw[64:])), start, respond, finish)


_EXCHANGES = {
    "x25519": _x25519,
    "p-256": _p_256,
    "ml-kem-768": _ml_kem_768,
    "x25519mlkem768": _x25519mlkem768,
}


def prepare(name: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    load, start, respond, finish = _EXCHANGES[algorithm]()
    own, public = load(decode(inputs["private_key"])), decode(inputs["public_key"])
    same = hmac.compare_digest

    def call() -> bytes:
        key, sent = start()
        message, secret = respond(sent)
        if not same(finish(key, message), secret):
            raise Disagreed
        return secret

    def takes(shown: str) -> bool:
        try:
            message, secret = map(decode, shown.split("."))
            return same(finish(own, message), secret)
        except ValueError:
            return False

    return Operation(
        call=call,
        witnesses={"public_key_bytes": len(start()[1]), "implementation": "cryptography/openssl"},
        refusals=(Disagreed,),
        constant_size=True,
        artefact=lambda: ".".join(map(encode, respond(public))),
        takes=takes,
    )
