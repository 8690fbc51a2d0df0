"""The launcher: the small C program, built once into the cache, or else the Python one.

One that runs carries requests to its programs and their answers back, and leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import functools
import os
import platform
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sectax.experiments.command import requests
from sectax.experiments.command.requests import INHERIT, NULL, Clock, Done
from sectax.hosts.process.errors import ChildError, ChildNotStarted
from sectax.hosts.registry import Host
from sectax.model.environment import LOCAL_HOST
from sectax.parts import c_programs

# Which of its programs lies in which slot of the launcher.
PREPARE = 0
COMMAND = 1
NOTHING = 2
# The same once more with a stderr that is read, to learn after a failure what they say.
PREPARE_ALOUD = 3
COMMAND_ALOUD = 4

_SOURCE = Path(__file__).with_name("launcher.c")
_SCRIPT = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True)
class Launcher:
    """A program that starts and times others.

    Attributes:
        argv: what starts it.
        name: what it is, for the record: arms that were timed by different launchers cannot be compared.
        nothing: a program that does nothing, to find out what launching itself costs; None where there is none.
        file: the one file that is all of it; None where it needs more.
    """

    argv: tuple[str, ...]
    name: str
    nothing: tuple[str, ...] | None
    file: Path | None = None


@functools.cache
def launcher() -> Launcher:
    """The best launcher that is available here; looked for once per process."""
    return built_launcher() or python_launcher()


def host_launcher(host: Host) -> Launcher:
    """The launcher for programs of this host: another one than this machine is sent the one in C.

    Raises:
        ChildNotStarted: it cannot be built here, or is not available there.
    """
    best = launcher()
    if host.name == LOCAL_HOST:
        return best
    if best.file is None:
        raise ChildNotStarted("the launcher", f"no C compiler is here to build what times programs on {host.name}")
    path = host.put(best.file)
    return dataclasses.replace(best, argv=(path,), nothing=(path, *c_programs.NOTHING))


def python_launcher() -> Launcher:
    """The launcher that needs nothing but the interpreter. Every program seems to need its 9 MB of memory."""
    argv = (sys.executable, "-I", "-S", "-E", str(_SCRIPT))
    nothing = shutil.which("true")
    return Launcher(argv, f"python {platform.python_version()}", None if nothing is None else (nothing,))


def built_launcher() -> Launcher | None:
    """The launcher in C out of the cache, built before where it is not there; None where it cannot be.

    Static first: with a dynamic libc the floor of peak memory is 1.5 MB instead of 0.7 MB.
    """
    program = c_programs.built(_SOURCE, "launchers")
    if program is None:
        return None
    path, link = program
    return Launcher((str(path),), f"c, {link}", (str(path), *c_programs.NOTHING), path)


# What a launcher may take beyond the programs that it runs: to start, to answer, to kill what is left.
_GRACE_S = 10.0


class RunningLauncher:
    """One launcher process. Every method but `kill` may raise `ChildError`, and `ValueError` for a word with a NUL."""

    def __init__(self, host: Host, launcher: Launcher, cwd: str | None, env: Mapping[str, str]) -> None:
        # It alone knows the groups of its programs, and kills them when its stdin ends.
        self.child = host.start(launcher.argv, cwd=cwd, ends_itself=True)
        try:
            self._send(requests.HELLO + requests.environment(env))
        except BaseException:
            self.kill()
            raise

    def clock(self) -> Clock:
        """Read the greeting; to be called once, before anything else is asked."""
        return requests.read_hello(self.child.receive_line(time.monotonic() + _GRACE_S))

    def define(self, definition: bytes) -> None:
        self._send(definition)

    def run(
        self,
        slot: int,
        times: int = 1,
        *,
        prepare: int | None = None,
        strict: bool = True,
        deadline_s: float,
        spin_s: float = 0.0,
    ) -> Done:
        longest_s = times * (deadline_s + spin_s) * (1 if prepare is None else 2)
        request = requests.run(prepare, slot, times, strict=strict, deadline_s=deadline_s, spin_s=spin_s)
        self._send(request)
        return requests.read_done(self.child.receive_line(time.monotonic() + longest_s + _GRACE_S))

    def quit(self) -> None:
        self._send(requests.QUIT)
        self.child.wait(time.monotonic() + _GRACE_S)

    def kill(self) -> None:
        """End the launcher and all that it started; never raises."""
        with contextlib.suppress(OSError, ChildError):
            self.child.close(grace=_GRACE_S)

    def _send(self, request: bytes) -> None:
        self.child.send(request, time.monotonic() + _GRACE_S)


def definitions(
    path: str, argv: Sequence[str], source: str, output: str, prepare_path: str, prepare: Sequence[str] | None
) -> list[bytes]:
    """The requests that define a command and its preparation.

    Args:
        path, argv: its program, and its arguments with the program's name first.
        source, output: as `CommandSpec` has them.

    stderr goes to /dev/null with the rest: a pipe that the launcher drains would wake it in the middle of a timed
    region, one that nobody drains blocks the command after 64 KiB, a file lets it fill the disk, and a limit on the
    size of a file (RLIMIT_FSIZE, a sealed memfd) makes its own writes fail. So a failed command is run once more to
    hear what it says.

    Raises:
        ValueError: a NUL in a word.
    """
    null = requests.truncated(os.devnull)
    output_place, errors = _places(output)
    stderr = requests.STDERR_OF_LAUNCHER
    defined = [
        requests.program(COMMAND, source, output_place, errors, path, argv),
        requests.program(COMMAND_ALOUD, source, output_place, stderr, path, argv),
    ]
    if prepare is not None:
        defined.append(requests.program(PREPARE, os.devnull, null, null, prepare_path, prepare))
        defined.append(requests.program(PREPARE_ALOUD, os.devnull, null, stderr, prepare_path, prepare))
    return defined


def _places(output: str) -> tuple[str, str]:
    null = requests.truncated(os.devnull)
    if output == NULL:
        return null, null
    if output == INHERIT:
        # The launcher's own streams are its conversation with sectax, so it opens sectax's stderr again. Where that is
        # a file, sectax appends too: otherwise each would write over the other.
        fcntl.fcntl(2, fcntl.F_SETFL, fcntl.fcntl(2, fcntl.F_GETFL) | os.O_APPEND)
        shown = requests.appended(f"/proc/{os.getpid()}/fd/2")
        return shown, shown
    return requests.truncated(os.path.abspath(output)), null
