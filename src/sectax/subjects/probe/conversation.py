"""Carries the lines of a session to a probe's process and back, and makes sure that the real thing is measured.

A probe must accept what is genuine and refuse what is tampered with.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from sectax.model.subject import Referee
from sectax.protocol.messages import HelloReply, MeasureReply, PrepareReply, Reply, StopReply, WitnessReply
from sectax.protocol.session import Session
from sectax.sandboxes.process.child import Child

ReplyT = TypeVar("ReplyT", bound=Reply)


class Conversation:
    """Requests to a running probe that wait for their replies.

    Every method raises what `Child` raises (`ChildError`) and what `Session.receive` raises (`ProtocolViolation`,
    `AnsweredSkipped`, `AnsweredFailed`).
    """

    def __init__(self, child: Child, deadline_s: float, session: Session | None = None) -> None:
        """Args: *deadline_s*, seconds that every reply may take."""
        self.child = child
        self.deadline_s = deadline_s
        self.session = Session() if session is None else session
        self.wall_s = 0.0  # what the last exchange took, by sectax's clock

    def send_hello(self) -> None:
        """Ask, and do not wait: several probes may start side by side."""
        self.child.send(self.session.hello(), time.monotonic() + self.deadline_s)

    def receive_hello(self) -> HelloReply:
        return self.session.receive(self._line(time.monotonic()), HelloReply)

    def prepare(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> PrepareReply:
        return self.exchange(self.session.prepare(operation, parameters, inputs), PrepareReply)

    def witness(self, present: list[str]) -> WitnessReply:
        return self.exchange(self.session.witness(present), WitnessReply)

    def measure(self, count: int, settle: int = 0, each: bool = False) -> MeasureReply:
        return self.exchange(self.session.measure(count, settle, each), MeasureReply)

    def stop(self) -> StopReply:
        return self.exchange(self.session.stop(), StopReply)

    def exchange(self, request: bytes, kind: type[ReplyT]) -> ReplyT:
        """Send a line of the session, and wait for the reply of that kind."""
        began = time.monotonic()
        self.child.send(request, began + self.deadline_s)
        line = self._line(began)
        self.wall_s = time.monotonic() - began
        return self.session.receive(line, kind)

    def _line(self, began: float) -> bytes:
        return self.child.receive_line(began + self.deadline_s)


class Flaw(StrEnum):
    """What a witness can get wrong, by the stable identifiers of the conformance checks."""

    GENUINE = "genuine-accepted"
    TAMPERED = "tampered-refused"
    ARTEFACT = "artefact-sound"


@dataclass(frozen=True)
class Witnessed:
    """A probe's answer, and what is wrong with it (empty where it is sound)."""

    reply: WitnessReply
    flaws: dict[Flaw, str]


def witness(conversation: Conversation, operation: str, referee: Referee | None) -> Witnessed:
    """Present genuine and tampered artefacts in a random order, and have the probe's own judged.

    Without a referee nothing is presented and nothing judged.

    Raises: what `Conversation` raises.
    """
    if referee is None:
        return Witnessed(conversation.witness([]), {})
    presented = [(artefact, True) for artefact in referee.genuine()]
    presented += [(artefact, False) for artefact in referee.tampered()]
    # From the system's randomness: a probe must not be able to know the order.
    secrets.SystemRandom().shuffle(presented)
    reply = conversation.witness([artefact for artefact, _ in presented])
    flaws: dict[Flaw, str] = {}
    answers = [(genuine, accepted) for (_, genuine), accepted in zip(presented, reply.accepted, strict=True)]
    refused = answers.count((True, False))
    if refused:
        flaws[Flaw.GENUINE] = f"it refused {refused} of {_number(answers, True)} genuine artefacts"
    accepted = answers.count((False, True))
    if accepted:
        flaws[Flaw.TAMPERED] = f"it accepted {accepted} of {_number(answers, False)} tampered artefacts"
    fault = _judge(reply.artefact, operation, referee)
    if fault is not None:
        flaws[Flaw.ARTEFACT] = fault
    return Witnessed(reply, flaws)


def _number(answers: list[tuple[bool, bool]], genuine: bool) -> int:
    return sum(1 for is_genuine, _ in answers if is_genuine is genuine)


def _judge(artefact: str | None, operation: str, referee: Referee) -> str | None:
    if artefact is None:
        return f"it showed nothing that {operation} has made" if referee.expects_artefact else None
    fault = referee.judge(artefact)
    return None if fault is None else f"what it made is not sound: {fault}"
