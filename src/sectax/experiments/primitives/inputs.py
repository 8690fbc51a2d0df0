"""Derives a run's keys, messages and passwords from its secret."""

from __future__ import annotations

import base64
import functools
import hashlib
import secrets
from collections.abc import Mapping

from sectax.experiments.primitives.algorithms import AGREE, HASH, KEY_BYTES, PASSWORD, SIZES

SEED = "seed"
# A usual length; bcrypt accepts at most 72 bytes.
_PASSWORD_BYTES = 12


def encode(data: bytes) -> str:
    """Base64 with the URL-safe alphabet and without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes:
    """Decode canonical base64url. Raises `ValueError`."""
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode(data) != text:
        raise ValueError("not base64url without padding")
    return data


def new_inputs() -> dict[str, str]:
    return {SEED: encode(secrets.token_bytes(32))}


@functools.lru_cache(maxsize=64)
def derive(seed: str, purpose: str, size: int) -> bytes:
    """Derive bytes for one purpose: SHAKE-256 of the seed and the purpose's name."""
    return hashlib.shake_256(f"{seed}:{purpose}".encode()).digest(size)


def subject_inputs(levels: Mapping[str, str], inputs: Mapping[str, str]) -> dict[str, str]:
    """Return a probe's inputs by protocol name, without artefacts."""
    family, algorithm, seed = levels["family"], levels["algorithm"], inputs[SEED]
    if family == PASSWORD:
        return {"password": encode(derive(seed, PASSWORD, _PASSWORD_BYTES))}
    if family == AGREE:
        from sectax.experiments.primitives.exchange import key_inputs

        return key_inputs(algorithm, derive(seed, algorithm, 128))
    size = SIZES[levels["size"]]
    own_inputs = {"data": encode(derive(seed, f"data of {size}", size))}
    if family != HASH:
        own_inputs["key"] = encode(derive(seed, f"key of {algorithm}", KEY_BYTES.get(algorithm, 32)))
    return own_inputs
