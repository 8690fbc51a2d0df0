"""Installs what a probe lacks: system packages through apt, libraries from hashed locks into the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from sectax.toolchain.packages import uv as find_uv
from sectax.toolchain.probes import Missing, Probe, SetUpFailed, missing

Say = Callable[[str], None]

# The end of an installer's output, where the reason stands.
_TAIL_LINES = 15


def set_up(probe: Probe, say: Say) -> None:
    """Make a probe able to run here; nothing is done where it already is.

    Raises:
        SetUpFailed: with the command that a person must run.
    """
    lack = missing(probe)
    while lack is not None:
        if lack.apt:
            _install_packages(probe, lack, say)
        elif probe.manifest.setup is not None:
            _build_environment(probe, say)
        else:
            raise SetUpFailed(f"probe {probe.name}: {lack.reason}", lack.mend)
        still = missing(probe)
        if still == lack:
            raise SetUpFailed(f"probe {probe.name}: installed, but still {lack.reason}", lack.mend)
        lack = still


def _install_packages(probe: Probe, lack: Missing, say: Say) -> None:
    packages = " ".join(lack.apt)
    if shutil.which("apt-get") is None:
        raise SetUpFailed(
            f"probe {probe.name}: {lack.reason}", f"install what Debian calls {packages}, then run this again"
        )
    if os.geteuid() != 0:
        raise SetUpFailed(f"probe {probe.name}: {lack.reason}", f"sudo apt-get install -y {packages}")
    say(f"installing {packages} (for probe {probe.name})")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *lack.apt]
    # The package lists of a new machine may be empty or old: fetch them only when the first attempt says so.
    quiet = subprocess.run(install, env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if quiet.returncode != 0:
        say("refreshing the package lists")
        _run(["apt-get", "update"], environment, probe)
        _run(install, environment, probe)


def _build_environment(probe: Probe, say: Say) -> None:
    folder = probe.environment_folder()
    settings = probe.manifest.setup
    if folder is None or settings is None:
        return
    if settings.kind != "python-venv":
        raise SetUpFailed(f"probe {probe.name}: unknown kind of set-up {settings.kind!r}", "python-venv is known")
    say(f"installing the libraries of probe {probe.name}")
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
