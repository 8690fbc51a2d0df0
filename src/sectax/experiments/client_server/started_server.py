"""A server started by a run, on its own port."""

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

# Placeholder for the port in a server's command.
PORT = "$PORT"
# A dying server closes its connections shortly before it ends.
DYING_S = 0.5
WORK_FOLDERS = "server"
_START_S = 60.0
_ENDS_WITHIN_S = 5.0
_LOOK_EVERY_S = 0.01
_CONNECT_S = 1.0
_CHECK_PORT = f"check that it listens on the port {PORT}, and stays in the foreground"
_LISTENING = "0A"  # state in /proc/net/tcp


class StartedServer:
    """One server process, in its own process group and session."""

    def __init__(self, name: str, argv: Sequence[str], folder: str, ends_by: signal.Signals | None = None) -> None:
        """Args:
        name: its service.
        argv: its command, with `$PORT` in it.
        folder: its working directory.
        ends_by: signal for a clean shutdown; None to kill it at once.
        """
        self.port = 0
        self._name, self._argv, self._folder = name, argv, folder
        self._ends_by = ends_by
        self._child: Child | None = None
        self._work: WorkFolder | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None, "the server was not started"
        return self._child.pid

    @property
    def log(self) -> Path:
        assert self._work is not None, "the server was not started"
        return self._work.path / "log"

    def start(self) -> None:
        """Start it without waiting. Raises `ServerFailed`."""
        self._work = WorkFolder(WORK_FOLDERS)
        self.port = free_port()
        argv = [word.replace(PORT, str(self.port)) for word in self._argv]
        try:
            self._child = start_server(argv, self.log, os.environ | {"PORT": str(self.port)}, self._folder)
        except ChildError as error:
            self.stop()
            raise self._failed(f"cannot be started: {error}", "check its path") from error

    def wait(self) -> None:
        """Wait until it listens on its port. Raises `ServerFailed` and stops it otherwise."""
        deadline = time.monotonic() + _START_S
        while not _answers(self.port):
            self._check_alive()
            if time.monotonic() > deadline:
                message = f"does not listen on 127.0.0.1:{self.port} after {_START_S:g} s{log_tail(self.log)}"
                raise self._failed(message, _CHECK_PORT)
            time.sleep(_LOOK_EVERY_S)
        self.check()

    def check(self, within_s: float = 0.0) -> None:
        """Check that it is running and owns its port. Raises `ServerFailed`."""
        self._check_alive(within_s)
        assert self._child is not None
        if not set(_listeners(self.port)) <= set(_sockets(self._child.pid)):
            self._check_alive()
            raise self._failed(f"does not own its port {self.port}: another program listens there", _CHECK_PORT)

    def _check_alive(self, within_s: float = 0.0) -> None:
        if self._child is None:
            raise self._failed("was not started", "report it")
        with contextlib.suppress(ChildSilent):
            status = self._child.wait(time.monotonic() + within_s)
            raise self._failed(f"ended with exit status {status}{log_tail(self.log)}", "try its command by hand")

    def stop(self) -> None:
        """End it and its child processes; never raises."""
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
    """Inodes of the sockets that listen on this port."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _sockets(session: int) -> Iterator[str]:
    """Inodes of the open sockets of a session's processes."""
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
