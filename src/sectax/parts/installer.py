"""Runs installers and builds; shows the end of the output after a failure."""

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
from sectax.text.masking import masked_text

_TAIL_LINES = 15
EVERY_S = 15.0
TRY_AGAIN = "fix that, then try again"


class SetUpFailed(SectaxError):
    """A part is missing, or could not be installed or built."""

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
    """Run a program to its end and return its stdout. Raises `SetUpFailed`.

    Args:
        failure, hint: message, followed by the end of the output, and hint.
        environment: its whole environment; None for sectax's.
        folder: working directory; None for the current one.
        progress: called every `EVERY_S` seconds with stderr so far and the time elapsed.
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
        tail = "\n".join(masked_text(printed + errors).strip().splitlines()[-_TAIL_LINES:])
        raise SetUpFailed(f"{failure}:\n{tail}", hint)
    return printed


@contextlib.contextmanager
def scratch_beside(place: Path) -> Iterator[Path]:
    """A temporary folder on the file system of *place*, for an atomic move to it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as scratch:
        yield Path(scratch)


def missing() -> Missing | None:
    """What is lacking to install Python packages, or None."""
    if _uv() is not None or importlib.util.find_spec("pip") is not None:
        return None
    return Missing("neither uv nor pip is installed", "install uv, or Debian's python3-pip")


def make_python_environment(folder: Path, failure: str) -> Path:
    """Create a virtual environment; returns its python. Raises `SetUpFailed`."""
    uv = _uv()
    make = [sys.executable, "-m", "venv"] if uv is None else [uv, "venv", "--quiet", "--python", sys.executable]
    run([*make, str(folder)], failure, environment=_for_uv())
    return folder / "bin" / "python"


def install_python_packages(
    lock: Path, python: str | Path, failure: str, *, into: Path | None = None, words: Sequence[str] = (), compiled: bool
) -> None:
    """Install a hashed lock with uv, or else pip. Raises `SetUpFailed`.

    Args:
        failure: message after a failure.
        into: folder; None for the interpreter's own.
        words: options common to uv and pip.
        compiled: whether to compile to byte code now.
    """
    uv = _uv()
    if uv is not None:
        # Copies, so that changes here do not affect uv's cache.
        command = [uv, "pip", "install", "--python", str(python), "--link-mode", "copy"]
        command += ["--compile-bytecode"] if compiled else []
    else:
        command = [str(python), "-m", "pip", "install", *([] if compiled else ["--no-compile"])]
    target = [] if into is None else ["--target", str(into)]
    command += ["--quiet", "--require-hashes", *words, *target, "-r", str(lock)]
    run(command, failure, environment=_for_uv())


def _uv() -> str | None:
    own = Path(sys.executable).with_name("uv")
    return str(own) if own.exists() else shutil.which("uv")


def _for_uv() -> dict[str, str]:
    """Environment in which uv trusts the system's certificates, unless set."""
    return {"UV_SYSTEM_CERTS": "1"} | dict(os.environ)
