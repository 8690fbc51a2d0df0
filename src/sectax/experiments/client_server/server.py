"""What servers of a run have in common: how one fails, a free port, its CPU time."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sectax.hosts.process.child import Child
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SessionOver
from sectax.text.printable import printable

# Child's pipes would fill up, since nobody asks a server anything: what it says goes into a file.
_TO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1 </dev/null'
_LAST_WORDS = 300  # characters


class ServerFailed(SessionOver):
    """The server did not start, or ended while it was needed."""

    exit_status = ExitStatus.NOTHING_MEASURED


def start_server(argv: Sequence[str], log: Path, env: Mapping[str, str], cwd: str | None = None) -> Child:
    """Start a server of the run's own, in a process group that ends with sectax. Raises `ChildError`.

    Args: its whole environment is *env*; what it prints is added to *log*.
    """
    return host().start(["/bin/sh", "-c", _TO_LOG, "server", str(log), *argv], env=env, cwd=cwd)


def log_tail(log: Path, secrets: Iterable[str] = (), most: int = _LAST_WORDS) -> str:
    """The end of a server's log, without these secrets, to be put behind a message; empty where there is nothing."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return ""
    for secret in secrets:
        text = text.replace(secret, "…")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"; it said last: {printable(' '.join(lines)[-most:])}" if lines else ""


def free_port() -> int:
    """A port on loopback that nobody listens on now; another program may take it before the server does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_time_s(pid: int) -> float | None:
    """CPU time of a process up to now, in seconds; None once it has ended."""
    try:
        # The clock of another process's CPU time, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None
