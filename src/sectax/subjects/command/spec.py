"""A command as data: what is run, where, and under which conditions."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sectax.model.environment import LOCAL_HOST

if TYPE_CHECKING:
    from sectax.subjects.command.subject import CommandSubject

NULL = "null"
INHERIT = "inherit"


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
        host: where it runs, by the name of a host (`sectax.sandboxes.hosts`); files and folders are those of that host.
        injected_s: a known extra cost in seconds, for the positive control: the process is busy for so long before
            it becomes the program. It lengthens the wall time to within microseconds, and the CPU time by what of it
            was really spent on a CPU.
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
    host: str = LOCAL_HOST

    def subject(self) -> CommandSubject:
        # Data does not import what acts on it: a plan is made without what starts processes.
        from sectax.subjects.command.subject import CommandSubject

        return CommandSubject(self)
