"""Labels that contradict themselves: a curve that is named has a size, whatever size is written beside it."""

from __future__ import annotations

import re

from sectax.model.published import PublishedFactor, PublishedLevel, Remark

MISLABELLED = "mislabelled-level"

# Name in lower case -> (the name that most people know, bits). Sources: SEC 2 and FIPS 186-5 for the NIST curves with
# their names in X9.62 and SEC, RFC 5639 for Brainpool, RFC 8032 and RFC 7748 for the Edwards and Montgomery curves.
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
# The encoded keys of these are whole bytes long, and are called by that length too.
_ALSO = {255: {255, 256}, 448: {448, 456}}

_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")
_BITS = re.compile(r"(\d{2,5})[\s-]*bits?\b", re.IGNORECASE)


def remarks(factor: PublishedFactor) -> list[Remark]:
    """What must be known before the labels of a factor are used."""
    return [remark for level in factor.levels if (remark := mislabelled(level)) is not None]


def mislabelled(level: PublishedLevel) -> Remark | None:
    """A remark where the size that a label states is not that of the curve that it, or a fact about it, names."""
    stated = {int(bits) for bits in _BITS.findall(level.label)}
    known = level.facts.get("curve")
    names = _WORD.findall(level.label.lower())
    if known is not None and isinstance(known.value, str):
        names.append(known.value.lower())
    curve = next((name for name in names if name in _CURVES), None)
    if curve is None or not stated:
        return None
    common, bits = _CURVES[curve]
    if stated & _ALSO.get(bits, {bits}):
        return None
    same = "" if common.lower() == curve else f" is {common},"
    said = " or ".join(str(each) for each in sorted(stated))
    return Remark(
        MISLABELLED,
        level.label,
        f"the label says {said} bits, but {curve}{same or ' is'} a curve of {bits} bits",
    )
