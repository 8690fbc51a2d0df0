"""The algorithms that are compared, and what a key and a token of each must turn out to be."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.subject import Witness


@dataclass(frozen=True)
class Algorithm:
    """A JWS algorithm with the key it is measured with (RFC 7518, RFC 8037).

    `bits` is the size of the key: the modulus, the curve's field, or the shared secret. `words` is what a person
    calls it.
    """

    name: str
    key_type: str
    bits: int
    words: str
    curve: str | None = None

    def declares(self) -> dict[str, Witness]:
        """What the witnesses must say."""
        promised: dict[str, Witness] = {"key_type": self.key_type, "key_bits": self.bits, "alg": self.name}
        if self.curve is not None:
            promised["curve"] = self.curve
        return promised


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("RS256", "RSA", 2048, "RSA-2048"),
        # RFC 7518, 3.2: a key of the size of the hash output or larger.
        Algorithm("HS256", "oct", 256, "HMAC-SHA-256"),
        Algorithm("ES256", "EC", 256, "ECDSA P-256", "P-256"),
        Algorithm("EdDSA", "OKP", 256, "Ed25519", "Ed25519"),
    )
}

BASELINE = "RS256"
