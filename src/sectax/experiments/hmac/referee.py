"""What the function must authorize and what it must refuse, while it is measured."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sectax.experiments.hmac.events import EXPIRY, Event, payload, signed
from sectax.experiments.hmac.levels import IMMEDIATE, NONE, SIGNED_AS

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
            whole | {"token": _other_digit(event.token)},
            whole | {"key": _other_digit(event.key)},
            whole | {"data": _other_letter(event.data)},
            whole | {"token": event.token[:-2]},
            formless,
        ]
        if self.treatment == EXPIRY:
            bad.append(msgspec.to_builtins(self._event(_PAST)))
        return [_text(each) for each in bad]

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


def _other_digit(text: str) -> str:
    return _replaced(text, secrets.choice(_HEXADECIMAL))


def _other_letter(text: str) -> str:
    return _replaced(text, secrets.choice("ABCDabcd"))


def _replaced(text: str, letter: str) -> str:
    """The text with one letter changed, at a place that nobody can foresee."""
    # The padding at the end of Base64 is no place for another letter.
    place = secrets.randbelow(len(text) - 4)
    other = letter if text[place] != letter else ("0" if letter != "0" else "1")
    return text[:place] + other + text[place + 1 :]
