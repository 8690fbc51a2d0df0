"""Whether a process is still there, and how long a test waits."""

from __future__ import annotations

import time
from collections.abc import Callable
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


def running_with(*words: str, environment: str = "") -> list[int]:
    """The processes that have all of this in their command lines, and this in their environment; zombies left out."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command_line = (process / "cmdline").read_bytes()
            variables = (process / "environ").read_bytes() if environment else b""
            if environment.encode() in variables and all(word.encode() in command_line for word in words):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def soon(seconds: float = 60.0) -> float:
    """A deadline."""
    return time.monotonic() + seconds


def eventually(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether it comes true within this time."""
    until = time.monotonic() + seconds
    while not (true := bool(condition())) and time.monotonic() < until:
        time.sleep(0.02)
    return true
