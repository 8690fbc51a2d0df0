"""A server that a run starts: on a port of its own, waited for, and ended with what started it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sectax.experiments.client_server.server import ServerFailed, free_port, log_tail, start_server
from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.text.printable import printable

# Stands for that port in the command of a server.
PORT = "$PORT"
# A server that dies closes its connections a moment before it has ended.
DYING_S = 0.5
WORK_FOLDERS = "server"
_START_S = 60.0
_ENDS_WITHIN_S = 5.0
_LOOK_EVERY_S = 0.01
_CONNECT_S = 1.0
_LISTENING = "0A"  # of /proc/net/tcp


class StartedServer:
    """One server process, in a process group and session of its own."""

    def __init__(self, name: str, argv: Sequence[str], folder: str, ends_by: signal.Signals | None = None) -> None:
        """Args:
        name: of which service. argv: its command, with `$PORT` in it. folder: that it runs in.
        ends_by: the signal by which it ends in good order; None where it is just killed.
        """
        self.port = 0
        self._name, self._argv, self._folder = name, argv, folder
        self._ends_by = ends_by
        self._child: Child | None = None
        self._work: WorkFolder | None = None

    @property
    def pid(self) -> int:
        """Of its first process."""
        assert self._child is not None, "the server was not started"
        return self._child.pid

    @property
    def log(self) -> Path:
        """What it prints."""
        assert self._work is not None, "the server was not started"
        return self._work.path / "log"

    def start(self) -> None:
        """Start it, without waiting for it. Raises `ServerFailed`."""
        self._work = WorkFolder(WORK_FOLDERS)
        self.port = free_port()
        argv = [word.replace(PORT, str(self.port)) for word in self._argv]
        try:
            self._child = start_server(argv, self.log, os.environ | {"PORT": str(self.port)}, self._folder)
        except ChildError as error:
            self.stop()
            raise self._failed(f"cannot be started: {error}", "is its path right?") from error

    def wait(self) -> None:
        """Wait until it listens, and see that it is this one that does. Raises `ServerFailed`, and ends it then."""
        deadline = time.monotonic() + _START_S
        while not _answers(self.port):
            self._check_alive()
            if time.monotonic() > deadline:
                what = f"does not listen on 127.0.0.1, port {self.port}, after {_START_S:g} s{log_tail(self.log)}"
                raise self._failed(what, f"does it take its port from {PORT}, and stay in the foreground?")
            time.sleep(_LOOK_EVERY_S)
        self.check()

    def check(self, within_s: float = 0.0) -> None:
        """Raises `ServerFailed` where it has ended, or ends so soon, or another program listens on its port."""
        self._check_alive(within_s)
        assert self._child is not None
        if not set(_listeners(self.port)) <= set(_sockets(self._child.pid)):
            self._check_alive()
            raise self._failed(
                f"another program listens on its port, {self.port}",
                f"does it take its port from {PORT}, and stay in the foreground?",
            )

    def _check_alive(self, within_s: float = 0.0) -> None:
        if self._child is None:
            raise self._failed("was not started", "report it")
        with contextlib.suppress(ChildSilent):
            status = self._child.wait(time.monotonic() + within_s)
            raise self._failed(f"has ended with exit status {status}{log_tail(self.log)}", "try its command by hand")

    def stop(self) -> None:
        """End it with all that it started; never raises."""
        if self._child is not None:
            if self._ends_by is not None:
                with contextlib.suppress(OSError, ChildError):
                    os.kill(self._child.pid, self._ends_by)
                    self._child.wait(time.monotonic() + _ENDS_WITHIN_S)
            with contextlib.suppress(OSError, ChildError):
                self._child.kill()
            self._child = None
        if self._work is not None:
            self._work.remove()
            self._work = None

    def _failed(self, message: str, hint: str) -> ServerFailed:
        failed = ServerFailed(printable(f"the server of {self._name} ({self._argv[0]}) {message}"), hint)
        self.stop()
        return failed


def _answers(port: int) -> bool:
    for address in ("127.0.0.1", "::1"):
        with contextlib.suppress(OSError), socket.create_connection((address, port), _CONNECT_S):
            return True
    return False


def _listeners(port: int) -> Iterator[str]:
    """The inodes of the sockets that listen on this port."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _sockets(session: int) -> Iterator[str]:
    """The inodes of the sockets that the processes of a session have open."""
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal():
            continue
        with contextlib.suppress(OSError, ProcessLookupError):
            if os.getsid(int(process.name)) != session:
                continue
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = os.readlink(descriptor)
                    if target.startswith("socket:["):
                        yield target[len("socket:[") : -1]
