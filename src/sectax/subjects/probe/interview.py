"""A conversation with a probe under test: patient with noise, so that every check can name its own fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Witnesses
from sectax.protocol.messages import MAX_LINE_BYTES
from sectax.protocol.session import Session
from sectax.sandboxes.hosts import host
from sectax.subjects.probe.conversation import Conversation
from sectax.subjects.probe.probe_subject import ProbeSpec

# Lines of noise that are read over on the way to a reply; a probe that writes more is not worth the wait.
_NOISE_ALLOWED = 100


@dataclass(frozen=True)
class ProbeProgram:
    """A program that may be a probe: how to start it, and the seconds that anything it does may take."""

    argv: Sequence[str]
    cwd: str | Path | None = None
    patience_s: float = 10.0

    def start(self, first_seq: int = 1) -> Conversation:
        """A fresh process. Raises `ChildNotStarted`."""
        child = host().start(self.argv, cwd=self.cwd, line_limit=MAX_LINE_BYTES)
        return Conversation(child, self.patience_s, Session(first_seq), _NOISE_ALLOWED)

    def start_with(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> Conversation:
        """A fresh process, greeted, with an operation made ready. Raises what `Conversation` raises."""
        interview = self.start()
        try:
            interview.hello()
            interview.prepare(operation, parameters, inputs)
        except BaseException:
            interview.child.kill()
            raise
        return interview


def software(spec: ProbeSpec) -> dict[str, str]:
    """`probe`, `runtime` and every `library_…` with its version; nothing where the probe does not start."""
    return {
        name: str(value)
        for name, value in (_witnesses(spec) or {}).items()
        if name in ("probe", "runtime") or name.startswith("library_")
    }


def has_cpu_clock(spec: ProbeSpec) -> bool | None:
    """Whether the probe names a CPU clock; None for one that cannot be asked."""
    witnesses = _witnesses(spec)
    return None if witnesses is None else "cpu_clock" in witnesses


def _witnesses(spec: ProbeSpec) -> Witnesses | None:
    subject = replace(spec, first=False).subject()
    try:
        return subject.open()
    except (SubjectFailed, SubjectSkipped):
        return None  # the pilot meets the same, and says so
    finally:
        subject.kill()
