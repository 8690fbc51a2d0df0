"""Stored passwords as text, and their independent computation: pycryptodome's, and of Argon2 OpenSSL's.

`$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH` (the PHC string format), `$scrypt$ln=17,r=8,p=1$SALT$HASH` and
`$pbkdf2-sha256$i=600000$SALT$HASH` with Base64 without padding, and `$2b$10$…` of bcrypt.
"""

from __future__ import annotations

import base64
import secrets

from sectax.experiments.primitives.algorithms import SETTINGS

_HASH_BYTES = 32
# The scrypt of PHP's sodium takes a salt of this length alone.
_SALT_BYTES = {"scrypt": 32}
# Characters of bcrypt's settings, of its salt, and of salt and hash. The last of salt and hash has bits to spare.
_BCRYPT_HEAD, _BCRYPT_SALT, _BCRYPT_TEXT = len("$2b$10$"), 22, 53


def stored(algorithm: str, password: bytes) -> str:
    """A password with a fresh salt, as it is kept."""
    salt = secrets.token_bytes(_SALT_BYTES.get(algorithm, 16))
    if algorithm == "bcrypt":
        from Crypto.Protocol.KDF import bcrypt

        return bcrypt(password, SETTINGS["bcrypt"]["cost"], salt).decode().replace("$2a$", "$2b$")
    return f"{_head(algorithm)}${_encode(salt)}${_encode(_computed_hash(algorithm, password, salt))}"


def fault(algorithm: str, password: bytes, text: str) -> str | None:
    """What is wrong with a stored password; None where nothing is."""
    if algorithm == "bcrypt":
        from Crypto.Protocol.KDF import bcrypt_check

        if text[:2] + text[3:_BCRYPT_HEAD] != f"$2${SETTINGS['bcrypt']['cost']}$":
            return "it has other settings"
        try:
            bcrypt_check(password, "$2a$" + text[4:])
        except ValueError:
            return "it is not of this password"
        return None
    head, _, stored_hash = text.rpartition("$")
    head, _, salt = head.rpartition("$")
    if head != _head(algorithm):
        return "it has other settings"
    try:
        right = secrets.compare_digest(_decode(stored_hash), _computed_hash(algorithm, password, _decode(salt)))
    except ValueError as error:
        return f"it cannot be decoded: {error}"
    return None if right else "it is not of this password"


def tampered(algorithm: str, text: str) -> list[str]:
    """The text with a bit turned in the salt or in the hash: one, since each takes a probe as long as a login."""
    if algorithm == "bcrypt":
        at = _BCRYPT_HEAD + secrets.choice([*range(_BCRYPT_SALT - 1), *range(_BCRYPT_SALT, _BCRYPT_TEXT - 1)])
        return [text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]]
    *head, salt, stored_hash = text.split("$")
    parts = secrets.choice([(_altered(salt), stored_hash), (salt, _altered(stored_hash))])
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


def _altered(text: str) -> str:
    from sectax.experiments.primitives.referee import turn_a_bit

    return _encode(turn_a_bit(_decode(text)))
