"""Finds probes and installs their libraries.

A probe is a folder with a `probe.toml`, registered in the entry point group `sectax.probes`.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal

import msgspec

from sectax.model.errors import WrongUse
from sectax.parts import cache, go, go_programs, installer
from sectax.parts.files import checksum
from sectax.parts.programs import Missing, Requirement, missing_program
from sectax.parts.registry import Part, Say
from sectax.text.near import did_you_mean

GROUP = "sectax.probes"
# Folders beside a probe's code that do not change what it measures.
_NOT_ITS_OWN = {"tests", "__pycache__", "node_modules", "target", "vendor"}


Kind = Literal["python-venv", "go", "build", "none"]
_DOING = {"python-venv": "installing the libraries of", "go": "building", "build": "building", "none": "setting up"}


class SetUp(msgspec.Struct, frozen=True):
    """What is made before the probe can run; `{out}` in its manifest's commands is the folder that it is made in.

    Attributes:
        kind: `python-venv` installs a hashed lock into an environment; `go` builds the module in the probe's folder as
            `{out}/probe`, with a Go that is fetched where there is none of its version; `build` runs a command; `none`
            needs nothing.
        lock: of `python-venv`.
        command: of `build`: runs in a copy of the probe's folder, `{out}`, and leaves there what the probe is started
            from. `{scratch}` is a folder for what is not kept.
        by: the command that a user types to have it made; `{experiment}` in it stands for the one that needs it.
        about: how long it takes and what it fetches.
    """

    kind: Kind
    lock: str = ""
    command: list[str] = []
    by: str = "sectax setup"
    about: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """The `probe.toml` of a probe. `{name}` in the command stands for a program that was found or built.

    `compiles_for_s`: seconds of work within which the runtime still compiles what it runs; 0 where it compiles nothing.
    """

    name: str
    title: str
    command: list[str]
    requires: list[Requirement] = []
    compiles_for_s: float = 0.0
    setup: SetUp | None = None


@dataclass(frozen=True)
class Probe:
    """A probe and the folder it lives in."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def kind(self) -> Kind:
        """What must be made before it can run."""
        return "none" if self.manifest.setup is None else self.manifest.setup.kind

    def environment_folder(self) -> Path | None:
        """Where what it needs is made, named after the hash of all that it is made of; None where it needs nothing."""
        settings = self.manifest.setup
        if settings is None or settings.kind == "none":
            return None
        if settings.kind != "python-venv":
            return cache.place("probes", self.name, self.fingerprint().encode(), platform.machine().encode())
        return cache.place("probes", self.name, (self.folder / settings.lock).read_bytes(), sys.version.encode())

    def command(self) -> tuple[str, ...]:
        """The argument list that starts it; run it in the probe's folder."""
        return tuple(self._fill(word) for word in self.manifest.command)

    def starts(self, program: str) -> bool:
        """Whether it runs on this program; others only build it."""
        return f"{{{program}}}" in self.manifest.command

    def _fill(self, word: str) -> str:
        match = re.fullmatch(r"\{(\w+)\}", word)
        environment = self.environment_folder()
        if environment is not None:
            word = word.replace("{out}", str(environment))
        if match is None or match[1] == "out":
            return word
        if environment is not None and self.kind == "python-venv":
            return str(environment / "bin" / match[1])
        return shutil.which(match[1]) or match[1]

    def watched_files(self) -> tuple[Path, ...]:
        """The files, besides programs, that say whether it can run: its manifest, and its libraries' lock and mark."""
        manifest, environment = self.folder / "probe.toml", self.environment_folder()
        if environment is None or self.manifest.setup is None:
            return (manifest,)
        lock = (self.folder / self.manifest.setup.lock,) if self.manifest.setup.lock else ()
        return manifest, *lock, environment / "complete"

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for folder, folders, files in os.walk(self.folder):
            # Pruned in place, so that an environment of the probe's own (.venv, node_modules) is not walked through.
            folders[:] = sorted(set(folders) - _ignored_names(folder, folders))
            for name in sorted(files):
                path = Path(folder, name)
                digest.update(str(path.relative_to(self.folder)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]


def _ignored_names(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in _NOT_ITS_OWN or name.startswith(".")}


def bundled(name: str) -> Path:
    """The folder of a probe that comes with sectax: inside the package once installed, beside it in a checkout."""
    return cache.bundled("probes", name)


def copy_template(folder: Path) -> None:
    """Copy the probe to begin with into a new folder. Raises `WrongUse` where there is one."""
    try:
        shutil.copytree(bundled("template"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    except FileExistsError as error:
        raise WrongUse(f"{folder} exists already", "name a new folder") from error
    except OSError as error:
        raise WrongUse(f"{folder} cannot be made: {error}", "name another folder") from error


def names() -> tuple[str, ...]:
    return tuple(sorted(entry_points(group=GROUP).names))


def is_in_a_folder(name: str) -> bool:
    """Whether it is `NAME=FOLDER`."""
    return "=" in name


# Asked for every treatment; reading the entry points of all packages takes milliseconds.
@functools.lru_cache(maxsize=64)
def load(name: str) -> Probe:
    """The probe of this name; `NAME=FOLDER` is one that nobody registered, such as one of two revisions.

    Raises:
        WrongUse: there is none, or its manifest is wrong.
    """
    folder = Path(name.partition("=")[2])
    if not is_in_a_folder(name):
        points = entry_points(group=GROUP, name=name)
        if not points:
            raise WrongUse(f"there is no probe {name!r}", did_you_mean(name, names()))
        folder = next(iter(points)).load()(name)
    try:
        manifest = msgspec.convert(tomllib.loads((folder / "probe.toml").read_text()), Manifest)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"the manifest of probe {name} cannot be used: {error}", f"see {folder}/probe.toml") from error
    return Probe(folder, manifest)


def part(name: str) -> Part:
    """`probe:php`: a probe, with what its `[setup]` makes."""
    probe = load(name)

    def make(say: Say) -> None:
        say(f"{_DOING[probe.kind]} probe {name}")
        set_up(probe, say)

    about = "" if probe.manifest.setup is None else probe.manifest.setup.about
    return Part(f"probe-{name}", f"probe {name}", lambda: missing(probe, thorough=True), make, about=about)


def missing(probe: Probe, *, thorough: bool = False, experiment: str = "jwt") -> Missing | None:
    """What the probe lacks on this machine; None where it can run: once it is built, without what built it.

    Args:
        thorough: read all files of its libraries, to find one that was damaged. Takes some hundredths of a second.
        experiment: what the hint sets it up for.
    """
    own = probe.kind == "python-venv"
    part = "libraries of" if own else "program of"
    hint = probe.manifest.setup.by.replace("{experiment}", experiment) if probe.manifest.setup is not None else ""
    environment = probe.environment_folder()
    built = environment is not None and (environment / "complete").exists()
    for requirement in probe.manifest.requires:
        if built and not probe.starts(requirement.program):
            continue
        # A python probe runs on the interpreter of its own environment, which is made from ours.
        lack = missing_program(requirement, ours=own and requirement.program == "python")
        if lack is not None:
            return lack
    if environment is None:
        return None
    if not built:
        if probe.kind == "go" and (lack := go.missing(go.wanted(probe.folder / "go.mod"))) and not lack.makable:
            return lack
        lacking = "are not installed" if own else "is not built"
        return Missing(f"the {part} probe {probe.name} {lacking}", hint, makable=True)
    if thorough and (damage := find_damage(environment)) is not None:
        verb = "are" if own else "is"
        return Missing(f"the {part} probe {probe.name} {verb} damaged: {damage}", hint, makable=True)
    return None


def set_up_on_first_use(probe: Probe, say: Say) -> None:
    """Install the libraries of a probe where they alone are missing: seconds, where building a program takes minutes.

    Raises:
        SetUpFailed: they could not be installed.
    """
    lack = missing(probe)
    if lack is None or not lack.makable or probe.kind != "python-venv":
        return
    say(f"{_DOING[probe.kind]} probe {probe.name}, once")
    set_up(probe, say)


def set_up(probe: Probe, say: Say = lambda text: None) -> None:
    """Make what the probe's `[setup]` says, in place of what is there and damaged. Raises `SetUpFailed`."""
    folder = probe.environment_folder()
    settings = probe.manifest.setup
    if folder is None or settings is None:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two may start at once: the second one finds what the first one made
        if missing(probe, thorough=True) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            _make(probe, settings, folder, say)


def _make(probe: Probe, settings: SetUp, folder: Path, say: Say) -> None:
    title = f"probe {probe.name}"
    match settings.kind:
        case "go":
            go_programs.build_own(title, probe.folder, folder / "probe", say)
        case "build":
            # In a copy: where sectax is installed, its own folders may not be written.
            shutil.copytree(probe.folder, folder, ignore=_ignored_names)
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                installer.run(
                    [probe._fill(word.replace("{scratch}", scratch)) for word in settings.command],
                    f"{title} could not be built",
                    folder=folder,
                    progress=lambda _, seconds: say(f"still building {title}: {seconds:.0f} s"),
                )
        case _:
            _install_libraries(probe, settings, folder)
    remember_checksums(folder)
    (folder / "complete").touch()


def _install_libraries(probe: Probe, settings: SetUp, folder: Path) -> None:
    failure = f"the libraries of probe {probe.name} could not be installed"
    python = installer.make_python_environment(folder, failure)
    # Every block starts fresh processes, which must not compile the libraries again where they may not write.
    installer.install_python_packages(probe.folder / settings.lock, python, failure, compiled=True)


# In the format of sha256sum, so that `sha256sum -c` reads it too.
_LIST = "files.sha256"


def remember_checksums(folder: Path) -> None:
    """Write the checksum of every file in *folder* into a list beside them."""
    lines = [f"{checksum(path)}  {path.relative_to(folder)}\n" for path in sorted(_files(folder))]
    (folder / _LIST).write_text("".join(lines))


def find_damage(folder: Path) -> str | None:
    """The first damage in words; None where every file is as it was built. Files that came later do not count."""
    try:
        listed = (folder / _LIST).read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return "the list of its files is missing"
    if not listed:
        return "the list of its files is empty"
    for line in listed:
        wanted, _, name = line.partition("  ")
        try:
            if checksum(folder / name) != wanted:
                return f"{name} has changed"
        except OSError:
            return f"{name} is missing or cannot be read"
    return None


def _files(folder: Path) -> Iterator[Path]:
    """Regular files. A link leads to what is not ours, such as the system's Python."""
    for parent, _, names in os.walk(folder):
        paths = (Path(parent, name) for name in names if name != _LIST)
        yield from (path for path in paths if path.is_file() and not path.is_symlink())
