"""What the function is told by its environment, read once when it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hmac_authorizer.scheme import SCHEMES, Scheme

# Beside the schemes, two treatments for whoever measures: neither authorizes anyone.
IMMEDIATE = "immediate"  # answers at once
NONE = "none"  # everything but the check
EXPIRY = "hmac-sha512-expiry"
TREATMENTS = (NONE, IMMEDIATE, *SCHEMES, EXPIRY)


class ConfigurationError(Exception):
    """The function cannot start with this environment. The message holds no value of it but names of treatments."""


@dataclass(frozen=True)
class Settings:
    """What to do with an event.

    Attributes:
        scheme: derives, authenticates and compares. There for `none` too: its form of token is asked for all the same.
        checks: whether the token is checked.
        unpacks: whether `data` must be Base64 of the agreed MessagePack map; otherwise it is any text.
        expires: whether the map must hold an expiry that has not passed.
        immediate: whether to answer at once.
        anatomy: whether the answer says where the time went.
    """

    scheme: Scheme = field(repr=False)
    checks: bool = True
    unpacks: bool = True
    expires: bool = False
    immediate: bool = False
    anatomy: bool = False


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in an environment.

    Raises:
        ConfigurationError: a value is unknown, contradicts another, or there is no key.
    """
    treatment = _choice(environment, "TREATMENT", TREATMENTS, default="hmac-sha512")
    unpacks = _choice(environment, "PAYLOAD", ("unpack", "opaque"), default="unpack") == "unpack"
    if treatment == EXPIRY and not unpacks:
        raise ConfigurationError("TREATMENT=hmac-sha512-expiry reads the payload, which PAYLOAD=opaque forbids")
    return Settings(
        scheme=SCHEMES.get(treatment, SCHEMES["hmac-sha512"])(_shared_key(environment)),
        checks=treatment not in (NONE, IMMEDIATE),
        unpacks=unpacks,
        expires=treatment == EXPIRY,
        immediate=treatment == IMMEDIATE,
        anatomy=_choice(environment, "ANATOMY", ("0", "1"), default="0") == "1",
    )


def _choice(environment: Mapping[str, str], name: str, known: tuple[str, ...], default: str) -> str:
    value = environment.get(name, default)
    if value not in known:
        raise ConfigurationError(f"{name} is none of {', '.join(known)}")
    return value


def _shared_key(environment: Mapping[str, str]) -> bytes:
    text, path = environment.get("SHARED_KEY"), environment.get("SHARED_KEY_FILE")
    if (text is None) == (path is None):
        raise ConfigurationError("set one of SHARED_KEY and SHARED_KEY_FILE")
    if text is not None:
        key = text.encode("utf-8", "surrogateescape")
    else:
        try:
            # An editor ends the last line; the key does not.
            key = Path(path or "").read_bytes().removesuffix(b"\n").removesuffix(b"\r")
        except OSError as error:
            raise ConfigurationError(f"SHARED_KEY_FILE cannot be read: {error.strerror}") from None
    if not key:
        raise ConfigurationError("the shared key is empty")
    return key
