"""Turns what went wrong with a command into words for a person: what happened, and what to try."""

from __future__ import annotations

import errno
import os
import signal

from sectax.model.printable import printable
from sectax.sandboxes.process.errors import describe_exit
from sectax.subjects.command.requests import Refused

_LAST_LINES = 3
_LAST_WORDS = 300  # characters
_MORE_MEMORY = "give it more memory (free some, or raise the limit of its container or cgroup), or leave it out"


def is_sigkill(status: int) -> bool:
    """Whether SIGKILL ended it. A shell around the program says 137 where the program was killed."""
    return status in (-signal.SIGKILL, 128 + signal.SIGKILL)


def ending(status: int, out_of_memory: bool, hint: str) -> tuple[str, str]:
    return describe_exit(status, out_of_memory), _MORE_MEMORY if out_of_memory else hint


def lateness(deadline_s: float) -> tuple[str, str]:
    return (
        f"was still running after {deadline_s:.3g} s and was killed",
        "raise --timeout, or see by hand what it waits for",
    )


def refusal(refused: Refused, path: str, source: str, output: str) -> tuple[str, str]:
    """An execution that could not begin: *path* is the program, *source* and *output* its files."""
    reason = os.strerror(refused.errno)
    match refused.what:
        case "input":
            return f"its input {source} cannot be read: {reason}", "give another file to read"
        case "output" | "errors":
            return f"its output {output} cannot be written: {reason}", "give another place for it"
        case "process":
            return f"no process could be made for it: {reason}", "free memory, or raise the limit of processes"
    match refused.errno:
        case errno.ENOENT:  # the program itself was found before
            return f"{path} is gone, or the interpreter that its first line names is not there", "fix its first line"
        case errno.ENOEXEC:
            return f"{path} is no program that this system can run", "a script needs a first line such as #!/bin/sh"
    return f"{path} could not be started: {reason}", "run it by hand to see why"


def last_words(stderr: bytes) -> str:
    """The last lines that say something, as untrusted as they are; empty where there are none."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()][-_LAST_LINES:]
    return f"; last on its stderr: {printable(b' | '.join(lines), _LAST_WORDS)}" if lines else ""
