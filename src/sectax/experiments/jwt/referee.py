"""Judges tokens with an implementation that none of the measured ones shares: pycryptodome's own arithmetic.

It also makes the genuine tokens that a subject must accept, and the tampered ones that it must refuse.
"""

from __future__ import annotations

import functools
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sectax.experiments.jwt.keys import CLAIMS, base64url, signing_input, unbase64url


@dataclass(frozen=True)
class JwtReferee:
    """The independent check of one algorithm's tokens under one key; what signs is expected to show a token."""

    algorithm: str
    key: dict[str, str] = field(repr=False)
    expects_artefact: bool = False

    def genuine(self) -> list[str]:
        """A token that is right; the same one in every call."""
        return [_token(self.algorithm, tuple(sorted(self.key.items())))]

    def tampered(self) -> list[str]:
        """The genuine token with one bit turned in the claims, and with one turned in the signature."""
        header, claims, signature = self.genuine()[0].split(".")
        # A header that no longer names the algorithm is refused for that alone, so the claims are what is turned.
        other_claims = base64url(_turn_a_bit(json.dumps(CLAIMS, separators=(",", ":")).encode()))
        other_signature = base64url(_turn_a_bit(unbase64url(signature)))
        return [f"{header}.{other_claims}.{signature}", f"{header}.{claims}.{other_signature}"]

    def judge(self, artefact: str) -> str | None:
        """What is wrong with a token: its form, its header, its claims or its signature; None where nothing is."""
        parts = artefact.split(".")
        if len(parts) != 3:
            return f"a token has three parts, this has {len(parts)}"
        try:
            header, claims = (json.loads(unbase64url(part)) for part in parts[:2])
            signature = unbase64url(parts[2])
        except ValueError as error:
            return f"the token cannot be decoded: {error}"
        if not isinstance(header, dict) or header.get("alg") != self.algorithm:
            return f"the token's header does not name {self.algorithm}"
        if claims != CLAIMS:
            return "the token has other claims than those given"
        if not self._verify(f"{parts[0]}.{parts[1]}".encode(), signature):
            return "the signature is not valid"
        return None

    def _sign(self, data: bytes) -> bytes:
        if self.algorithm == "HS256":
            return bytes(self._hmac(data).digest())
        scheme, prepared = self._scheme("private_key_pem")
        return bytes(scheme.sign(prepared(data)))

    def _verify(self, data: bytes, signature: bytes) -> bool:
        try:
            if self.algorithm == "HS256":
                self._hmac(data).verify(signature)
            else:
                scheme, prepared = self._scheme("public_key_pem")
                scheme.verify(prepared(data), signature)
        except ValueError:
            return False
        return True

    def _scheme(self, key: str) -> tuple[Any, Callable[[bytes], Any]]:
        """What signs or verifies with this part of the key, and what it takes of the data."""
        from Crypto.Signature import DSS, eddsa, pkcs1_15

        match self.algorithm:
            case "RS256":
                return pkcs1_15.new(_parsed(self.key[key], "RSA")), _sha256
            case "ES256":
                return DSS.new(_parsed(self.key[key], "ECC"), "fips-186-3"), _sha256
            case "EdDSA":
                return eddsa.new(_parsed(self.key[key], "ECC"), "rfc8032"), bytes
        raise ValueError(f"the referee knows no algorithm {self.algorithm}")

    def _hmac(self, data: bytes) -> Any:
        from Crypto.Hash import HMAC, SHA256

        return HMAC.new(unbase64url(self.key["secret"]), data, SHA256)


# Every block judges again, and the checks that pycryptodome makes of an RSA key when it reads one take 50 ms.
@functools.lru_cache(maxsize=64)
def _parsed(text: str, kind: str) -> Any:
    from Crypto.PublicKey import ECC, RSA

    return (RSA if kind == "RSA" else ECC).import_key(text)


@functools.lru_cache(maxsize=64)
def _token(algorithm: str, key: tuple[tuple[str, str], ...]) -> str:
    text = signing_input(algorithm)
    return f"{text}.{base64url(JwtReferee(algorithm, dict(key))._sign(text.encode()))}"


def _sha256(data: bytes) -> Any:
    from Crypto.Hash import SHA256

    return SHA256.new(data)


def _turn_a_bit(data: bytes) -> bytes:
    place = secrets.randbelow(len(data) * 8)
    turned = bytearray(data)
    turned[place // 8] ^= 1 << (place % 8)
    return bytes(turned)
