"""Messages and hints for failures of probes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from sectax.hosts.process.errors import ChildDied, ChildError, ChildFlooded, ChildNotStarted, ChildSilent
from sectax.protocol.session import AnsweredFailed, AnsweredSkipped, ProtocolViolation
from sectax.text.printable import printable

# All exceptions of a conversation with a probe.
PROBE_ERRORS = (ChildError, ProtocolViolation, AnsweredFailed, AnsweredSkipped)

_LAST_WORDS = 200  # characters
# The shortest piece of an input to redact; shorter ones occur by chance.
_PIECE = 12
# The shortest whole input to redact.
_WHOLE = 8
_MARK = "[input]"
_RUN = re.compile(rf"[A-Za-z0-9+/=_-]{{{_PIECE},}}")


def describe_failure(error: Exception, doing: str = "") -> str:
    """Describe a failure: `stopped replying to measure: exit status 137`."""
    to = f" to {doing}" if doing else ""
    tail = f"; last line on its stderr: {error.last_line}" if isinstance(error, ChildError) and error.last_line else ""
    match error:
        case ChildNotStarted():
            return f"could not be started: {error.program}: {error.reason}"
        case ChildDied():
            return f"stopped replying{to}: {error}{tail}"
        case ChildSilent():
            return f"did not reply{to} within {error.seconds:.1f} s{tail}"
        case ChildFlooded():
            return f"flooded its stdout in its reply{to}: {error}"
        case ProtocolViolation():
            return f"broke the protocol in its reply{to}: {error}"
        case AnsweredFailed() | AnsweredSkipped():
            return f"refused{f' {doing}' if doing else ''}: {printable(error.reason, _LAST_WORDS)}"
    return f"failed: {printable(str(error), _LAST_WORDS)}"


def failure_hint(error: Exception | None, name: str) -> str:
    """Return the hint for a probe's failure; None: without an exception."""
    match error:
        case ChildNotStarted():
            return "run sectax doctor to see what is missing"
        case ChildDied(out_of_memory=True):
            return "free memory, raise the limit of its container or cgroup, or leave it out"
        case AnsweredFailed() | AnsweredSkipped() if error.hint:
            return printable(error.hint, _LAST_WORDS)
    return f"sectax probe check {shlex.quote(name)} tests it by itself"


def redaction(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return a function that removes inputs from what a probe printed."""
    whole = sorted((secret for secret in secrets if len(secret) >= _WHOLE), key=len, reverse=True)

    def _masked(match: re.Match[str]) -> str:
        return _MARK if any(piece in secret for piece in _pieces(match[0]) for secret in whole) else match[0]

    def _redacted(text: str) -> str:
        for secret in whole:
            text = text.replace(secret, _MARK)
        return _RUN.sub(_masked, text)

    return _redacted


def redacted(text: str, secrets: Iterable[str]) -> str:
    """Remove inputs from one text, as `redaction`."""
    return redaction(secrets)(text)


def _pieces(run: str) -> Iterator[str]:
    return (run[start : start + _PIECE] for start in range(len(run) - _PIECE + 1))
