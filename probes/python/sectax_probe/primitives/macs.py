"""MACs in one call each, with the key as bytes: of hmac, hashlib and cryptography."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping

from sectax_probe.jose import decode, encode
from sectax_probe.operation import Operation


def _hmac(name: str, key: bytes, data: bytes) -> Callable[[], bytes]:
    digest = hmac.digest
    return lambda: digest(key, data, name)


def _blake2b(key: bytes, data: bytes) -> Callable[[], bytes]:
    new = hashlib.blake2b
    return lambda: new(data, key=key, digest_size=32).digest()


def _poly1305(key: bytes, data: bytes) -> Callable[[], bytes]:
    from cryptography.hazmat.primitives.poly1305 import Poly1305

    tag = Poly1305.generate_tag
    return lambda: tag(key, data)


def prepare(operation: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    key, data = decode(inputs["key"]), decode(inputs["data"])
    match algorithm:
        case "blake2b-keyed":
            call, implementation = _blake2b(key, data), "hashlib"
        case "poly1305":
            call, implementation = _poly1305(key, data), "cryptography/openssl"
        case _:
            name = algorithm.removeprefix("hmac-").replace("-", "")
            call, implementation = _hmac(name, key, data), "hmac/openssl"
    call()  # a key that does not fit is said now
    return Operation(
        call=call,
        witnesses={"key_bits": 8 * len(key), "data_bytes": len(data), "implementation": implementation},
        constant_size=True,
        artefact=lambda: encode(call()),
        accepts=lambda shown: hmac.compare_digest(encode(call()), shown),
        read_back=None,
    )
