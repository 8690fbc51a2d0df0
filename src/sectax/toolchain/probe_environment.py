"""Builds the environment that a probe's own libraries live in, from their hashed lock, in the user's cache."""

from __future__ import annotations

import shutil
import sys

from sectax.toolchain import checksums, installer
from sectax.toolchain.packages import uv as find_uv
from sectax.toolchain.probes import Probe, SetUpFailed


def build(probe: Probe) -> None:
    """Build it, in place of one that is there. Raises `SetUpFailed`."""
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
        # Every block starts fresh processes, which must not compile the libraries anew where they may not write.
        environment = installer.for_uv()
        install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "--require-hashes"]
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], environment, probe)
        _run([*install, "-r", lock], environment, probe)
    else:
        _run([sys.executable, "-m", "venv", str(folder)], None, probe)
        _run([python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock], None, probe)
    checksums.remember(folder)
    (folder / "complete").touch()


def _run(command: list[str], environment: dict[str, str] | None, probe: Probe) -> None:
    try:
        installer.run(command, environment)
    except installer.InstallerFailed as error:
        raise SetUpFailed(
            f"probe {probe.name}: {' '.join(command)} failed:\n{error}", "mend that, then run this again"
        ) from error
