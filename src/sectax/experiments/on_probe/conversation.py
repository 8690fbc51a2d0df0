"""Requests to a probe, and the check that it tells genuine from tampered."""

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

# Lines of noise to skip while waiting for a reply.
_NOISE_ALLOWED = 100


class Conversation:
    """Requests to a running probe; as a context manager it kills it.

    Methods raise `ChildError`, and as `ProbeSession.receive` `ProtocolViolation`, `AnsweredSkipped`, `AnsweredFailed`.

    Attributes:
        noise: skipped lines on stdout that were not replies.
        wall_s: duration of the last exchange by sectax's clock.
    """

    def __init__(
        self, child: Child, deadline_s: float, session: ProbeSession | None = None, noise_allowed: int = 0
    ) -> None:
        """Args: *deadline_s* per reply; *noise_allowed*: lines to skip."""
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
        """Send without waiting, so that several probes can start in parallel."""
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
        """Send a line of the session and wait for its reply."""
        start = time.monotonic()
        deadline = start + self.deadline_s
        self.child.send(request, deadline)
        while True:
            line = self.child.receive_line(deadline)
            self.wall_s = time.monotonic() - start
            try:
                return self.session.receive(line, kind)
            except ProtocolViolation as violation:
                if violation.rule is not ReplyRule.JSON_OBJECT or len(self.noise) >= self._noise_allowed:
                    raise
                self.noise.append(line)

    def read_to_end(self) -> None:
        """Read the rest of stdout as noise, until the probe ends or the deadline."""
        deadline = time.monotonic() + self.deadline_s
        with contextlib.suppress(ChildError):
            while len(self.noise) < self._noise_allowed:
                self.noise.append(self.child.receive_line(deadline))
        if self.child.unread:
            self.noise.append(self.child.unread)


@dataclass(frozen=True)
class ProbeProgram:
    """A program that may be a probe, and the seconds that a step may take."""

    argv: Sequence[str]
    cwd: str | Path | None = None
    patience_s: float = 10.0

    def start(self, first_seq: int = 1) -> Conversation:
        """Start a new process. Raises `ChildNotStarted`."""
        child = host().start(self.argv, cwd=self.cwd, line_limit=MAX_LINE_BYTES)
        return Conversation(child, self.patience_s, ProbeSession(first_seq), _NOISE_ALLOWED)

    def start_operation(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> Conversation:
        """Start a new process and prepare an operation. Raises as `Conversation`."""
        conversation = self.start()
        try:
            conversation.hello()
            conversation.prepare(operation, parameters, inputs)
        except BaseException:
            conversation.child.kill()
            raise
        return conversation


class Flaw(StrEnum):
    """Faults of a witness reply, by the stable identifiers of the conformance checks."""

    GENUINE = "genuine-accepted"
    TAMPERED = "tampered-refused"
    ARTEFACT = "artefact-sound"


@dataclass(frozen=True)
class Witnessed:
    """A probe's witness reply and its flaws."""

    reply: WitnessReply
    flaws: dict[Flaw, str]


def witness(conversation: Conversation, operation: str, referee: Referee | None) -> Witnessed:
    """Present genuine and tampered artefacts in random order, and judge.

    Without a referee nothing is presented or judged. Raises as `Conversation`.
    """
    if referee is None:
        return Witnessed(conversation.witness([]), {})
    presented = [(artefact, True) for artefact in referee.genuine()]
    presented += [(artefact, False) for artefact in referee.tampered()]
    # The system's randomness, so that a probe cannot predict the order.
    secrets.SystemRandom().shuffle(presented)
    reply = conversation.witness([artefact for artefact, _ in presented])
    flaws: dict[Flaw, str] = {}
    genuine, tampered = (
        [accepted for (_, is_genuine), accepted in zip(presented, reply.accepted, strict=True) if is_genuine is wanted]
        for wanted in (True, False)
    )
    if not all(genuine):
        flaws[Flaw.GENUINE] = f"it refused {genuine.count(False)} of {len(genuine)} genuine artefacts"
    if any(tampered):
        flaws[Flaw.TAMPERED] = f"it accepted {tampered.count(True)} of {len(tampered)} tampered artefacts"
    fault = _judge(reply.artefact, operation, referee)
    if fault is not None:
        flaws[Flaw.ARTEFACT] = fault
    return Witnessed(reply, flaws)


def _judge(artefact: str | None, operation: str, referee: Referee) -> str | None:
    if artefact is None:
        return f"it showed no result of {operation}" if referee.expects_artefact else None
    fault = referee.judge(artefact)
    return None if fault is None else f"its result is wrong: {fault}"
