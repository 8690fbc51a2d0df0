"""Runs the program as a user does, and looks at what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROGRAM = [sys.executable, "-m", "sectax"]


@dataclass(frozen=True)
class Said:
    """What a call of the program printed, and how it ended."""

    status: int
    out: str
    err: str


def sectax(*words: str, folder: Path | None = None, timeout: float = 120, **environment: str) -> Said:
    """Call the program; a traceback anywhere fails the test that called."""
    done = subprocess.run(
        [*PROGRAM, *words],
        cwd=folder,
        env=os.environ | {"COLUMNS": "120", "NO_COLOR": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    said = Said(done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in said.out + said.err, said.err
    return said
