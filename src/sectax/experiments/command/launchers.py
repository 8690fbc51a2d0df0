"""The launcher: a small C program built into the cache, or a Python script."""

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

# Slots of the launcher's programs.
PREPARE = 0
COMMAND = 1
NOTHING = 2
# With a stderr that is read, to explain a failure.
PREPARE_ALOUD = 3
COMMAND_ALOUD = 4
CONCLUDE = 5
CONCLUDE_ALOUD = 6

_SOURCE = Path(__file__).with_name("launcher.c")
_SCRIPT = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True)
class Launcher:
    """A program that starts and times others.

    Attributes:
        name: for the record; times of different launchers cannot be compared.
        nothing: a program that does nothing, to measure the cost of launching, or None.
        file: its executable, if it needs no other file.
    """

    argv: tuple[str, ...]
    name: str
    nothing: tuple[str, ...] | None
    file: Path | None = None


@functools.cache
def launcher() -> Launcher:
    """The best launcher available here."""
    return built_launcher() or python_launcher()


def host_launcher(host: Host) -> Launcher:
    """The launcher for a host, perhaps sent there. Raises `ChildNotStarted`."""
    best = launcher()
    if host.name == LOCAL_HOST:
        return best
    if best.file is None:
        raise ChildNotStarted("the launcher", f"building it for {host.name} needs a C compiler here")
    path = host.put(best.file)
    return dataclasses.replace(best, argv=(path,), nothing=(path, *c_programs.NOTHING))


def python_launcher() -> Launcher:
    """The launcher in Python; peak memory is at least its 9 MB."""
    argv = (sys.executable, "-I", "-S", "-E", str(_SCRIPT))
    nothing = shutil.which("true")
    return Launcher(argv, f"python {platform.python_version()}", None if nothing is None else (nothing,))


def built_launcher() -> Launcher | None:
    """The launcher in C, built if necessary, or None."""
    program = c_programs.built(_SOURCE, "launchers")
    if program is None:
        return None
    path, link = program
    return Launcher((str(path),), f"c, {link}", (str(path), *c_programs.NOTHING), path)


# Time for a launcher to start, answer, and kill leftovers.
_GRACE_S = 10.0


class RunningLauncher:
    """One launcher process; may raise `ChildError`, or `ValueError` for a NUL."""

    def __init__(self, host: Host, launcher: Launcher, cwd: str | None, env: Mapping[str, str]) -> None:
        # The launcher kills its programs' groups when its stdin ends.
        self.child = host.start(launcher.argv, cwd=cwd, ends_itself=True)
        try:
            self._send(requests.HELLO + requests.environment(env))
        except BaseException:
            self.kill()
            raise

    def clock(self) -> Clock:
        """Read the greeting; to be called once, before other requests."""
        return requests.read_hello(self.child.receive_line(time.monotonic() + _GRACE_S))

    def define(self, definition: bytes) -> None:
        self._send(definition)

    def run(
        self,
        slot: int,
        times: int = 1,
        *,
        prepare: int | None = None,
        conclude: int | None = None,
        strict: bool = True,
        deadline_s: float,
        spin_s: float = 0.0,
    ) -> Done:
        longest_s = times * (deadline_s + spin_s) * (1 + (prepare is not None) + (conclude is not None))
        request = requests.run(
            prepare, slot, times, conclude=conclude, strict=strict, deadline_s=deadline_s, spin_s=spin_s
        )
        self._send(request)
        return requests.read_done(self.child.receive_line(time.monotonic() + longest_s + _GRACE_S))

    def quit(self) -> None:
        self._send(requests.QUIT)
        self.child.wait(time.monotonic() + _GRACE_S)

    def kill(self) -> None:
        """End the launcher and its programs; never raises."""
        with contextlib.suppress(OSError, ChildError):
            self.child.close(grace=_GRACE_S)

    def _send(self, request: bytes) -> None:
        self.child.send(request, time.monotonic() + _GRACE_S)


def hook_definitions(slots: tuple[int, int], path: str, argv: Sequence[str]) -> list[bytes]:
    """Requests that define a preparation or conclusion, in a silent slot and an aloud one."""
    null = requests.truncated(os.devnull)
    both = zip(slots, (null, requests.STDERR_OF_LAUNCHER), strict=True)
    return [requests.program(slot, os.devnull, null, stderr, path, argv) for slot, stderr in both]


def definitions(path: str, argv: Sequence[str], source: str, output: str) -> list[bytes]:
    """Requests that define a command. Raises `ValueError` for a NUL.

    stderr is discarded: reading a pipe would wake the launcher in a timed region, an unread pipe blocks the command
    after 64 KiB, a file may fill the disk, and a limit on its size makes the command's writes fail. A failed command
    is run again to read its stderr.

    Args:
        source, output: `CommandSpec.input` and `output`.
    """
    stdout, errors = _streams(output)
    return [
        requests.program(COMMAND, source, stdout, errors, path, argv),
        requests.program(COMMAND_ALOUD, source, stdout, requests.STDERR_OF_LAUNCHER, path, argv),
    ]


def _streams(output: str) -> tuple[str, str]:
    null = requests.truncated(os.devnull)
    if output == NULL:
        return null, null
    if output == INHERIT:
        # The launcher opens sectax's stderr again, since its own streams are in use. If that is a file, both append.
        fcntl.fcntl(2, fcntl.F_SETFL, fcntl.fcntl(2, fcntl.F_GETFL) | os.O_APPEND)
        shown = requests.appended(f"/proc/{os.getpid()}/fd/2")
        return shown, shown
    return requests.truncated(os.path.abspath(output)), null
