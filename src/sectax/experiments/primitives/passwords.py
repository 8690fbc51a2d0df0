"""Stored passwords, computed by pycryptodome and OpenSSL (Argon2).

Formats: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH` (PHC), `$scrypt$ln=17,r=8,p=1$SALT$HASH` and
`$pbkdf2-sha256$i=600000$SALT$HASH` with unpadded Base64, and bcrypt's `$2b$10$…`.
"""

from __future__ import annotations

import base64
import secrets

from sectax.experiments.on_probe.tampering import flip_bit
from sectax.experiments.primitives.algorithms import SETTINGS

_HASH_BYTES = 32
# The only length that scrypt of PHP's sodium accepts.
_SALT_BYTES = {"scrypt": 32}
# Characters of bcrypt's settings, its salt, and salt and hash. The last character of salt and of hash has unused bits.
_BCRYPT_HEAD, _BCRYPT_SALT, _BCRYPT_TEXT = len("$2b$10$"), 22, 53


def hash_password(algorithm: str, password: bytes) -> str:
    """Return the stored form of a password with a new salt."""
    salt = secrets.token_bytes(_SALT_BYTES.get(algorithm, 16))
    if algorithm == "bcrypt":
        from Crypto.Protocol.KDF import bcrypt

        return bcrypt(password, SETTINGS["bcrypt"]["cost"], salt).decode().replace("$2a$", "$2b$")
    return f"{_head(algorithm)}${_encode(salt)}${_encode(_computed_hash(algorithm, password, salt))}"


def fault(algorithm: str, password: bytes, text: str) -> str | None:
    """Return what is wrong with a stored password, or None."""
    if algorithm == "bcrypt":
        from Crypto.Protocol.KDF import bcrypt_check

        if text[:2] + text[3:_BCRYPT_HEAD] != f"$2${SETTINGS['bcrypt']['cost']}$":
            return "it has other settings"
        try:
            bcrypt_check(password, "$2a$" + text[4:])
        except ValueError:
            return "it does not match the password"
        return None
    head, _, stored_hash = text.rpartition("$")
    head, _, salt = head.rpartition("$")
    if head != _head(algorithm):
        return "it has other settings"
    try:
        right = secrets.compare_digest(_decode(stored_hash), _computed_hash(algorithm, password, _decode(salt)))
    except ValueError as error:
        return f"it cannot be decoded: {error}"
    return None if right else "it does not match the password"


def tampered(algorithm: str, text: str) -> list[str]:
    """Return one text with a flipped bit; more would each cost a login."""
    if algorithm == "bcrypt":
        at = _BCRYPT_HEAD + secrets.choice([*range(_BCRYPT_SALT - 1), *range(_BCRYPT_SALT, _BCRYPT_TEXT - 1)])
        return [text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]]
    *head, salt, stored_hash = text.split("$")
    parts = secrets.choice([(_flip(salt), stored_hash), (salt, _flip(stored_hash))])
    return ["$".join((*head, *parts))]


def _head(algorithm: str) -> str:
    settings = ",".join(f"{name}={value}" for name, value in SETTINGS[algorithm].items())
    if algorithm.startswith("argon2id"):
        return f"$argon2id$v=19${settings}"
    return f"${algorithm}${settings}"


def _computed_hash(algorithm: str, password: bytes, salt: bytes) -> bytes:
    settings = SETTINGS[algorithm]
    if algorithm.startswith("argon2id"):
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        kdf = Argon2id(
            salt=salt, length=_HASH_BYTES, iterations=settings["t"], lanes=settings["p"], memory_cost=settings["m"]
        )
        return kdf.derive(password)
    from Crypto.Hash import SHA256, SHA512
    from Crypto.Protocol.KDF import PBKDF2, scrypt

    if algorithm == "scrypt":
        return scrypt(password, salt, _HASH_BYTES, N=2 ** settings["ln"], r=settings["r"], p=settings["p"])
    module = SHA256 if algorithm == "pbkdf2-sha256" else SHA512
    return PBKDF2(password, salt, _HASH_BYTES, count=settings["i"], hmac_hash_module=module)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


def _flip(text: str) -> str:
    return _encode(flip_bit(_decode(text)))
