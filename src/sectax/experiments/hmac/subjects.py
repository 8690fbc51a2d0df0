"""The function of a treatment: its code, settings, event and referee."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from sectax.design.matrix import Levels
from sectax.experiments.hmac.events import EXPIRY, SALT_BYTES, Event, payload, signed
from sectax.experiments.hmac.levels import DATA, IMMEDIATE, NONE, OPAQUE, PAYLOADS, SHA512, SIGNED_AS, TIMED
from sectax.experiments.on_lambda import functions
from sectax.experiments.on_lambda.experiment import SPACED, lambda_lack
from sectax.model.machine import Machine
from sectax.model.subject import SubjectSpec
from sectax.model.why_not import WhyNot

if TYPE_CHECKING:
    from sectax.experiments.on_lambda.services import LambdaService


# Small: referee events are not measured, and the function does not depend on the size.
_BYTES = 256
_AUTHORIZED = {"isAuthorized": True}
_NOT_CHECKED = {"isAuthorized": False, "reason": "nothing was checked"}
_PAST = 1_000_000_000  # seconds since 1970: 2001
_HEXADECIMAL = "0123456789abcdef"


@dataclass(frozen=True)
class AuthorizerReferee:
    """Judges a function's answers by treatment and key, with code of its own.

    Attributes:
        expires: seconds since 1970, for the variant with an expiry.
    """

    treatment: str
    shared_key: bytes = field(repr=False)
    salt: str
    expires: int
    expects_artefact: bool = True

    def genuine(self) -> list[str]:
        return [_text(self._event())]

    def tampered(self) -> list[str]:
        """Wrong tokens, salts and data, or an incomplete event without a check."""
        if self.treatment == IMMEDIATE:
            return []  # it accepts any event
        event = self._event()
        fields: dict[str, str] = msgspec.to_builtins(event)
        incomplete = {name: text for name, text in fields.items() if name != "token"}
        if self.treatment == NONE:
            return [_text(incomplete)]
        bad = [
            fields | {"token": _change_letter(event.token, _HEXADECIMAL)},
            fields | {"key": _change_letter(event.key, _HEXADECIMAL)},
            fields | {"data": _change_letter(event.data, "ABCDabcd")},
            fields | {"token": event.token[:-2]},
            incomplete,
        ]
        if self.treatment == EXPIRY:
            bad.append(msgspec.to_builtins(self._event(_PAST)))
        return [_text(event) for event in bad]

    def judge(self, artefact: str) -> str | None:
        """Return what is wrong with an answer; None if it is right."""
        try:
            answer = msgspec.json.decode(artefact)
        except (msgspec.DecodeError, UnicodeError):
            return "not JSON"
        wanted = _NOT_CHECKED if self.treatment in SIGNED_AS else _AUTHORIZED
        if answer == wanted:
            return None
        return f"{artefact[:200]}, not {_text(wanted)}"

    def _event(self, expires: int | None = None) -> Event:
        data = payload(bytes(_BYTES), (expires or self.expires) if self.treatment == EXPIRY else None)
        return signed(SIGNED_AS.get(self.treatment, self.treatment), self.shared_key, self.salt, data)


def _text(content: Any) -> str:
    return msgspec.json.encode(content).decode()


def _change_letter(text: str, letters: str) -> str:
    """Replace a letter at a random index."""
    # Not the padding at the end of Base64.
    index = secrets.randbelow(len(text) - 4)
    return text[:index] + secrets.choice(letters.replace(text[index], "")) + text[index + 1 :]


FUNCTION = "hmac_authorizer"

_KEY_BYTES = 64
# Longer than any run may be resumed; the function accepts any future expiry.
_LIFETIME_S = 365 * 24 * 3600
_TIMEOUT_S = 60


def new_inputs() -> dict[str, str]:
    """Create the secrets and constants of a run's events."""
    return {
        "shared_key": secrets.token_urlsafe(_KEY_BYTES),
        "salt": secrets.token_hex(SALT_BYTES),
        "expires": str(int(time.time()) + _LIFETIME_S),
    }


def function_part(language: str) -> str:
    """Return the name of the part for the function in a language."""
    return f"function:{FUNCTION}/{language}"


def lacks(machine: Machine, endpoint: str | None, levels: Levels) -> Iterator[WhyNot | None]:
    """Yield why a combination of levels cannot be measured here."""
    if levels["authentication"] == EXPIRY and levels["data"] == OPAQUE:
        yield WhyNot("the expiry is in the data, so they must be unpacked")
    yield machine.lacks(function_part(levels["language"]))
    yield lambda_lack(endpoint, machine)


class Events:
    """The events of a run, created once each and shared: the largest have 4 MB."""

    def __init__(self, inputs: Mapping[str, str]) -> None:
        self._key = inputs["shared_key"].encode()
        self._salt = inputs["salt"]
        self._expires = int(inputs["expires"])
        self._events: dict[tuple[str, int], bytes] = {}

    def of(self, treatment: str, size: int) -> bytes:
        """Return the event as JSON, with a payload of *size* zero bytes as in the study."""
        variant = SIGNED_AS.get(treatment, treatment)
        key = (variant, size)
        if key not in self._events:
            data = payload(bytes(size), self._expires if variant == EXPIRY else None)
            self._events[key] = msgspec.json.encode(signed(variant, self._key, self._salt, data))
        return self._events[key]

    def referee(self, treatment: str) -> AuthorizerReferee:
        return AuthorizerReferee(treatment, self._key, self._salt, self._expires)


def authorizer(
    levels: Levels,
    inputs: Mapping[str, str],
    events: Events,
    service: LambdaService,
    role: str,
    *,
    counts_first: bool = False,
    own_clock: bool = False,
    gap_s: float = 0.0,
) -> SubjectSpec:
    """Return the function for these levels; builds its zip if it is not cached.

    Args:
        counts_first: whether the first invocation is also reported among all others.
        own_clock: whether it reports its steps, as level TIMED always does.
        gap_s: idle seconds before the next event, for the pace SPACED.
    Raises:
        SetUpFailed: the tool-chain failed.
    """
    from sectax.experiments.on_lambda.subject import FunctionSpec  # with AWS's client

    function = functions.load(FUNCTION, levels["language"])
    treatment = SHA512 if levels["authentication"] == TIMED else levels["authentication"]
    is_timed = own_clock or levels["authentication"] == TIMED
    return FunctionSpec(
        name=levels["authentication"],
        code=str(functions.build(FUNCTION, levels["language"])),
        runtime=function.runtime,
        handler=function.handler,
        memory_mb=int(levels["memory"]),
        timeout_s=_TIMEOUT_S,
        environment={
            "SHARED_KEY": inputs["shared_key"],
            "TREATMENT": treatment,
            "PAYLOAD": DATA[levels["data"]],
            "ANATOMY": "1" if is_timed else "0",
        },
        events=(events.of(treatment, PAYLOADS[levels["payload"]]),),
        gap_s=gap_s if levels["pace"] == SPACED else 0.0,
        role=role,
        referee=events.referee(treatment),
        parts_in="anatomy" if is_timed else "",
        counts_first=counts_first,
        service=service,
    )


def identity(languages: tuple[str, ...]) -> dict[str, str]:
    """Return the runtime and the hash of each zip, which is reproducible."""
    from sectax.experiments.on_lambda.code import digest

    return {
        f"function.{language}": f"{functions.load(FUNCTION, language).runtime}, "
        f"sha256 {digest(str(functions.build(FUNCTION, language)))}"
        for language in languages
    }
