"""The function behind a combination of levels: its code and settings, the event that it is sent, and its referee."""

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


# Small: the function is the same for every size, and what is not measured should be short.
_BYTES = 256
_AUTHORIZED = {"isAuthorized": True}
_NOT_CHECKED = {"isAuthorized": False, "reason": "nothing was checked"}
_PAST = 1_000_000_000  # seconds since 1970: in 2001
_HEXADECIMAL = "0123456789abcdef"


@dataclass(frozen=True)
class AuthorizerReferee:
    """Judges the answers of a function whose treatment and key it knows; it shares no code with the function.

    Attributes:
        expires: seconds since 1970, in the data of the variant that has an expiry.
    """

    treatment: str
    shared_key: bytes = field(repr=False)
    salt: str
    expires: int
    expects_artefact: bool = True

    def genuine(self) -> list[str]:
        return [_text(self._event())]

    def tampered(self) -> list[str]:
        """Other tokens, salts and data for a function that checks; what has not the form for one that does not."""
        if self.treatment == IMMEDIATE:
            return []  # it answers at once, whatever it is sent
        event = self._event()
        whole: dict[str, str] = msgspec.to_builtins(event)
        formless = {name: text for name, text in whole.items() if name != "token"}
        if self.treatment == NONE:
            return [_text(formless)]
        bad = [
            whole | {"token": _one_letter_changed(event.token, _HEXADECIMAL)},
            whole | {"key": _one_letter_changed(event.key, _HEXADECIMAL)},
            whole | {"data": _one_letter_changed(event.data, "ABCDabcd")},
            whole | {"token": event.token[:-2]},
            formless,
        ]
        if self.treatment == EXPIRY:
            bad.append(msgspec.to_builtins(self._event(_PAST)))
        return [_text(event) for event in bad]

    def judge(self, artefact: str) -> str | None:
        """What is wrong with an answer; None where it authorizes as it should, or says that nothing was checked."""
        try:
            answer = msgspec.json.decode(artefact)
        except (msgspec.DecodeError, UnicodeError):
            return "no JSON"
        wanted = _NOT_CHECKED if self.treatment in SIGNED_AS else _AUTHORIZED
        if answer == wanted:
            return None
        return f"{artefact[:200]}, not {_text(wanted)}"

    def _event(self, expires: int | None = None) -> Event:
        data = payload(bytes(_BYTES), (expires or self.expires) if self.treatment == EXPIRY else None)
        return signed(SIGNED_AS.get(self.treatment, self.treatment), self.shared_key, self.salt, data)


def _text(content: Any) -> str:
    return msgspec.json.encode(content).decode()


def _one_letter_changed(text: str, letters: str) -> str:
    """The text with one letter changed for another of these, at a place that nobody can foresee."""
    # The padding at the end of Base64 is no place for another letter.
    place = secrets.randbelow(len(text) - 4)
    return text[:place] + secrets.choice(letters.replace(text[place], "")) + text[place + 1 :]


FUNCTION = "hmac_authorizer"

_KEY_BYTES = 64
# A run is resumed within days or never; the function takes any expiry to come.
_LIFETIME_S = 365 * 24 * 3600
_TIMEOUT_S = 60


def new_inputs() -> dict[str, str]:
    """The secrets of a run, and what must be the same in all its events."""
    return {
        "shared_key": secrets.token_urlsafe(_KEY_BYTES),
        "salt": secrets.token_hex(SALT_BYTES),
        "expires": str(int(time.time()) + _LIFETIME_S),
    }


def function_part(language: str) -> str:
    """The function in this language, as a part of a machine."""
    return f"function:{FUNCTION}/{language}"


def lacks(machine: Machine, endpoint: str | None, levels: Levels) -> Iterator[WhyNot | None]:
    """There is no data for an expiry, the function cannot be built, or no Lambda can run it."""
    if levels["authentication"] == EXPIRY and levels["data"] == OPAQUE:
        yield WhyNot("an expiry stands in the data, so they must be unpacked")
    yield machine.lacks(function_part(levels["language"]))
    yield lambda_lack(endpoint, machine)


class Events:
    """The events of a run, each made once and shared by all that are sent it: the largest have 4 MB."""

    def __init__(self, inputs: Mapping[str, str]) -> None:
        self._key = inputs["shared_key"].encode()
        self._salt = inputs["salt"]
        self._expires = int(inputs["expires"])
        self._events: dict[tuple[str, int], bytes] = {}

    def of(self, treatment: str, size: int) -> bytes:
        """The event as JSON, with a payload of *size* zero bytes as in the study."""
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
    """The function that checks, or does not, as the levels say. Builds its zip where the cache has none.

    Args:
        counts_first: whether its first invocation is reported among all others too.
        own_clock: whether it reports its own steps, as one of level TIMED always does.
        gap_s: idle seconds before its next event, of the pace SPACED.
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
    """The functions' code: a hash of each zip, which is the same for the same sources and tool-chain."""
    from sectax.experiments.on_lambda.code import digest

    return {
        f"function.{language}": f"{functions.load(FUNCTION, language).runtime}, "
        f"sha256 {digest(str(functions.build(FUNCTION, language)))}"
        for language in languages
    }
