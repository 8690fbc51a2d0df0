"""Hashes and MACs in one call each, with the key as bytes: of hashlib, hmac and cryptography.

SHA-2, SHA-3 and HMAC are OpenSSL's there, BLAKE2 is Python's.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any

from sectax_probe.jose import decode, encode
from sectax_probe.kit.timing import Operation

_HASHES: dict[str, Any] = {
    "sha-256": hashlib.sha256,
    "sha-512": hashlib.sha512,
    "sha3-256": hashlib.sha3_256,
    "blake2b": hashlib.blake2b,
}
_IMPLEMENTATIONS = {"_hashlib": "hashlib/openssl", "_blake2": "hashlib/blake2"}


def _hash(algorithm: str, key: bytes, data: bytes) -> tuple[Callable[[], bytes], str]:
    new = _HASHES[algorithm]

    def call() -> bytes:
        digest: bytes = new(data).digest()
        return digest

    return call, _IMPLEMENTATIONS.get(new.__module__, "hashlib")


def _mac(algorithm: str, key: bytes, data: bytes) -> tuple[Callable[[], bytes], str]:
    match algorithm:
        case "blake2b-keyed":
            new = hashlib.blake2b
            return lambda: new(data, key=key, digest_size=32).digest(), "hashlib"
        case "poly1305":
            from cryptography.hazmat.primitives.poly1305 import Poly1305

            tag = Poly1305.generate_tag
            return lambda: tag(key, data), "cryptography/openssl"
    name, digest = algorithm.removeprefix("hmac-").replace("-", ""), hmac.digest
    return lambda: digest(key, data, name), "hmac/openssl"


def prepare(operation: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    has_key = operation == "mac"
    key, data = decode(inputs["key"]) if has_key else b"", decode(inputs["data"])
    call, implementation = (_mac if has_key else _hash)(algorithm, key, data)
    call()  # a key that does not fit is said now
    key_bits: dict[str, str | int] = {"key_bits": 8 * len(key)} if has_key else {}
    return Operation(
        call=call,
        witnesses=key_bits | {"data_bytes": len(data), "implementation": implementation},
        constant_size=True,
        artefact=lambda: encode(call()),
        takes=lambda shown: hmac.compare_digest(encode(call()), shown),
    )
