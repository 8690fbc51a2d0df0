"""The cache of installed software, and the programs that install and build it."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lambda_local.errors import SetUpFailed
from lambda_local.settings import NAME

_COMPLETE = "complete"
_TAIL_LINES = 15  # the end of an installer's output has the reason
_ASK_TIMEOUT_S = 20
_SECRET_NAMES = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True)
class Missing:
    """Why a runtime is not available, and what to do.

    Attributes:
        apt: Debian packages to install.
        makable: whether `setup` can install it. on_first_use: whether creating a function installs it.
    """

    error: str
    hint: str = ""
    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


def place(name: str, *made_of: bytes) -> Path:
    """Return a path in the cache, named by a hash of its inputs."""
    own, caches = os.environ.get("LAMBDA_LOCAL_CACHE"), os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    base = Path(own) if own else Path(caches) / NAME
    return base.expanduser() / f"{name}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:16]}"


def is_complete(folder: Path) -> bool:
    """Return whether `make_once` completed this folder. Raises `SetUpFailed` if another user owns it."""
    for path in (folder.parent, folder, folder / _COMPLETE):
        if path.exists() and path.stat().st_uid not in (os.geteuid(), 0):
            raise SetUpFailed(f"{path} belongs to another user", "set LAMBDA_LOCAL_CACHE to a folder of your own")
    return (folder / _COMPLETE).exists()


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder of the cache; *make* creates it if necessary."""
    if is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two servers may start at the same time
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            # Programs of an instance run as another user. Targets of links are not changed.
            for path in (folder, *folder.rglob("*")):
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (folder / _COMPLETE).touch()
    return folder


def run(
    command: Sequence[str], failure: str, *, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> None:
    """Run an installer or a build. Raises `SetUpFailed` with the end of its output."""
    hint = "fix that, then try again"
    try:
        ended = _ended(command, env=environment, cwd=folder)
    except OSError as error:
        raise SetUpFailed(f"{failure}:\n{command[0]}: {error.strerror}", hint) from error
    if ended.returncode != 0:
        tail = "\n".join(_masked(ended.stdout + ended.stderr).strip().splitlines()[-_TAIL_LINES:])
        raise SetUpFailed(f"{failure}:\n{tail}", hint)


def _masked(text: str) -> str:
    """Replace secrets of the environment in an installer's output."""
    secrets = {value: name for name, value in os.environ.items() if len(value) >= 8 and _SECRET_NAMES.search(name)}
    for value in sorted(secrets, key=len, reverse=True):
        text = text.replace(value, f"[{secrets[value]}]")
    return text


def install_python_packages(lock: Path, python: str, failure: str, into: Path) -> None:
    """Install the packages of a hashed lock with byte code, with uv if available, else with pip."""
    own = Path(sys.executable).with_name("uv")
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv is not None:
        # Copies, not links, so that changes here do not affect uv's cache.
        command = [uv, "pip", "install", "--python", python, "--link-mode", "copy", "--compile-bytecode"]
    else:
        command = [python, "-m", "pip", "install"]
    command += ["--quiet", "--require-hashes", "--target", str(into), "-r", str(lock)]
    # uv trusts the system's certificates, such as those of a company's proxy, only on request.
    run(command, failure, environment={"UV_SYSTEM_CERTS": "1"} | dict(os.environ))


def ask(*command: str) -> str:
    """Return a short program's output on stdout and stderr; empty if it fails."""
    try:
        ended = _ended(command, timeout=_ASK_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if ended.returncode < 0 else ended.stdout + ended.stderr


def _ended(command: Sequence[str], **how: Any) -> subprocess.CompletedProcess[str]:
    quiet = subprocess.DEVNULL
    return subprocess.run(
        command, stdin=quiet, capture_output=True, encoding="utf-8", errors="replace", check=False, **how
    )


@functools.lru_cache(maxsize=16)
def reported_version(program: str, word: str, pattern: str) -> str:
    """Return a program's version, the pattern's first group in its output; empty without a match."""
    match = re.search(pattern, ask(program, word))
    return match[1] if match is not None else ""
