"""Hashes of Python's own hashlib: SHA-2 and SHA-3 are OpenSSL's there, BLAKE2 is Python's."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from sectax_probe.jose import decode, encode
from sectax_probe.operation import Operation

_HASHES: dict[str, Any] = {
    "sha-256": hashlib.sha256,
    "sha-512": hashlib.sha512,
    "sha3-256": hashlib.sha3_256,
    "blake2b": hashlib.blake2b,
}
_IMPLEMENTATIONS = {"_hashlib": "hashlib/openssl", "_blake2": "hashlib/blake2"}


def prepare(name: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    new, data = _HASHES[algorithm], decode(inputs["data"])

    implementation = _IMPLEMENTATIONS.get(new.__module__, "hashlib")

    def call() -> bytes:
        digest: bytes = new(data).digest()
        return digest

    return Operation(
        call=call,
        witnesses={"data_bytes": len(data), "implementation": implementation},
        constant_size=True,
        artefact=lambda: encode(call()),
        accepts=lambda shown: hmac.compare_digest(encode(call()), shown),
        read_back=None,
    )
