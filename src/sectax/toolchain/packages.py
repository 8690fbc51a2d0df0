"""Installs Python packages from a hashed lock into a folder, with uv where it is there and pip otherwise."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

# The end of an installer's output, where the reason stands.
_TAIL_LINES = 15


class NotInstalled(Exception):
    """The packages could not be installed; the message is the end of what the installer said."""


def uv() -> str | None:
    """The program uv, that of this environment first."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else shutil.which("uv")


def has_installer() -> bool:
    """Whether there is anything to install packages with."""
    return uv() is not None or importlib.util.find_spec("pip") is not None


def install_into(folder: Path, lock: Path) -> None:
    """Install what *lock* names into *folder*, as builds for this interpreter; nothing is compiled.

    Raises:
        NotInstalled: the installer failed.
    """
    program = uv()
    what = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--target", str(folder), "-r", str(lock)]
    if program is not None:
        command = [program, "pip", "install", "--quiet", "--python", sys.executable, *what]
    else:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *what]
    # uv trusts the system's certificates (a company's proxy may have put its own there) only when asked to.
    environment = {"UV_SYSTEM_CERTS": "1"} | dict(os.environ)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        raise NotInstalled("\n".join((done.stdout + done.stderr).strip().splitlines()[-_TAIL_LINES:]))
