"""Whether a process is still there."""

from __future__ import annotations

import time
from pathlib import Path


def is_running(pid: int) -> bool:
    """A zombie that waits for a foreign parent has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int, seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.005)
    return not is_running(pid)
