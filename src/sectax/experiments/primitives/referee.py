"""Judges and makes artefacts with implementations that no probe uses.

These are pycryptodome, and pure Python for BLAKE3, AES-GCM-SIV and ML-KEM.
"""

from __future__ import annotations

import functools
import itertools
import secrets
from dataclasses import dataclass, field
from typing import Any

from sectax.experiments.on_probe.tampering import flip_bit
from sectax.experiments.primitives import exchange, gcm_siv, passwords
from sectax.experiments.primitives.algorithms import (
    AGREE,
    HASH,
    MAC,
    NONCE_BYTES,
    OPEN,
    PASSWORD,
    SEAL,
    TAG_BYTES,
    memory_bytes,
)
from sectax.experiments.primitives.blake3 import blake3
from sectax.experiments.primitives.inputs import decode, encode

# The top bit, which X25519 ignores: RFC 7748, section 5.
_IGNORED = 0x80


@dataclass(frozen=True)
class PrimitiveReferee:
    """An independent check of one algorithm with one key.

    Artefacts in base64url: `hash` the hash; `mac` the tag; `aead-seal` nonce, ciphertext and tag; `agree` the
    responder's message, a dot and the secret; `password` the stored text. `aead-open` is presented sealed messages and
    produces the message.
    """

    family: str
    algorithm: str
    inputs: dict[str, str] = field(repr=False)
    expects_artefact: bool = True

    def genuine(self) -> list[str]:
        """Return a valid artefact, always the same."""
        return [_genuine(self.family, self.algorithm, tuple(sorted(self.inputs.items())))]

    def tampered(self) -> list[str]:
        artefact = self.genuine()[0]
        match self.family:
            case "password":
                return passwords.tampered(self.algorithm, artefact)
            case "agree":
                message, secret = map(decode, artefact.split("."))
                return [_joined(_flip_message_bit(message), secret), _joined(message, flip_bit(secret))]
            case "aead-seal" | "aead-open":
                sealed = decode(artefact)
                ends = 0, NONCE_BYTES, len(sealed) - TAG_BYTES, len(sealed)
                return [
                    encode(sealed[:start] + flip_bit(sealed[start:end]) + sealed[end:])
                    for start, end in itertools.pairwise(ends)
                ]
        right = decode(artefact)
        return [encode(flip_bit(right)), encode(right[:-1])]

    def judge(self, artefact: str) -> str | None:
        """Return what is wrong with a probe's result, or None."""
        if self.family == PASSWORD:
            return passwords.fault(self.algorithm, self.inputs["password"].encode(), artefact)
        try:
            parts = [decode(part) for part in artefact.split(".")]
            if len(parts) != 1 + (self.family == AGREE):
                return "it does not have the protocol's form"
            match self.family:
                case "agree":
                    right = exchange.finish(self.algorithm, self.inputs, parts[0]) == parts[1]
                case "aead-seal":
                    right = open_sealed(self.algorithm, decode(self.inputs["key"]), parts[0]) == decode(
                        self.inputs["data"]
                    )
                case "aead-open":
                    right = artefact == self.inputs["data"]
                case _:
                    right = artefact == self.genuine()[0]
        except ValueError as error:
            return f"it cannot be decoded: {error}"
        return None if right else "another implementation has a different result"

    def sizes(self, artefact: str) -> dict[str, int]:
        """Return a password hash's memory, or a key agreement's bytes."""
        match self.family:
            case "password":
                return {"memory_bytes": memory_bytes(self.algorithm)}
            case "agree":
                return {"wire_bytes": exchange.wire_bytes(self.algorithm)}
        return {}


def _flip_message_bit(message: bytes) -> bytes:
    while True:
        flipped = flip_bit(message)
        if flipped[-1] & ~_IGNORED != message[-1] & ~_IGNORED or flipped[:-1] != message[:-1]:
            return flipped


def _joined(message: bytes, secret: bytes) -> str:
    return f"{encode(message)}.{encode(secret)}"


@functools.lru_cache(maxsize=256)
def _genuine(family: str, algorithm: str, items: tuple[tuple[str, str], ...]) -> str:
    inputs = dict(items)
    if family == PASSWORD:
        return passwords.hash_password(algorithm, inputs["password"].encode())
    if family == AGREE:
        return _joined(*exchange.respond(algorithm, decode(inputs["public_key"])))
    data = decode(inputs["data"])
    if family == HASH:
        return encode(_hash(algorithm, data))
    key = decode(inputs["key"])
    if family == MAC:
        return encode(_mac(algorithm, key, data))
    assert family in (SEAL, OPEN)
    nonce = secrets.token_bytes(NONCE_BYTES)
    if algorithm == "aes-256-gcm-siv":
        return encode(nonce + gcm_siv.seal(key, nonce, data))
    ciphertext, tag = _cipher(algorithm, key, nonce).encrypt_and_digest(data)
    return encode(nonce + ciphertext + tag)


def open_sealed(algorithm: str, key: bytes, sealed: bytes) -> bytes | None:
    nonce, body = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
    if algorithm == "aes-256-gcm-siv":
        return gcm_siv.open_sealed(key, nonce, body)
    try:
        return bytes(_cipher(algorithm, key, nonce).decrypt_and_verify(body[:-TAG_BYTES], body[-TAG_BYTES:]))
    except ValueError:
        return None


def _cipher(algorithm: str, key: bytes, nonce: bytes) -> Any:
    from Crypto.Cipher import AES, ChaCha20_Poly1305

    if algorithm == "chacha20-poly1305":
        return ChaCha20_Poly1305.new(key=key, nonce=nonce)
    return AES.new(key, AES.MODE_GCM, nonce=nonce)


def _hash(algorithm: str, data: bytes) -> bytes:
    if algorithm == "blake3":
        return blake3(data)
    from Crypto.Hash import SHA3_256, SHA256, SHA512, BLAKE2b

    if algorithm == "blake2b":
        return BLAKE2b.new(data=data, digest_bits=512).digest()
    return bytes({"sha-256": SHA256, "sha-512": SHA512, "sha3-256": SHA3_256}[algorithm].new(data).digest())


def _mac(algorithm: str, key: bytes, data: bytes) -> bytes:
    from Crypto.Hash import HMAC, KMAC256, SHA256, SHA512, BLAKE2b

    match algorithm:
        case "blake3-keyed":
            return blake3(data, key)
        case "blake2b-keyed":
            return BLAKE2b.new(data=data, key=key, digest_bits=256).digest()
        case "kmac256":
            return KMAC256.new(key=key, data=data, mac_len=32).digest()
        case "poly1305":
            return _poly1305(key, data)
    return HMAC.new(key, data, SHA256 if algorithm == "hmac-sha-256" else SHA512).digest()


def _poly1305(key: bytes, data: bytes) -> bytes:
    """RFC 8439, section 2.5; pycryptodome's Poly1305 accepts no one-time key."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for start in range(0, len(data), 16):
        total = (total + int.from_bytes(data[start : start + 16] + b"\1", "little")) * r % ((1 << 130) - 5)
    return ((total + int.from_bytes(key[16:], "little")) % (1 << 128)).to_bytes(16, "little")
