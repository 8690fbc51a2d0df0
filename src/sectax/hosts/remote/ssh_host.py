"""Another machine as a host, over the system's ssh client.

Without prompts: unknown or changed host keys and password logins are rejected.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import shlex
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Unpack

from sectax.hosts import facts, leftovers
from sectax.hosts.process.child import Child, StartOptions
from sectax.hosts.process.errors import ChildDied, ChildError, ChildNotStarted, ChildSilent, last_line
from sectax.hosts.process.host import LocalHost, NotFound
from sectax.hosts.process.telemetry import NoTelemetry
from sectax.model.errors import WrongUse
from sectax.text.printable import printable

# A file that replaces ~/.ssh/config.
CONFIG = "SECTAX_SSH_CONFIG"

_LOCAL = LocalHost()
# No part begins with a dash, which would make it an option of ssh.
_NAME = re.compile(
    r"ssh://(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d{1,5}))?"
)
_SOCKETS = "sectax-ssh-"
_READY = b"sectax-ready\n"
# Remote side of the connection: creates a folder with its PID, and removes it when stdin ends.
_HOLD = rf"""{leftovers.SWEEP}
mkdir -m 700 "$0" && echo "$$" >"$0/{leftovers.OWNER}"
echo sectax-ready
cat >/dev/null
rm -rf -- "$0"
"""
_CONNECT_S = 20.0
_ANSWER_S = 30.0
_REFUSE = {
    "BatchMode": "yes",
    "PasswordAuthentication": "no",
    "KbdInteractiveAuthentication": "no",
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "ClearAllForwardings": "yes",
    "ConnectTimeout": "10",
    # A lost host is noticed after 20 s.
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "4",
    "LogLevel": "ERROR",
}
# Message of ssh -> reason and hint.
_UNKNOWN_KEY = "its host key is unknown: log in once with ssh by hand, and check the key"
_REASONS = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "its host key has changed. The machine was reinstalled, or another one answers instead: find out which before "
        "you remove the old key with ssh-keygen -R",
    ),
    ("Host key verification failed", _UNKNOWN_KEY),
    ("host key is known", _UNKNOWN_KEY),
    ("Permission denied", "it does not accept a key without a password: check with ssh -o BatchMode=yes"),
)


class SshHost:
    """Implements `sectax.hosts.registry.Host` for `ssh://user@host:port` with a POSIX shell."""

    def __init__(self, name: str) -> None:
        """Raises `WrongUse`."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise WrongUse(f"{name!r} is not an ssh address", "use ssh://user@host or ssh://user@host:port")
        if match["port"] is not None and not 0 < int(match["port"]) < 65536:
            raise WrongUse(f"{name!r} has an invalid port", "ports are 1 to 65535")
        self.name = name
        self._master: Child | None = None
        self._sockets: Path | None = None
        # Folder for programs, removed at the end of the connection.
        self._folder = ""
        self._sent: set[str] = set()
        self._facts: dict[str, str] | None = None

    def start(self, argv: Sequence[str], **how: Unpack[StartOptions]) -> Child:
        """As `Host.start`; *env* is visible on the other machine's command line."""
        self._connect()
        cwd, env = how.get("cwd"), how.get("env")
        words = [*argv] if env is None else ["env", "-i", *(f"{key}={value}" for key, value in env.items()), *argv]
        if any("\0" in word for word in words):
            raise ChildNotStarted(argv[0], "a word contains a NUL")
        command = f"exec {shlex.join(words)}"
        if cwd is not None:
            command = f"cd -- {shlex.quote(str(cwd))} && {command}"
        own: StartOptions = {**how, "cwd": None, "env": None, "ends_itself": False}
        return _LOCAL.start([*self._ssh("no"), self.name, command], **own)

    def telemetry(self, child: Child) -> NoTelemetry:
        """No counters: reading them from another machine would take longer than a batch."""
        processors = "" if self._facts is None else self._facts.get("host.cpus", "")
        return NoTelemetry(int(processors) if processors.isdigit() else 1)

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        try:
            return self._first_line(("/bin/sh", "-c", 'command -v -- "$0"', word), cwd)
        except ChildDied as error:
            raise NotFound(f"{word!r} was not found on {self.name}", "install it there") from error
        except ChildError as error:
            raise NotFound(f"{self.name} does not answer: {error}", f"try ssh -o BatchMode=yes {self.name}") from error

    def put(self, file: Path) -> str:
        self._connect()
        path = f"{self._folder}/{file.name}"
        if path not in self._sent:
            script = 'cat > "$0.part" && chmod 700 "$0.part" && mv "$0.part" "$0"'
            try:
                with self.start(("/bin/sh", "-c", script, path)) as child:
                    child.send(file.read_bytes(), time.monotonic() + _ANSWER_S)
                    child.close_stdin()
                    status = child.wait(time.monotonic() + _ANSWER_S)
                    last = last_line(child.stderr_tail)
            except (ChildError, OSError) as error:
                raise ChildNotStarted(path, f"it could not be sent: {error}") from error
            if status != 0:
                raise ChildNotStarted(path, f"it could not be written there: {last or f'exit status {status}'}")
            self._sent.add(path)
        return path

    def on_one_processor(self, claims: Path) -> AbstractContextManager[None]:
        return nullcontext()  # the other machine is not shared

    def identity(self) -> dict[str, str]:
        """Facts about the machine, cached. Raises `ChildError`."""
        if self._facts is None:
            self._facts = facts.collect(self)
        return dict(self._facts)

    def circumstances(self) -> dict[str, str]:
        with contextlib.suppress(ChildError):
            return {"host.load": self._first_line(("cut", "-d", " ", "-f", "1-3", "/proc/loadavg"), None)}
        return {}

    def _first_line(self, argv: Sequence[str], cwd: str | None) -> str:
        with self.start(argv, cwd=cwd) as child:
            return child.receive_line(time.monotonic() + _ANSWER_S).decode(errors="replace").strip()

    def _ssh(self, master: str) -> list[str]:
        options = _REFUSE | {"ControlMaster": master, "ControlPersist": "no", "ControlPath": f"{self._sockets}/s"}
        config = os.environ.get(CONFIG)
        file = [] if not config else ["-F", config]
        return ["ssh", *file, "-T", "-e", "none", *(f"-o{key}={value}" for key, value in options.items())]

    def _connect(self) -> None:
        """Open the persistent connection, which ends with sectax."""
        if self._master is not None:
            if self._master.is_running():
                return
            self._forget()
        # In /tmp, since the path of a socket has at most 104 bytes.
        _sweep()
        self._sockets = Path(tempfile.mkdtemp(prefix=f"{_SOCKETS}{os.getpid()}-", dir="/tmp"))
        atexit.register(self._end, self._sockets, os.getpid())
        self._folder = f"{leftovers.PREFIX}{secrets.token_hex(8)}"
        hold = f"exec {shlex.join(('/bin/sh', '-c', _HOLD, self._folder))}"
        master = _LOCAL.start([*self._ssh("yes"), self.name, hold])
        try:
            line = master.receive_line(time.monotonic() + _CONNECT_S)
        except ChildSilent as error:
            master.kill()
            raise ChildNotStarted(self.name, f"no answer within {_CONNECT_S:.0f} s") from error
        except ChildError as error:
            master.kill()
            text = error.stderr_tail.decode(errors="replace")
            reason = next((reason for mark, reason in _REASONS if mark in text), error.last_line)
            raise ChildNotStarted(self.name, reason or str(error)) from error
        if line != _READY:
            master.kill()
            first = printable(line.decode(errors="replace").strip(), 80)
            raise ChildNotStarted(self.name, f"its shell prints {first!r} before a command's output")
        self._master = master

    def _forget(self) -> None:
        if self._master is not None:
            self._master.kill()
            self._master = None
        self._sent.clear()
        if self._sockets is not None:
            shutil.rmtree(self._sockets, ignore_errors=True)

    def _end(self, sockets: Path, owner: int) -> None:
        if os.getpid() != owner:
            return
        self._forget()
        shutil.rmtree(sockets, ignore_errors=True)


def _sweep() -> None:
    """Remove sockets of killed processes of sectax."""
    for folder in Path("/tmp").glob(f"{_SOCKETS}*"):  # noqa: S108 - not a file of ours
        owner = folder.name.removeprefix(_SOCKETS).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)
