"""Finds probes: a folder with a `probe.toml`, registered in the entry point group `sectax.probes`."""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import msgspec

from sectax.model.errors import SectaxError, WrongUse
from sectax.toolchain.cache import cache_folder

GROUP = "sectax.probes"
_CHECK_TIMEOUT_S = 20
# Folders beside a probe's code that do not change what it measures.
_NOT_ITS_OWN = {"tests", "__pycache__", "node_modules", "target", "vendor"}


class Requirement(msgspec.Struct, frozen=True):
    """A program that a probe needs: its least version, a command that must succeed, and what installs it."""

    program: str
    version: str = ""
    apt: list[str] = []
    check: list[str] = []
    mend: str = ""


class SetUp(msgspec.Struct, frozen=True):
    """How the probe's own libraries are installed: `python-venv` builds an environment from a hashed lock."""

    kind: str
    lock: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """The `probe.toml` of a probe. `{name}` in the command stands for a program that was found or built."""

    name: str
    title: str
    command: list[str]
    requires: list[Requirement] = []
    setup: SetUp | None = None


@dataclass(frozen=True)
class Probe:
    """A probe and the folder it lives in."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.manifest.name

    def environment_folder(self) -> Path | None:
        """Where its libraries are built, named after the hash of the lock; None where it needs none."""
        if self.manifest.setup is None:
            return None
        lock = (self.folder / self.manifest.setup.lock).read_bytes()
        mark = hashlib.sha256(lock + sys.version.encode()).hexdigest()[:16]
        return cache_folder() / "probes" / f"{self.name}-{mark}"

    def command(self) -> tuple[str, ...]:
        """The argument list that starts it; run it in the probe's folder."""
        return tuple(self._fill(word) for word in self.manifest.command)

    def _fill(self, word: str) -> str:
        match = re.fullmatch(r"\{(\w+)\}", word)
        if match is None:
            return word
        environment = self.environment_folder()
        if environment is not None:
            return str(environment / "bin" / match[1])
        return shutil.which(match[1]) or match[1]

    def fingerprint(self) -> str:
        """A hash over the probe's own files: a probe that was edited is another probe."""
        digest = hashlib.sha256()
        for folder, folders, files in os.walk(self.folder):
            # Pruned in place, so that an environment of the probe's own (.venv, node_modules) is not walked through.
            folders[:] = sorted(name for name in folders if name not in _NOT_ITS_OWN and not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                digest.update(str(path.relative_to(self.folder)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Missing:
    """Why something cannot be used here, the command that mends it, and the apt packages that would.

    `makable` is True where sectax itself can make it, from the network or from sources; `on_first_use` where a run
    does that by itself, and waits for it.
    """

    reason: str
    mend: str
    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


def bundled(name: str) -> Path:
    """The folder of a probe that comes with sectax: inside the package once installed, beside it in a checkout."""
    packaged = Path(__file__).parent.parent / "_probes" / name
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "probes" / name


def names() -> tuple[str, ...]:
    """The names of all probes that are registered."""
    return tuple(sorted(entry_points(group=GROUP).names))


# Asked for every treatment; reading the entry points of all packages takes milliseconds.
@functools.lru_cache(maxsize=64)
def load(name: str) -> Probe:
    """The probe of this name. Raises `WrongUse` where there is none or its manifest is wrong."""
    found = entry_points(group=GROUP, name=name)
    if not found:
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names())}"
        raise WrongUse(f"there is no probe {name!r}", hint)
    folder: Path = next(iter(found)).load()(name)
    try:
        manifest = msgspec.convert(tomllib.loads((folder / "probe.toml").read_text()), Manifest)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"the manifest of probe {name} cannot be used: {error}", f"see {folder}/probe.toml") from error
    return Probe(folder, manifest)


def missing(probe: Probe) -> Missing | None:
    """What the probe lacks on this machine; None where it can run."""
    for requirement in probe.manifest.requires:
        lack = _missing_program(probe, requirement)
        if lack is not None:
            return lack
    environment = probe.environment_folder()
    if environment is not None and not (environment / "complete").exists():
        return Missing(f"the libraries of probe {probe.name} are not installed", "sectax setup", makable=True)
    return None


def _missing_program(probe: Probe, requirement: Requirement) -> Missing | None:
    # A python probe runs on the interpreter of its own environment, which is made from ours.
    own = probe.manifest.setup is not None and probe.manifest.setup.kind == "python-venv"
    program = sys.executable if own and requirement.program == "python" else shutil.which(requirement.program)
    mend = requirement.mend or f"install {requirement.program}"
    apt = tuple(requirement.apt)
    if program is None:
        return Missing(f"{requirement.program} is not installed", mend, apt)
    wanted = re.fullmatch(r">=\s*([\d.]+)", requirement.version)
    if wanted is not None:
        version = _version_of(program)
        if version is not None and version < _numbers(wanted[1]):
            seen = ".".join(map(str, version))
            return Missing(f"{requirement.program} {seen} is too old, {wanted[1]} is needed", mend, apt)
    if requirement.check:
        done = _quietly([program, *requirement.check[1:]])
        if done is None or done.returncode != 0:
            return Missing(f"{requirement.program} lacks what the probe needs: {mend}", mend, apt)
    return None


def _version_of(program: str) -> tuple[int, ...] | None:
    done = _quietly([program, "--version"])
    found = re.search(r"\d+(\.\d+)+", done.stdout) if done is not None else None
    return _numbers(found[0]) if found else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _quietly(command: list[str]) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_CHECK_TIMEOUT_S, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


class SetUpFailed(SectaxError):
    """Something could not be set up; the run can still go on without it."""
