"""Installs what a part of an experiment lacks: system packages through apt, and the rest as the part itself knows."""

from __future__ import annotations

import os
import shutil

from sectax.toolchain import installer
from sectax.toolchain.parts import Part, Say
from sectax.toolchain.probes import SetUpFailed
from sectax.toolchain.programs import Missing


def set_up(part: Part, say: Say) -> None:
    """Make a part usable here; nothing is done where it already is.

    Raises:
        SectaxError: with the command that a person must run.
    """
    lack = part.missing()
    while lack is not None:
        if lack.apt:
            _install_packages(part, lack, say)
        elif lack.makable:
            part.make(say)
        else:
            raise SetUpFailed(f"{part.title}: {lack.reason}", lack.mend)
        still = part.missing()
        if still == lack:
            raise SetUpFailed(f"{part.title}: installed, but still {lack.reason}", lack.mend)
        lack = still


def _install_packages(part: Part, lack: Missing, say: Say) -> None:
    packages = " ".join(lack.apt)
    if shutil.which("apt-get") is None:
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"install what Debian calls {packages}, then run this again")
    if os.geteuid() != 0:
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"sudo apt-get install -y {packages}, then run this again")
    say(f"installing {packages} (for {part.title})")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *lack.apt]
    # The package lists of a new machine may be empty or old: fetch them only when the first attempt says so.
    try:
        installer.run(install, environment)
    except installer.InstallerFailed:
        say("refreshing the package lists")
        _run(["apt-get", "update"], environment, part)
        _run(install, environment, part)


def _run(command: list[str], environment: dict[str, str], part: Part) -> None:
    try:
        installer.run(command, environment)
    except installer.InstallerFailed as error:
        raise SetUpFailed(
            f"{part.title}: {' '.join(command)} failed:\n{error}", "mend that, then run this again"
        ) from error
