"""Runs --setup and --cleanup."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import IO

from sectax.experiments.command.requests import (
    LauncherRefused,
    exit_message,
    is_sigkill,
    refusal_message,
    stderr_message,
    timeout_message,
)
from sectax.hosts.process.cgroups import MemoryKills
from sectax.hosts.process.guardian import GUARDIAN
from sectax.hosts.process.host import NotFound, find_program
from sectax.model.errors import NothingMeasured
from sectax.text.printable import printable

_TAIL = 8 * 1024


class HookFailed(NothingMeasured):
    """A command of --setup or --cleanup failed."""


def run_hook(
    argv: Sequence[str],
    deadline_s: float,
    *,
    cwd: str | None = None,
    env: Mapping[str, str] = MappingProxyType({}),
    input: str = os.devnull,
) -> None:
    """Run a command on this machine and wait for its end, discarding its stdout.

    Background processes that it starts, such as a server, keep running. Their stderr goes to an unnamed temporary
    file: redirect the log of a verbose server (`server 2>/dev/null &`).

    Args:
        deadline_s: seconds after which its process group is killed.
        cwd: working directory; None for the current one.
        env: added to sectax's environment.
        input: file for stdin.
    Raises:
        HookFailed: not found, an exit status other than 0, or a timeout.
    """
    with tempfile.TemporaryFile() as stderr, open(input, "rb") as stdin:
        failed = _run(argv, (stdin, stderr), deadline_s, cwd, env)
        if failed is not None:
            tail = os.pread(stderr.fileno(), _TAIL, max(0, os.fstat(stderr.fileno()).st_size - _TAIL))
            raise HookFailed(f"{printable(shlex.join(argv), 120)}: {failed[0]}{stderr_message(tail)}", failed[1])


def _run(
    argv: Sequence[str],
    streams: tuple[IO[bytes], IO[bytes]],
    deadline_s: float,
    cwd: str | None,
    env: Mapping[str, str],
) -> tuple[str, str] | None:
    """Message and hint of a failure, or None."""
    if cwd is not None and not os.path.isdir(cwd):
        return f"cannot run: there is no folder {printable(cwd)}", "give another working directory"
    try:
        path = find_program(argv[0], cwd, env)
        GUARDIAN.prepare()
        started = subprocess.Popen(
            argv,
            executable=path,
            cwd=cwd,
            env={**os.environ, **env},
            stdin=streams[0],
            stdout=subprocess.DEVNULL,
            stderr=streams[1],
            start_new_session=True,
        )
    except NotFound as error:
        return str(error), error.hint
    except OSError as error:
        return refusal_message(LauncherRefused(0, "program", error.errno or 0), printable(path), "", "")
    except ValueError as error:  # a NUL in a word
        return f"could not be run: {printable(str(error))}", "run it by hand to see why"
    GUARDIAN.watch(started.pid)
    kills = MemoryKills(started.pid)
    try:
        status = started.wait(deadline_s)
    except subprocess.TimeoutExpired:
        return timeout_message(deadline_s)
    finally:
        if started.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
        GUARDIAN.release(started.pid)
        started.wait()
    out_of_memory = is_sigkill(status) and kills.have_grown()
    return exit_message(status, out_of_memory, "run it by hand to see why") if status else None
