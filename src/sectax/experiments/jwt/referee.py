"""Judges tokens with an implementation that none of the measured ones shares: pycryptodome's own arithmetic.

It also makes the genuine tokens that a subject must accept, and the tampered ones that it must refuse.
"""

from __future__ import annotations

import functools
import json
import secrets
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
        match self.algorithm:
            case "HS256":
                return bytes(self._hmac(data).digest())
            case "RS256":
                from Crypto.Signature import pkcs1_15

                return bytes(pkcs1_15.new(self._load("private_key_pem", "RSA")).sign(_sha256(data)))
            case "ES256":
                from Crypto.Signature import DSS

                key = self._load("private_key_pem", "ECC")
                return bytes(DSS.new(key, "fips-186-3").sign(_sha256(data)))
            case "EdDSA":
                from Crypto.Signature import eddsa

                return bytes(eddsa.new(self._load("private_key_pem", "ECC"), "rfc8032").sign(data))
        raise ValueError(f"the referee knows no algorithm {self.algorithm}")

    def _verify(self, data: bytes, signature: bytes) -> bool:
        try:
            match self.algorithm:
                case "HS256":
                    self._hmac(data).verify(signature)
                case "RS256":
                    from Crypto.Signature import pkcs1_15

                    pkcs1_15.new(self._load("public_key_pem", "RSA")).verify(_sha256(data), signature)
                case "ES256":
                    from Crypto.Signature import DSS

                    key = self._load("public_key_pem", "ECC")
                    DSS.new(key, "fips-186-3").verify(_sha256(data), signature)
                case "EdDSA":
                    from Crypto.Signature import eddsa

                    eddsa.new(self._load("public_key_pem", "ECC"), "rfc8032").verify(data, signature)
                case _:
                    return False
        except ValueError:
            return False
        return True

    def _hmac(self, data: bytes) -> Any:
        from Crypto.Hash import HMAC, SHA256

        return HMAC.new(unbase64url(self.key["secret"]), data, SHA256)

    def _load(self, name: str, kind: str) -> Any:
        return _parsed(self.key[name], kind)


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
