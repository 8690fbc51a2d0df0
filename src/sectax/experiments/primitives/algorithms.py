"""Families of algorithms, sizes of messages, and settings of password hashes."""

from __future__ import annotations

from dataclasses import dataclass

SEAL, OPEN, MAC, HASH, AGREE, PASSWORD = "aead-seal", "aead-open", "mac", "hash", "agree", "password"


@dataclass(frozen=True)
class Family:
    """Algorithms for the same purpose, which are compared with each other only.

    Attributes:
        algorithms: all algorithms, the baseline first.
        common: the default algorithms.
        sized: whether the operation works on a message.
    """

    algorithms: tuple[str, ...]
    common: tuple[str, ...]
    sized: bool

    @property
    def baseline(self) -> str:
        return self.algorithms[0]


_AEAD = ("aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "aes-256-gcm-siv")
FAMILIES = {
    SEAL: Family(_AEAD, _AEAD[:3], True),
    OPEN: Family(_AEAD, _AEAD[:3], True),
    MAC: Family(
        ("hmac-sha-256", "hmac-sha-512", "blake2b-keyed", "blake3-keyed", "poly1305", "kmac256"),
        ("hmac-sha-256", "hmac-sha-512", "blake2b-keyed"),
        True,
    ),
    HASH: Family(
        ("sha-256", "sha-512", "sha3-256", "blake2b", "blake3"),
        ("sha-256", "sha-512", "sha3-256", "blake2b"),
        True,
    ),
    AGREE: Family(
        ("x25519", "p-256", "ml-kem-768", "x25519mlkem768"),
        ("x25519", "p-256", "ml-kem-768", "x25519mlkem768"),
        False,
    ),
    PASSWORD: Family(
        ("argon2id", "argon2id-rfc9106", "scrypt", "bcrypt", "pbkdf2-sha256", "pbkdf2-sha512"),
        ("argon2id", "scrypt", "bcrypt", "pbkdf2-sha256"),
        False,
    ),
}
ALGORITHMS = tuple(dict.fromkeys(name for family in FAMILIES.values() for name in family.algorithms))

_KIB = 1024
SIZES = {
    "64B": 64,
    "256B": 256,
    "1KiB": _KIB,
    "4KiB": 4 * _KIB,
    "16KiB": 16 * _KIB,
    "64KiB": 64 * _KIB,
    "1MiB": 1024 * _KIB,
}

KEY_BYTES = {"aes-128-gcm": 16, "hmac-sha-512": 64}  # others: 32
TAG_BYTES = 16
NONCE_BYTES = 12

# OWASP's Password Storage Cheat Sheet, unchanged from 2023 to 2026-11-24. The other argon2id is the second choice of
# RFC 9106, 4, and the default of argon2-cffi: its four threads share the one processor of a run.
SETTINGS = {
    "argon2id": {"m": 19 * _KIB, "t": 2, "p": 1},
    "argon2id-rfc9106": {"m": 64 * _KIB, "t": 3, "p": 4},
    "scrypt": {"ln": 17, "r": 8, "p": 1},
    "bcrypt": {"cost": 10},
    "pbkdf2-sha256": {"i": 600_000},
    "pbkdf2-sha512": {"i": 210_000},
}


def memory_bytes(algorithm: str) -> int:
    """Return the memory that a password hash fills by its settings; 0 for PBKDF2."""
    settings = SETTINGS[algorithm]
    match algorithm.partition("-")[0]:
        case "argon2id":
            return settings["m"] * _KIB
        case "scrypt":
            return 128 * settings["r"] << settings["ln"]
        case "bcrypt":
            return 4 * _KIB
    return 0
