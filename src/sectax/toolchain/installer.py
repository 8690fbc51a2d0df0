"""Runs a program that installs or builds something, quietly; where it fails, the end of what it said is the reason."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

# The end of an installer's output, where the reason stands.
_TAIL_LINES = 15


class InstallerFailed(Exception):
    """The program ended in failure; the message is the end of what it said."""


def run(command: list[str], environment: Mapping[str, str] | None = None, folder: Path | None = None) -> None:
    """Run it to its end.

    Args:
        environment: the whole of it; None for this process's own. folder: where it works; None for here.
    Raises:
        InstallerFailed: it failed.
    """
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        raise InstallerFailed(tail(done))


def tail(done: subprocess.CompletedProcess[str]) -> str:
    """The last lines of what a program said."""
    return "\n".join((done.stdout + done.stderr).strip().splitlines()[-_TAIL_LINES:])


def for_uv() -> dict[str, str]:
    """The environment in which uv trusts the system's certificates, among which a company's proxy may have put its own.

    It does so only when asked to; what the user said of it stands.
    """
    return {"UV_SYSTEM_CERTS": "1"} | dict(os.environ)
