"""Carries the lines of a session to a probe's process and back, and makes sure that the real thing is measured.

A probe must accept what is genuine and refuse what is tampered with.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError
from sectax.hosts.registry import host
from sectax.model.subject import Referee
from sectax.protocol.messages import (
    MAX_LINE_BYTES,
    HelloReply,
    MeasureReply,
    PrepareReply,
    Reply,
    StopReply,
    WitnessReply,
)
from sectax.protocol.session import ProbeSession, ProtocolViolation, ReplyRule

ReplyT = TypeVar("ReplyT", bound=Reply)

# Lines of noise that are read over on the way to a reply; a probe that writes more is not worth the wait.
_NOISE_ALLOWED = 100


class Conversation:
    """Requests to a running probe that wait for their replies.

    Every method raises what `Child` raises (`ChildError`) and what `Session.receive` raises (`ProtocolViolation`,
    `AnsweredSkipped`, `AnsweredFailed`). As a context manager it ends the probe.

    Attributes:
        noise: lines on stdout that were no reply, where they are read over.
        wall_s: what the last exchange took, by sectax's clock.
    """

    def __init__(
        self, child: Child, deadline_s: float, session: ProbeSession | None = None, noise_allowed: int = 0
    ) -> None:
        """Args: *deadline_s*, seconds that every reply may take; *noise_allowed*, lines that are read over."""
        self.child = child
        self.deadline_s = deadline_s
        self.session = ProbeSession() if session is None else session
        self.noise: list[bytes] = []
        self._noise_allowed = noise_allowed
        self.wall_s = 0.0

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()

    def send_hello(self) -> None:
        """Ask, and do not wait: several probes may start side by side."""
        self.child.send(self.session.hello(), time.monotonic() + self.deadline_s)

    def receive_hello(self) -> HelloReply:
        return self.session.receive(self.child.receive_line(time.monotonic() + self.deadline_s), HelloReply)

    def hello(self) -> HelloReply:
        return self.exchange(self.session.hello(), HelloReply)

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
        deadline = began + self.deadline_s
        self.child.send(request, deadline)
        while True:
            line = self.child.receive_line(deadline)
            self.wall_s = time.monotonic() - began
            try:
                return self.session.receive(line, kind)
            except ProtocolViolation as violation:
                if violation.rule is not ReplyRule.JSON_OBJECT or len(self.noise) >= self._noise_allowed:
                    raise
                self.noise.append(line)

    def read_to_end(self) -> None:
        """Take everything that still comes on stdout as noise, until the probe ends or patience does."""
        deadline = time.monotonic() + self.deadline_s
        with contextlib.suppress(ChildError):
            while len(self.noise) < self._noise_allowed:
                self.noise.append(self.child.receive_line(deadline))
        if self.child.unread:
            self.noise.append(self.child.unread)


@dataclass(frozen=True)
class ProbeProgram:
    """A program that may be a probe: how to start it, and the seconds that anything it does may take."""

    argv: Sequence[str]
    cwd: str | Path | None = None
    patience_s: float = 10.0

    def start(self, first_seq: int = 1) -> Conversation:
        """A fresh process. Raises `ChildNotStarted`."""
        child = host().start(self.argv, cwd=self.cwd, line_limit=MAX_LINE_BYTES)
        return Conversation(child, self.patience_s, ProbeSession(first_seq), _NOISE_ALLOWED)

    def start_operation(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> Conversation:
        """A fresh process, greeted, with an operation made ready. Raises what `Conversation` raises."""
        interview = self.start()
        try:
            interview.hello()
            interview.prepare(operation, parameters, inputs)
        except BaseException:
            interview.child.kill()
            raise
        return interview


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
    of_genuine, of_tampered = (
        [accepted for (_, is_genuine), accepted in zip(presented, reply.accepted, strict=True) if is_genuine is wanted]
        for wanted in (True, False)
    )
    if not all(of_genuine):
        flaws[Flaw.GENUINE] = f"it refused {of_genuine.count(False)} of {len(of_genuine)} genuine artefacts"
    if any(of_tampered):
        flaws[Flaw.TAMPERED] = f"it accepted {of_tampered.count(True)} of {len(of_tampered)} tampered artefacts"
    fault = _judge(reply.artefact, operation, referee)
    if fault is not None:
        flaws[Flaw.ARTEFACT] = fault
    return Witnessed(reply, flaws)


def _judge(artefact: str | None, operation: str, referee: Referee) -> str | None:
    if artefact is None:
        return f"it showed nothing that {operation} has made" if referee.expects_artefact else None
    fault = referee.judge(artefact)
    return None if fault is None else f"what it made is not sound: {fault}"
