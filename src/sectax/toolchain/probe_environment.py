"""Builds the environment that a probe's own libraries live in, from their hashed lock, in the user's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from sectax.toolchain.packages import uv as find_uv
from sectax.toolchain.probes import Probe, SetUpFailed

# The end of an installer's output, where the reason stands.
_TAIL_LINES = 15


def build(probe: Probe) -> None:
    """Build it anew. Raises `SetUpFailed`."""
    folder = probe.environment_folder()
    settings = probe.manifest.setup
    if folder is None or settings is None:
        return
    if settings.kind != "python-venv":
        raise SetUpFailed(f"probe {probe.name}: unknown kind of set-up {settings.kind!r}", "python-venv is known")
    lock = str(probe.folder / settings.lock)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    uv = find_uv()
    python = str(folder / "bin" / "python")
    if uv is not None:
        # uv trusts the system's certificates (a company's proxy may have put its own there) only when asked to; and
        # every block starts fresh processes, which must not compile the libraries anew where they may not write.
        environment = {"UV_SYSTEM_CERTS": "1"} | dict(os.environ)
        install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "--require-hashes"]
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], environment, probe)
        _run([*install, "-r", lock], environment, probe)
    else:
        _run([sys.executable, "-m", "venv", str(folder)], None, probe)
        _run([python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock], None, probe)
    (folder / "complete").touch()


def _run(command: list[str], environment: dict[str, str] | None, probe: Probe) -> None:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_TAIL_LINES:])
        raise SetUpFailed(f"probe {probe.name}: {' '.join(command)} failed:\n{tail}", "mend that, then run this again")
