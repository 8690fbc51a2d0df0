"""Runs the program as a user does, and looks at what it says.

Starting Python and importing numpy and scipy costs half a second, and the tests call the program hundreds of times. So
`sectax` asks one warm process to fork: each call is still a process of its own, with its own folder, environment,
descriptors and exit status. `PROGRAM` starts it from nothing, for tests that need to.
"""

from __future__ import annotations

import array
import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAM = [sys.executable, "-m", "sectax"]

_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Said:
    """What a call of the program printed, and how it ended."""

    status: int
    out: str
    err: str


def sectax(
    *words: str, folder: Path | None = None, timeout: float = 300, simulated: int | None = None, **environment: str
) -> Said:
    """Call the program; a traceback anywhere fails the test that called.

    Args:
        simulated: a seed; commands then run on a clock of their own (`tests.fakes.virtual`), in one order.
    """
    if simulated is not None and words[:1] == ("run",) and "--seed" not in words:
        words = (*words, "--seed", "1")
    wanted = os.environ | {"COLUMNS": "120", "NO_COLOR": "1"} | environment
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = _warm().call(words, folder or Path.cwd(), wanted, simulated, (out.fileno(), err.fileno()), timeout)
        said = Said(status, *(_text(file.fileno()) for file in (out, err)))
    assert "Traceback" not in said.out + said.err, said.err
    return said


def _text(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, closefd=False) as file:
        return file.read()


class _Warm:
    """The process that has imported everything and forks for each call."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(self._end)

    def call(
        self,
        words: tuple[str, ...],
        folder: Path,
        environment: Mapping[str, str],
        simulated: int | None,
        outputs: tuple[int, int],
        timeout: float,
    ) -> int:
        request = json.dumps([words, str(folder), dict(environment), simulated]).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", outputs))]
        self._ours.sendmsg([len(request).to_bytes(4, "big")], rights)
        self._ours.sendall(request)
        self._ours.settimeout(None)
        pid = int(self._line())
        self._ours.settimeout(timeout)
        try:
            return int(self._line())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._ours.settimeout(None)
            self._line()
            raise subprocess.TimeoutExpired(list(words), timeout) from None

    def _line(self) -> str:
        said = b""
        while not said.endswith(b"\n"):
            one = self._ours.recv(1)
            assert one, "the warm process has ended"
            said += one
        return said.decode()

    def _end(self) -> None:
        self._ours.close()
        self._process.wait()


@functools.cache
def _warm() -> _Warm:
    return _Warm()
