"""Server processes: start, log, free port, CPU time."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sectax.hosts.process.child import Child
from sectax.hosts.registry import host
from sectax.model.errors import ExitStatus, SessionOver
from sectax.text.masking import masked_text
from sectax.text.printable import printable

# Output goes to a file: pipes that are never read would fill up.
_TO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1 </dev/null'
_TAIL = 300  # characters


class ServerFailed(SessionOver):
    """A server did not start, or ended too early."""

    exit_status = ExitStatus.NOTHING_MEASURED


def start_server(argv: Sequence[str], log: Path, env: Mapping[str, str], cwd: str | None = None) -> Child:
    """Start a server in a process group that ends with sectax. Raises `ChildError`.

    Args:
        log: file that its output is appended to.
        env: its whole environment.
    """
    return host().start(["/bin/sh", "-c", _TO_LOG, "server", str(log), *argv], env=env, cwd=cwd)


def log_tail(log: Path, secrets: Iterable[str] = (), most: int = _TAIL) -> str:
    """The end of a server's log without *secrets*, to append to a message."""
    try:
        text = masked_text(log.read_text(errors="replace"))
    except OSError:
        return ""
    for secret in secrets:
        text = text.replace(secret, "…")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"; its last output: {printable(' '.join(lines)[-most:])}" if lines else ""


def free_port() -> int:
    """A port on loopback that is free now; another program may still take it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_time_s(pid: int) -> float | None:
    """CPU seconds of a process up to now; None once it has ended."""
    try:
        # The clock ID that clock_getcpuclockid(3) returns.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None
