"""Runs programs that install or build something, quietly: where one fails, the end of its output is the reason."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from sectax.model.errors import ExitStatus, SectaxError
from sectax.parts.programs import Missing

# The end of an installer's output, where the reason stands.
_TAIL_LINES = 15
EVERY_S = 15.0
TRY_AGAIN = "fix that, then try again"


class SetUpFailed(SectaxError):
    """Something that a subject needs is missing here, or could not be installed or built. Others can still run."""

    exit_status = ExitStatus.NOTHING_MEASURED


def run(
    command: Sequence[str],
    failure: str,
    hint: str = TRY_AGAIN,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    progress: Callable[[str, float], None] = lambda printed, seconds: None,
) -> str:
    """Run a program to its end and return what it printed on stdout.

    Args:
        failure, hint: the words for the person where it fails; the end of its output stands below the first.
        environment: the whole of it; None for this process's own.
        folder: where it works; None for here.
        progress: is called every `EVERY_S` seconds while it works, with what it has printed on stderr and the seconds.
    Raises:
        SetUpFailed: it failed, or could not be started.
    """
    began, pipe = time.monotonic(), subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
    except OSError as error:
        raise SetUpFailed(f"{failure}:\n{command[0]}: {error.strerror}", hint) from error
    with process:
        try:
            while True:
                try:
                    printed, errors = (
                        output.decode("utf-8", "replace") for output in process.communicate(timeout=EVERY_S)
                    )
                    break
                except subprocess.TimeoutExpired as error:
                    progress((error.stderr or b"").decode("utf-8", "replace"), time.monotonic() - began)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        tail = "\n".join((printed + errors).strip().splitlines()[-_TAIL_LINES:])
        raise SetUpFailed(f"{failure}:\n{tail}", hint)
    return printed


@contextlib.contextmanager
def scratch_beside(place: Path) -> Iterator[Path]:
    """An empty folder on the file system of *place*: what is made in it can be moved there in one step."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as scratch:
        yield Path(scratch)


def missing() -> Missing | None:
    """What is lacking to install Python packages; None where it is there."""
    if _uv() is not None or importlib.util.find_spec("pip") is not None:
        return None
    return Missing("neither uv nor pip is installed", "install uv, or Debian's python3-pip")


def make_python_environment(folder: Path, failure: str) -> Path:
    """Make a virtual environment of this interpreter, and return its program. Raises `SetUpFailed`."""
    uv = _uv()
    make = [sys.executable, "-m", "venv"] if uv is None else [uv, "venv", "--quiet", "--python", sys.executable]
    run([*make, str(folder)], failure, environment=_for_uv())
    return folder / "bin" / "python"


def install_python_packages(
    lock: Path, python: str | Path, failure: str, *, into: Path | None = None, words: Sequence[str] = (), compiled: bool
) -> None:
    """Install what a hashed lock names, with uv where it is installed and pip otherwise.

    Args:
        python: the interpreter that the packages are for.
        failure: the words for the person where it fails.
        into: the folder; None for the interpreter's own.
        words: more options, which uv and pip have alike.
        compiled: whether byte code is made now. Fresh processes must not do it where they may not write.
    Raises:
        SetUpFailed: the installer failed.
    """
    uv = _uv()
    if uv is not None:
        # Copies, not links: what happens to the files here must not happen to uv's own.
        command = [uv, "pip", "install", "--python", str(python), "--link-mode", "copy"]
        command += ["--compile-bytecode"] if compiled else []
    else:
        command = [str(python), "-m", "pip", "install", *([] if compiled else ["--no-compile"])]
    target = [] if into is None else ["--target", str(into)]
    command += ["--quiet", "--require-hashes", *words, *target, "-r", str(lock)]
    run(command, failure, environment=_for_uv())


def _uv() -> str | None:
    """The program uv, that of this environment first."""
    own = Path(sys.executable).with_name("uv")
    return str(own) if own.exists() else shutil.which("uv")


def _for_uv() -> dict[str, str]:
    """The environment in which uv trusts the system's certificates, among which a company's proxy may have put its own.

    It does so only when asked to; what the user said of it stands.
    """
    return {"UV_SYSTEM_CERTS": "1"} | dict(os.environ)
