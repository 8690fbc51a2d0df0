"""Checking a password against what was stored of it: argon2-cffi, bcrypt, and hashlib's scrypt and PBKDF2."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sectax_probe.kit.timing import Call, Operation, Witnesses

_HASH_BYTES = 32
_MIB = 1 << 20


class Refused(Exception):
    """It is not of this password, or no stored password."""


class Scheme(NamedTuple):
    """
    Attributes:
        checker: makes the call that checks the password against a stored one; it raises one of `refusals`.
        store: makes what is stored, with a fresh salt and the settings of a stored one.
    """

    checker: Callable[[str, bytes], Call]
    store: Callable[[str, bytes], str]
    refusals: tuple[type[Exception], ...]
    implementation: str


def _argon2() -> Scheme:
    import argon2

    def store(like: str, password: bytes) -> str:
        of = argon2.extract_parameters(like)
        hasher = argon2.PasswordHasher(of.time_cost, of.memory_cost, of.parallelism, of.hash_len, of.salt_len)
        return hasher.hash(password)

    verify = argon2.PasswordHasher().verify
    refusals = (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError)

    def checker(stored: str, password: bytes) -> Call:
        return lambda: verify(stored, password)

    return Scheme(checker, store, refusals, "argon2-cffi/libargon2")


def _bcrypt() -> Scheme:
    import bcrypt

    def checker(stored: str, password: bytes) -> Call:
        check, text = bcrypt.checkpw, stored.encode()

        def call() -> None:
            if not check(password, text):
                raise Refused

        return call

    def store(like: str, password: bytes) -> str:
        return bcrypt.hashpw(password, bcrypt.gensalt(int(like[4:6]))).decode()

    return Scheme(checker, store, (Refused, ValueError), "bcrypt")


def _phc(derive: Callable[[bytes, bytes, dict[str, int]], bytes], implementation: str) -> Scheme:
    """What hashlib has as a bare function, with the text that others keep of it."""

    def checker(stored: str, password: bytes) -> Call:
        _, _, settings, salt, made = stored.split("$")
        given, salt_, wanted = _settings(settings), _decode(salt), _decode(made)

        def call() -> None:
            if not hmac.compare_digest(derive(password, salt_, given), wanted):
                raise Refused

        return call

    def store(like: str, password: bytes) -> str:
        _, name, settings, salt, _ = like.split("$")
        fresh = os.urandom(len(_decode(salt)))
        return f"${name}${settings}${_encode(fresh)}${_encode(derive(password, fresh, _settings(settings)))}"

    return Scheme(checker, store, (Refused, ValueError), implementation)


def _scrypt(password: bytes, salt: bytes, of: dict[str, int]) -> bytes:
    return hashlib.scrypt(
        password, salt=salt, n=2 ** of["ln"], r=of["r"], p=of["p"], maxmem=256 * _MIB, dklen=_HASH_BYTES
    )


def _pbkdf2(name: str) -> Callable[[bytes, bytes, dict[str, int]], bytes]:
    return lambda password, salt, of: hashlib.pbkdf2_hmac(name, password, salt, of["i"], _HASH_BYTES)


_SCHEMES: dict[str, Callable[[], Scheme]] = {
    "argon2id": _argon2,
    "argon2id-rfc9106": _argon2,
    "bcrypt": _bcrypt,
    "scrypt": lambda: _phc(_scrypt, "hashlib/openssl"),
    "pbkdf2-sha256": lambda: _phc(_pbkdf2("sha256"), "hashlib/openssl"),
    "pbkdf2-sha512": lambda: _phc(_pbkdf2("sha512"), "hashlib/openssl"),
}


def prepare(name: str, algorithm: str, inputs: Mapping[str, str]) -> Operation:
    scheme = _SCHEMES[algorithm]()
    password, stored = inputs["password"].encode(), inputs["stored"]
    witnesses: Witnesses = {"implementation": scheme.implementation}
    return Operation(
        call=scheme.checker(stored, password),
        witnesses=witnesses,
        refusals=scheme.refusals,
        artefact=lambda: scheme.store(stored, password),
        takes=lambda shown: scheme.checker(shown, password)(),
    )


def _settings(text: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (part.partition("=") for part in text.split(","))}


def _encode(data: bytes) -> str:
    return base64.b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
