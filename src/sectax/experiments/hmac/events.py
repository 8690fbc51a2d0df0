"""The study's event (`key`, `token`, `data`): payload, signature, check."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import hmac
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import msgspec


@dataclass(frozen=True)
class Scheme:
    """The two steps of a variant: (key, message) -> bytes."""

    derive: Callable[[bytes, bytes], bytes]
    mac: Callable[[bytes, bytes], bytes]


def _blake2b(key: bytes, message: bytes) -> bytes:
    # The key parameter (RFC 7693) has at most 64 bytes; longer keys are hashed first, as in HMAC.
    fitting = key if len(key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(key).digest()
    return hashlib.blake2b(message, key=fitting).digest()


_sha512, _sha256 = (functools.partial(hmac.digest, digest=name) for name in ("sha512", "sha256"))
SCHEMES = {
    # As published: key' is the hexadecimal text of the digest.
    "hmac-sha512": Scheme(lambda key, salt: _sha512(key, salt).hex().encode(), _sha512),
    "raw-digests": Scheme(_sha512, _sha512),
    "hmac-sha256": Scheme(lambda key, salt: _sha256(key, salt).hex().encode(), _sha256),
    "blake2b": Scheme(_blake2b, _blake2b),
}


def token(scheme: Scheme, shared_key: bytes, salt: bytes, data: bytes) -> str:
    """Return the token of *data* in lower-case hexadecimal."""
    return scheme.mac(scheme.derive(shared_key, salt), data).hex()


def is_genuine(scheme: Scheme, shared_key: bytes, salt: bytes, data: bytes, presented: str) -> bool:
    """Return whether *presented* is the token of *data*; in constant time."""
    return hmac.compare_digest(presented.encode(), token(scheme, shared_key, salt, data).encode())


SALT_BYTES = 16  # random bytes; sent as hexadecimal digits
LONGEST_SALT_BYTES = 128  # as sent
LARGEST_EVENT_BYTES = 6 * 1024 * 1024  # Lambda's limit for a synchronous invocation

# The same computation as hmac-sha512, over a payload with an expiry.
EXPIRY = "hmac-sha512-expiry"
VARIANTS = (*SCHEMES, EXPIRY)


class Event(msgspec.Struct, forbid_unknown_fields=True):
    """The function's event; the study calls the salt `key`."""

    key: str
    token: str
    data: str


class Payload(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `data`, a MessagePack map in Base64."""

    a: int
    b: int
    obj: bytes


class ExpiringPayload(Payload):
    """A payload with an expiry in seconds since 1970."""

    expires: int


def variant_scheme(variant: str) -> Scheme:
    return SCHEMES["hmac-sha512" if variant == EXPIRY else variant]


def payload(obj: bytes, expires: int | None = None) -> str:
    """Return the text of `data`: the study's numbers, *obj*, and the expiry if given."""
    packed = Payload(123, 456, obj) if expires is None else ExpiringPayload(123, 456, obj, expires)
    return base64.b64encode(msgspec.msgpack.encode(packed)).decode()


def is_salt(salt: str) -> bool:
    """Return whether the function accepts this salt."""
    try:
        return 0 < len(salt.encode()) <= LONGEST_SALT_BYTES
    except UnicodeEncodeError:
        return False


def signed(variant: str, shared_key: bytes, salt: str, data: str) -> Event:
    return Event(salt, token(variant_scheme(variant), shared_key, salt.encode(), data.encode()), data)


def refusal(variant: str, shared_key: bytes, content: bytes, now: float) -> str:
    """Return why the event is refused; empty if it is genuine.

    Args:
        content: the event as JSON.
        now: seconds since 1970, for the variant with an expiry.
    """
    try:
        event = _read(content)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return f"it is not an event: {error}"
    except RecursionError:
        return "it is not an event: it is nested too deeply"
    # The same message for a wrong token and a wrong salt.
    if not is_salt(event.key) or not is_genuine(
        variant_scheme(variant), shared_key, event.key.encode(), event.data.encode(), event.token
    ):
        return "the token is not genuine"
    return _expiry_refusal(event.data, now) if variant == EXPIRY else ""


def holds_expiry(data: str) -> bool:
    """Return whether this is a payload with an expiry, expired or not."""
    return not _expiry_refusal(data, -math.inf)


def _read(content: bytes) -> Event:
    event = msgspec.json.decode(content, type=Event)
    # Parsers disagree on duplicate names. Nothing is nested, so the hook is called once, with all pairs.
    if json.loads(content, object_pairs_hook=len) != len(msgspec.structs.fields(Event)):
        raise msgspec.ValidationError("a field is given twice")
    return event


def _expiry_refusal(data: str, now: float) -> str:
    """Called only after the token is verified, so that forged data are never unpacked."""
    try:
        packed = base64.b64decode(data, validate=True)
        expires = msgspec.msgpack.decode(packed, type=ExpiringPayload).expires
    except (binascii.Error, ValueError, RecursionError):
        return "the data have no payload with an expiry"
    return "the data have expired" if expires <= now else ""
