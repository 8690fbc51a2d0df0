"""Whole commands as subjects: what they cost in wall time, CPU time and memory, each execution a fresh process.

Here is a command as data: what is run, where, under which conditions, and what a launcher needs to know of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sectax.model.environment import LOCAL_HOST
from sectax.subjects.command import requests

if TYPE_CHECKING:
    from sectax.subjects.command.subject import CommandSubject

NULL = "null"
INHERIT = "inherit"

# Which of its programs lies in which slot of the launcher.
PREPARE = 0
COMMAND = 1
NOTHING = 2
# The same once more with a stderr that is read, to learn after a failure what they say.
PREPARE_ALOUD = 3
COMMAND_ALOUD = 4


@dataclass(frozen=True)
class CommandSpec:
    """How a command is executed, again and again; data that can travel to another machine.

    Attributes:
        name: of the treatment, for messages.
        argv: the program and its arguments. No shell is involved; who wants one says `/bin/sh -c TEXT`.
        cwd: where it runs; None for here.
        prepare: runs untimed before every execution. What it starts (a server, say) lives until that execution has
            ended and is then killed with the rest of its process group.
        input: the file that it reads on stdin, from its beginning every time.
        output: where its stdout goes. `null` discards stdout and stderr; `inherit` shows both on sectax's stderr
            (sectax's stdout is its report); anything else is a file for stdout, written anew every time. Some
            programs, such as GNU grep, work less when they see that their stdout is /dev/null: give those a file.
        env: added to sectax's own environment. May hold secrets: it is never shown, and passed on over a pipe.
        deadline_s: seconds that an execution, or its preparation, may take.
        ignore_failure: accept exit statuses other than 0 and deaths by a signal; they are counted as witnesses. A
            deadline missed, and being killed for memory, are never accepted.
        injected_s: a known extra cost in seconds, for the positive control: the process is busy for so long before
            it becomes the program. It lengthens the wall time to within microseconds, and the CPU time by what of it
            was really spent on a CPU.
        warmup: executions of a fresh launcher that do not count, after its first.
        host: where it runs, by the name of a host (`sectax.sandboxes.hosts`). Files and folders are those of that
            host, and `inherit` is for this machine alone.
        tells_host: witness what the host is, since its name promises it.
    """

    name: str
    argv: tuple[str, ...]
    cwd: str | None = None
    prepare: tuple[str, ...] | None = None
    input: str = os.devnull
    output: str = NULL
    env: dict[str, str] = field(default_factory=dict, repr=False)
    deadline_s: float = 300.0
    ignore_failure: bool = False
    injected_s: float = 0.0
    warmup: int = 0
    host: str = LOCAL_HOST
    tells_host: bool = False

    def subject(self) -> CommandSubject:
        # What starts processes is imported when one is started: `sectax list` only asks which experiments there are.
        from sectax.subjects.command.subject import CommandSubject

        return CommandSubject(self)


def definitions(command: CommandSpec, path: str, prepare_path: str) -> list[bytes]:
    """The requests that define the command, whose program is *path*, and its preparation.

    stderr goes to /dev/null with the rest: a pipe that the launcher drains would wake it in the middle of a timed
    region, one that nobody drains blocks the command after 64 KiB, a file lets it fill the disk, and a limit on the
    size of a file (RLIMIT_FSIZE, a sealed memfd) makes its own writes fail. So a failed command is run once more to
    hear what it says.

    Raises:
        ValueError: a NUL in a word.
    """
    null = requests.truncated(os.devnull)
    output, errors = _places(command)
    heard = requests.STDERR_OF_LAUNCHER
    defined = [
        requests.program(COMMAND, command.input, output, errors, path, command.argv),
        requests.program(COMMAND_ALOUD, command.input, output, heard, path, command.argv),
    ]
    if command.prepare is not None:
        defined.append(requests.program(PREPARE, os.devnull, null, null, prepare_path, command.prepare))
        defined.append(requests.program(PREPARE_ALOUD, os.devnull, null, heard, prepare_path, command.prepare))
    return defined


def _places(command: CommandSpec) -> tuple[str, str]:
    """Where stdout and stderr go."""
    null = requests.truncated(os.devnull)
    if command.output == NULL:
        return null, null
    if command.output == INHERIT:
        # The launcher's own streams are its conversation with sectax, so it opens sectax's stderr anew.
        shown = requests.appended(f"/proc/{os.getpid()}/fd/2")
        return shown, shown
    return requests.truncated(os.path.abspath(command.output)), null
