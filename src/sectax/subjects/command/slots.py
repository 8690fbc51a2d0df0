"""Which program of a command lies in which slot of its launcher."""

from __future__ import annotations

import os

from sectax.subjects.command import requests
from sectax.subjects.command.spec import INHERIT, NULL, CommandSpec

PREPARE = 0
COMMAND = 1
NOTHING = 2
# The same once more with a stderr that is read, to learn after a failure what they say.
PREPARE_ALOUD = 3
COMMAND_ALOUD = 4


def definitions(spec: CommandSpec, path: str, prepare_path: str) -> list[bytes]:
    """The requests that define the command, whose program is *path*, and its preparation.

    stderr goes to /dev/null with the rest: a pipe that the launcher drains would wake it in the middle of a timed
    region, one that nobody drains blocks the command after 64 KiB, a file lets it fill the disk, and a limit on the
    size of a file (RLIMIT_FSIZE, a sealed memfd) makes its own writes fail. So a failed command is run once more to
    hear what it says.

    Raises:
        ValueError: a NUL in a word.
    """
    null = requests.truncated(os.devnull)
    output, errors = _places(spec)
    heard = requests.STDERR_OF_LAUNCHER
    defined = [
        requests.program(COMMAND, spec.input, output, errors, path, spec.argv),
        requests.program(COMMAND_ALOUD, spec.input, output, heard, path, spec.argv),
    ]
    if spec.prepare is not None:
        defined.append(requests.program(PREPARE, os.devnull, null, null, prepare_path, spec.prepare))
        defined.append(requests.program(PREPARE_ALOUD, os.devnull, null, heard, prepare_path, spec.prepare))
    return defined


def _places(spec: CommandSpec) -> tuple[str, str]:
    """Where stdout and stderr go."""
    null = requests.truncated(os.devnull)
    if spec.output == NULL:
        return null, null
    if spec.output == INHERIT:
        # The launcher's own streams are its conversation with sectax, so it opens sectax's stderr anew.
        shown = requests.appended(f"/proc/{os.getpid()}/fd/2")
        return shown, shown
    return requests.truncated(os.path.abspath(spec.output)), null
