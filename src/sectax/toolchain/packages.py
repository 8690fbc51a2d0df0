"""Installs Python packages from a hashed lock into a folder, with uv where it is there and pip otherwise."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from sectax.toolchain import installer


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
        InstallerFailed: the installer did.
    """
    program = uv()
    what = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--target", str(folder), "-r", str(lock)]
    if program is not None:
        command = [program, "pip", "install", "--quiet", "--python", sys.executable, *what]
    else:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *what]
    installer.run(command, installer.for_uv())
