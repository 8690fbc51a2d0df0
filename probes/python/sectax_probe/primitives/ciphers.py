"""Authenticated encryption of cryptography, without additional data. The object with the key is made once.

A nonce is a counter that begins at random; counting it up is a part of sealing, as it is for whoever sends.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import aead

from sectax_probe.jose import decode, encode
from sectax_probe.kit.timing import Call, Operation, Witnesses

NONCE_BYTES = 12
_CIPHERS: dict[str, Any] = {
    "aes-256-gcm": aead.AESGCM,
    "aes-128-gcm": aead.AESGCM,
    "chacha20-poly1305": aead.ChaCha20Poly1305,
    "aes-256-gcm-siv": aead.AESGCMSIV,
}


def prepare(name: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    key = decode(inputs["key"])
    cipher = _CIPHERS[algorithm](key)
    witnesses: Witnesses = {"key_bits": 8 * len(key), "implementation": "cryptography/openssl"}

    def opener(shown: str) -> Call:
        sealed = decode(shown)
        nonce, body, decrypt = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], cipher.decrypt
        return lambda: decrypt(nonce, body, None)

    def takes(shown: str) -> object:
        try:
            return opener(shown)()
        except ValueError:  # no nonce
            return False

    if name == "aead-open":
        call = opener(inputs["sealed"])
        witnesses["data_bytes"] = len(decode(inputs["sealed"])) - NONCE_BYTES - 16
        return Operation(call, witnesses, (InvalidTag,), True, lambda: encode(_bytes(call())), takes)
    data = decode(inputs["data"])
    counter = int.from_bytes(os.urandom(NONCE_BYTES)) >> 1
    encrypt = cipher.encrypt

    def seal() -> bytes:
        nonlocal counter
        counter += 1
        sealed: bytes = encrypt(counter.to_bytes(NONCE_BYTES), data, None)
        return sealed

    def artefact() -> str:
        sealed = seal()
        return encode(counter.to_bytes(NONCE_BYTES) + sealed)

    witnesses["data_bytes"] = len(data)
    return Operation(seal, witnesses, (InvalidTag,), True, artefact, takes)


def _bytes(output: object) -> bytes:
    assert isinstance(output, bytes)
    return output
