"""Runs what a user wants done once before or after a session."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence

from sectax.experiments.command import requests
from sectax.experiments.command.launchers import RunningLauncher, launcher
from sectax.experiments.command.requests import Late, Refused, ending, is_sigkill, last_words, lateness, refusal
from sectax.hosts.process.errors import ChildError, ChildNotStarted
from sectax.hosts.process.host import NotFound, find_program
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.printable import printable

_SLOT = 0
_TAIL = 8 * 1024
_HINT = "run it by hand to see why"


class HookFailed(SectaxError):
    """What was to be done before or after a session could not be done."""

    exit_status = ExitStatus.NOTHING_MEASURED


def run_hook(
    argv: Sequence[str], deadline_s: float, *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run a command once on this machine and wait for its end. It has no stdin, and its stdout is discarded.

    What it leaves running (a server that the commands talk to) is left alone, as that is what it is for. Its stderr
    goes to a temporary file without a name until its last process ends: a server that logs much should be given
    another place (`server 2>/dev/null &`).

    Args:
        deadline_s: seconds after which it is killed with all its process group.
        cwd: where it runs; None for here.
        env: added to sectax's environment.
    Raises:
        HookFailed: not found, a status other than 0, or late.
    """
    title = printable(shlex.join(argv), 120)
    added = {} if env is None else env
    with tempfile.TemporaryFile() as stderr:
        errors = requests.appended(f"/proc/{os.getpid()}/fd/{stderr.fileno()}")
        try:
            path = find_program(argv[0], cwd, added)
            failed = _run(argv, path, errors, deadline_s, cwd, added)
        except NotFound as error:
            raise HookFailed(f"{title}: {error}", error.hint) from error
        except ChildNotStarted as error:
            raise HookFailed(f"{title}: cannot run: {error.reason}", "give another folder to run it in") from error
        except (ChildError, ValueError) as error:
            raise HookFailed(f"{title}: could not be run: {printable(str(error))}", _HINT) from error
        if failed is not None:
            stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - _TAIL))
            raise HookFailed(f"{title}: {failed[0]}{last_words(stderr.read())}", failed[1])


def _run(
    argv: Sequence[str], path: str, errors: str, deadline_s: float, cwd: str | None, env: Mapping[str, str]
) -> tuple[str, str] | None:
    """What went wrong and what to try; None where all went well."""
    running = RunningLauncher(host(), launcher(), cwd, env)
    try:
        running.clock()
        null = requests.truncated(os.devnull)
        running.define(requests.program(_SLOT, os.devnull, null, errors, path, argv))
        done = running.hook(_SLOT, deadline_s)
        running.quit()
    finally:
        running.kill()
    match done.end:
        case Late():
            return lateness(deadline_s)
        case Refused() as refused:
            return refusal(refused, printable(path), os.devnull, os.devnull)
    status = done.executions[0].status
    if status == 0:
        return None
    return ending(status, is_sigkill(status) and running.child.saw_memory_kill, _HINT)
