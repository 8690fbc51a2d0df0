"""Hashes, MACs, ciphers, key agreement and password hashes: the operations of the experiment `primitives`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from sectax_probe.kit.timing import Failed, Operation, Skipped

# Operation -> the module that has it, in which PREPARE has a function for every algorithm.
MODULES = {
    "hash": "hashes",
    "mac": "hashes",
    "aead-seal": "ciphers",
    "aead-open": "ciphers",
    "agree": "exchange",
    "password": "passwords",
}
_AEAD = ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "aes-256-gcm-siv"]
PARAMETERS = {
    "hash": ["sha-256", "sha-512", "sha3-256", "blake2b"],
    "mac": ["hmac-sha-256", "hmac-sha-512", "blake2b-keyed", "poly1305"],
    "aead-seal": _AEAD,
    "aead-open": _AEAD,
    "agree": ["x25519", "p-256", "ml-kem-768", "x25519mlkem768"],
    "password": ["argon2id", "argon2id-rfc9106", "scrypt", "bcrypt", "pbkdf2-sha256", "pbkdf2-sha512"],
}
OPERATIONS = {name: {"algorithm": known} for name, known in PARAMETERS.items()}
# Where the others would have to be.
_LIBRARIES = {
    "hash": "hashlib",
    "mac": "hashlib, hmac or cryptography",
    "password": "hashlib, argon2-cffi or bcrypt",
}
_Prepare = Callable[[str, str, Mapping[str, str]], Operation]


def prepare(name: str, parameters: Mapping[str, str], inputs: Mapping[str, str]) -> Operation:
    """Make the operation *name* ready with the algorithm of the parameters."""
    algorithm = parameters["algorithm"]
    if algorithm not in PARAMETERS[name]:
        raise Skipped(f"not in {_LIBRARIES.get(name, 'cryptography')}")
    try:
        make: _Prepare = import_module(f"{__name__}.{MODULES[name]}").prepare
        return make(name, algorithm, inputs)
    except KeyError as error:
        raise Failed(f"the input {error} is missing") from error
    except ValueError as error:
        raise Failed(f"an input does not fit: {type(error).__name__}") from error
