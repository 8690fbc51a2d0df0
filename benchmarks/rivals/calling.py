"""Starts a tool; what it says on the way is of use only where it fails."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.output import environment


class ToolFailed(Exception):
    """A tool ended with an error, or said what is not understood."""


def call(command: Sequence[str | Path], extra: Mapping[str, str] | None = None) -> str:
    """What a tool prints.

    Raises:
        ToolFailed: it ended with a status other than 0; with the end of what it printed.
    """
    done = subprocess.run(command, env=environment() | dict(extra or {}), capture_output=True, text=True, check=False)
    if done.returncode:
        tail = (done.stdout + done.stderr).strip()[-300:]
        raise ToolFailed(f"{Path(command[0]).name} ended with {done.returncode}: {tail}")
    return done.stdout
