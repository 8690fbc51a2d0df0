"""A conversation with a probe under test: patient with noise, so that every check can name its own fault."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.protocol.messages import MAX_LINE_BYTES, HelloReply, Reply
from sectax.protocol.session import ProtocolViolation, Rule, Session
from sectax.sandboxes.hosts import host
from sectax.sandboxes.process.child import Child
from sectax.sandboxes.process.errors import ChildError
from sectax.subjects.probe.conversation import Conversation
from sectax.subjects.probe.probe_subject import ProbeSpec

ReplyT = TypeVar("ReplyT", bound=Reply)

# Lines of noise that are read over on the way to a reply; a probe that writes more is not worth the wait.
_NOISE_ALLOWED = 100


@dataclass(frozen=True)
class ProbeProgram:
    """A program that may be a probe: how to start it, and the seconds that anything it does may take."""

    argv: Sequence[str]
    cwd: str | Path | None = None
    patience_s: float = 10.0

    def start(self, first_seq: int = 1) -> Interview:
        """A fresh process. Raises `ChildNotStarted`."""
        child = host().start(self.argv, cwd=self.cwd, line_limit=MAX_LINE_BYTES)
        return Interview(child, self.patience_s, Session(first_seq))

    def start_with(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> Interview:
        """A fresh process, greeted, with an operation made ready. Raises what `Conversation` raises."""
        interview = self.start()
        try:
            interview.hello()
            interview.prepare(operation, parameters, inputs)
        except BaseException:
            interview.child.kill()
            raise
        return interview


class Interview(Conversation):
    """Reads over lines on stdout that are no reply, and keeps them as `noise`."""

    def __init__(self, child: Child, patience_s: float, session: Session) -> None:
        super().__init__(child, patience_s, session)
        self.noise: list[bytes] = []

    def __enter__(self) -> Interview:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.kill()

    def hello(self) -> HelloReply:
        return self.exchange(self.session.hello(), HelloReply)

    def exchange(self, request: bytes, kind: type[ReplyT]) -> ReplyT:
        """Send a request as it is, and read on until a reply to it comes."""
        began = time.monotonic()
        deadline = began + self.deadline_s
        self.child.send(request, deadline)
        while True:
            line = self.child.receive_line(deadline)
            self.wall_s = time.monotonic() - began
            try:
                return self.session.receive(line, kind)
            except ProtocolViolation as violation:
                if violation.rule is not Rule.JSON_OBJECT or len(self.noise) >= _NOISE_ALLOWED:
                    raise
                self.noise.append(line)

    def read_to_end(self) -> None:
        """Take everything that still comes on stdout as noise, until the probe ends or patience does."""
        deadline = time.monotonic() + self.deadline_s
        with contextlib.suppress(ChildError):
            while len(self.noise) < _NOISE_ALLOWED:
                self.noise.append(self.child.receive_line(deadline))
        if self.child.unread:
            self.noise.append(self.child.unread)


def software(spec: ProbeSpec) -> dict[str, str]:
    """`probe`, `runtime` and every `library_…` with its version; nothing where the probe does not start."""
    subject = replace(spec, first=False).subject()
    try:
        witnesses = subject.open()
    except (SubjectFailed, SubjectSkipped):
        return {}  # the pilot meets the same, and says so
    finally:
        subject.kill()
    return {
        name: str(value)
        for name, value in witnesses.items()
        if name in ("probe", "runtime") or name.startswith("library_")
    }


def has_cpu_clock(spec: ProbeSpec) -> bool | None:
    """Whether the probe names a CPU clock; None for one that cannot be asked, which the pilot will meet too."""
    subject = replace(spec, first=False).subject()
    try:
        return "cpu_clock" in subject.open()
    except (SubjectFailed, SubjectSkipped):
        return None
    finally:
        subject.kill()
