"""Judges and makes tokens with implementations that no probe uses.

These are pycryptodome, and pure Python for ES256K and ML-DSA. Nothing is timed here.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sectax.experiments.jwt.keys import ALGORITHMS, CLAIMS, base64url, der, signing_input, unbase64url
from sectax.experiments.on_probe.tampering import flip_bit


@dataclass(frozen=True)
class JwtReferee:
    """An independent check of one algorithm's tokens with one key."""

    algorithm: str
    key: dict[str, str] = field(repr=False)
    expects_artefact: bool = False

    def genuine(self) -> list[str]:
        """Return a valid token, always the same."""
        return [_token(self.algorithm, tuple(sorted(self.key.items())))]

    def tampered(self) -> list[str]:
        return tampered(self.genuine()[0])

    def judge(self, artefact: str) -> str | None:
        """Return what is wrong with a token (form, header, claims or signature), or None."""
        parts = artefact.split(".")
        if len(parts) != 3:
            return f"a token has three parts, this has {len(parts)}"
        try:
            header, claims = (json.loads(unbase64url(part)) for part in parts[:2])
            signature = unbase64url(parts[2])
        except ValueError as error:
            return f"the token cannot be decoded: {error}"
        alg = ALGORITHMS[self.algorithm].alg
        if not isinstance(header, dict) or header.get("alg") != alg:
            return f"the token's header does not name {alg}"
        if claims != CLAIMS:
            return "the token has other claims than the given ones"
        if not self._verify(f"{parts[0]}.{parts[1]}".encode(), signature):
            return "the signature is not valid"
        return None

    def sizes(self, token: str) -> dict[str, int]:
        """Return bytes of a token, its signature and the public key (SPKI)."""
        sizes = {"token_bytes": len(token), "signature_bytes": len(unbase64url(token.rpartition(".")[2]))}
        public = self.key.get("public_key_pem")
        return sizes if public is None else sizes | {"public_key_bytes": len(der(public))}

    def _sign(self, data: bytes) -> bytes:
        match ALGORITHMS[self.algorithm].key_type, self.algorithm:
            case "oct", _:
                return bytes(self._hmac(data).digest())
            case "AKP", _:
                scheme = _ml_dsa(self.algorithm)
                seed = der(self.key["private_key_pem"])[-32:]
                return bytes(scheme.sign(scheme.key_derive(seed)[1], data))
            case _, "ES256K":
                from ecdsa import SigningKey  # type: ignore[import-untyped]

                return bytes(SigningKey.from_pem(self.key["private_key_pem"]).sign(data, hashfunc=hashlib.sha256))
        scheme, prepared = self._scheme("private_key_pem")
        return bytes(scheme.sign(prepared(data)))

    def _verify(self, data: bytes, signature: bytes) -> bool:
        algorithm = ALGORITHMS[self.algorithm]
        try:
            match algorithm.key_type, self.algorithm:
                case "oct", _:
                    self._hmac(data).verify(signature)
                case "AKP", _:
                    public = der(self.key["public_key_pem"])[-algorithm.bits // 8 :]
                    return bool(_ml_dsa(self.algorithm).verify(public, data, signature))
                case _, "ES256K":
                    from ecdsa import BadSignatureError, VerifyingKey

                    try:
                        VerifyingKey.from_pem(self.key["public_key_pem"]).verify(signature, data, hashlib.sha256)
                    except BadSignatureError:
                        return False
                case _:
                    scheme, prepared = self._scheme("public_key_pem")
                    scheme.verify(prepared(data), signature)
        except ValueError:
            return False
        return True

    def _scheme(self, key: str) -> tuple[Any, Callable[[bytes], Any]]:
        """Return the scheme for this part of the key, and its preparation."""
        from Crypto.Signature import DSS, eddsa, pkcs1_15, pss

        match ALGORITHMS[self.algorithm].protocol_name[:2]:
            case "RS":
                return pkcs1_15.new(_parsed(self.key[key], "RSA")), self._hash().new
            case "PS":
                return pss.new(_parsed(self.key[key], "RSA")), self._hash().new
            case "ES":
                return DSS.new(_parsed(self.key[key], "ECC"), "fips-186-3"), self._hash().new
            case "Ed":
                return eddsa.new(_parsed(self.key[key], "ECC"), "rfc8032"), bytes
        raise ValueError(f"the referee does not support {self.algorithm}")

    def _hmac(self, data: bytes) -> Any:
        from Crypto.Hash import HMAC

        return HMAC.new(unbase64url(self.key["secret"]), data, self._hash())

    def _hash(self) -> Any:
        from Crypto.Hash import SHA256, SHA384, SHA512

        return {"256": SHA256, "384": SHA384, "512": SHA512}[ALGORITHMS[self.algorithm].protocol_name[2:5]]


def tampered(token: str) -> list[str]:
    """Return the token with a flipped bit in the claims, or the signature."""
    # Not in the header, since a wrong algorithm would be the reason for the refusal.
    header, claims, signature = token.split(".")
    other_claims, other_signature = (base64url(flip_bit(unbase64url(part))) for part in (claims, signature))
    return [f"{header}.{other_claims}.{signature}", f"{header}.{claims}.{other_signature}"]


def _ml_dsa(name: str) -> Any:
    from dilithium_py import ml_dsa  # type: ignore[import-untyped]

    return getattr(ml_dsa, name.replace("-", "_"))


# pycryptodome's checks of an RSA key take 50 ms, and each block judges again.
@functools.lru_cache(maxsize=64)
def _parsed(text: str, kind: str) -> Any:
    from Crypto.PublicKey import ECC, RSA

    return (RSA if kind == "RSA" else ECC).import_key(text)


@functools.lru_cache(maxsize=64)
def _token(algorithm: str, key: tuple[tuple[str, str], ...]) -> str:
    text = signing_input(algorithm)
    return f"{text}.{base64url(JwtReferee(algorithm, dict(key))._sign(text.encode()))}"
