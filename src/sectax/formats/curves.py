"""Names of elliptic curves, and labels that contradict the curve that they name."""

from __future__ import annotations

import re

# Name in lower case -> (common name, bits). Sources: SEC 2 and FIPS 186-5 for the NIST curves with their names in X9.62
# and SEC, RFC 5639 for Brainpool, RFC 8032 and RFC 7748 for the Edwards and Montgomery curves.
_CURVES: dict[str, tuple[str, int]] = {
    "prime192v1": ("P-192", 192),
    "secp192r1": ("P-192", 192),
    "p-192": ("P-192", 192),
    "secp224r1": ("P-224", 224),
    "p-224": ("P-224", 224),
    "prime256v1": ("P-256", 256),
    "secp256r1": ("P-256", 256),
    "p-256": ("P-256", 256),
    "nistp256": ("P-256", 256),
    "secp256k1": ("secp256k1", 256),
    "secp384r1": ("P-384", 384),
    "p-384": ("P-384", 384),
    "nistp384": ("P-384", 384),
    "secp521r1": ("P-521", 521),
    "p-521": ("P-521", 521),
    "nistp521": ("P-521", 521),
    "brainpoolp256r1": ("brainpoolP256r1", 256),
    "brainpoolp384r1": ("brainpoolP384r1", 384),
    "brainpoolp512r1": ("brainpoolP512r1", 512),
    "ed25519": ("Ed25519", 255),
    "x25519": ("X25519", 255),
    "curve25519": ("Curve25519", 255),
    "ed448": ("Ed448", 448),
    "x448": ("X448", 448),
}
# The encoded keys of these are whole bytes long, and that length is used as a name too. OpenSSL takes the size of
# Ed25519 from the order of its group, which is a little over 2^252: 'openssl speed' prints '253 bits EdDSA (Ed25519)'.
_ALSO = {255: {253, 255, 256}, 448: {448, 456}}

_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")
_BITS = re.compile(r"(\d{2,5})[\s-]*bits?\b", re.IGNORECASE)


def stated_bits(label: str) -> tuple[int, ...]:
    """The sizes in bits that a label states, smallest first."""
    return tuple(sorted({int(bits) for bits in _BITS.findall(label)}))


def named_curve(label: str) -> str | None:
    """The first curve that a label names, in lower case."""
    return next((word for word in _WORD.findall(label.lower()) if word in _CURVES), None)


def contradiction(label: str, curve: str | None = None) -> str | None:
    """Why the size in a label is not that of its curve, or of `curve`; else None."""
    stated = stated_bits(label)
    name = named_curve(label) or named_curve(curve or "")
    if name is None or not stated:
        return None
    common, bits = _CURVES[name]
    if set(stated) & _ALSO.get(bits, {bits}):
        return None
    same = "" if common.lower() == name else f" is {common},"
    values = " or ".join(map(str, stated))
    return f"the label says {values} bits, but {name}{same or ' is'} a curve of {bits} bits"
