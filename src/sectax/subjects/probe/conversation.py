"""Carries the lines of a session to a probe's process and back."""

from __future__ import annotations

import time
from typing import TypeVar

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
