"""Where what is installed is kept, how it is made once, and the programs that install and build it."""

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
_TAIL_LINES = 15  # the end of an installer's output, where the reason stands
_ASK_TIMEOUT_S = 20


@dataclass(frozen=True)
class Missing:
    """What a runtime lacks here: why, what to do, and who can do it.

    Attributes:
        apt: Debian's packages that would change it.
        makable: `setup` can. on_first_use: creating a function does, and waits for it.
    """

    error: str
    hint: str = ""
    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


def place(name: str, *made_of: bytes) -> Path:
    """Where something is kept, or will be: its name has a hash of all that it is made of. It may be deleted."""
    own, caches = os.environ.get("LAMBDA_LOCAL_CACHE"), os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    base = Path(own) if own else Path(caches) / NAME
    return base.expanduser() / f"{name}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:16]}"


def is_complete(folder: Path) -> bool:
    """Whether `make_once` has made this folder."""
    return (folder / _COMPLETE).exists()


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder of the cache, filled by *make* where it is not there yet; *make* has to create it."""
    if is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two servers may start at once
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            # The programs of an instance run as nobody in particular. What a link leads to is not ours to change.
            for path in (folder, *folder.rglob("*")):
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (folder / _COMPLETE).touch()
    return folder


def run(
    command: Sequence[str], failure: str, *, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> None:
    """Run a program that installs or builds, to its end. Raises `SetUpFailed` with the end of its output."""
    hint = "fix that, then try again"
    try:
        ended = _ended(command, env=environment, cwd=folder)
    except OSError as error:
        raise SetUpFailed(f"{failure}:\n{command[0]}: {error.strerror}", hint) from error
    if ended.returncode != 0:
        tail = "\n".join((ended.stdout + ended.stderr).strip().splitlines()[-_TAIL_LINES:])
        raise SetUpFailed(f"{failure}:\n{tail}", hint)


def install_python_packages(lock: Path, python: str, failure: str, into: Path) -> None:
    """Install what a hashed lock names, compiled, with uv where it is installed and pip otherwise."""
    own = Path(sys.executable).with_name("uv")
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv is not None:
        # Copies, not links: what happens to the files here must not happen to uv's own.
        command = [uv, "pip", "install", "--python", python, "--link-mode", "copy", "--compile-bytecode"]
    else:
        command = [python, "-m", "pip", "install"]
    command += ["--quiet", "--require-hashes", "--target", str(into), "-r", str(lock)]
    # The system's certificates, among which a company's proxy may have put its own, are trusted only when asked to.
    run(command, failure, environment={"UV_SYSTEM_CERTS": "1"} | dict(os.environ))


def ask(*command: str) -> str:
    """What a program that answers at once prints on stdout and stderr; empty where it does not work."""
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
    """The version that a program reports, asked for once: the pattern's first group; empty where it names none."""
    match = re.search(pattern, ask(program, word))
    return match[1] if match is not None else ""
