"""The toy scheme of the fake probe as its experiment would know it: keys, tokens and a referee."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.probe import mac

SECRET = "a-toy-secret-of-some-length"
PROBE = Path(__file__).with_name("probe.py")


def fake(mode: str) -> tuple[str, ...]:
    """The command that starts the fake probe in a mode."""
    # -I -S -E: the bare interpreter, which starts in a few milliseconds
    return (sys.executable, "-I", "-S", "-E", str(PROBE), mode)


def inputs() -> dict[str, str]:
    return {"secret": SECRET, "token": ToyReferee().genuine()[0]}


def spoiled_inputs() -> dict[str, str]:
    return {"secret": SECRET, "token": ToyReferee().tampered()[0]}


@dataclass(frozen=True)
class ToyReferee:
    """Implements `sectax.model.subject.Referee`."""

    secret: str = field(default=SECRET, repr=False)
    expects_artefact: bool = False

    def genuine(self) -> list[str]:
        return [f"message.{mac(self.secret, 'message')}"]

    def tampered(self) -> list[str]:
        return [f"message{secrets.token_hex(4)}.{mac(self.secret, 'message')}", f"message.{secrets.token_hex(5)}"]

    def judge(self, artefact: str) -> str | None:
        message, _, claimed = artefact.partition(".")
        return None if claimed == mac(self.secret, message) else "the MAC is wrong"
