"""Probes: folders with a `probe.toml`, and their set-up."""

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
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal

import msgspec

from sectax.formats import toml_text
from sectax.formats.bad_input import BadInput
from sectax.model.errors import WrongUse
from sectax.parts import cache, go, go_programs, installer
from sectax.parts.files import checksum
from sectax.parts.programs import Missing, Requirement, missing_program
from sectax.parts.registry import Part, Say
from sectax.text.near import did_you_mean

GROUP = "sectax.probes"
# Folders that do not affect a probe's measurements.
_IGNORED_FOLDERS = {"tests", "__pycache__", "node_modules", "target", "vendor"}


Kind = Literal["python-venv", "go", "build", "none"]
_PROGRESS = {"python-venv": "installing the libraries of", "go": "building", "build": "building", "none": "setting up"}


class SetUp(msgspec.Struct, frozen=True):
    """Set-up of a probe; `{out}` in commands is its folder in the cache.

    Attributes:
        kind: `python-venv` installs a hashed lock into an environment; `go` builds the probe's module as `{out}/probe`;
            `build` runs a command; `none` needs nothing.
        lock: lock file of `python-venv`.
        command: command of `build`, run in a copy of the probe's folder, `{out}`; `{scratch}` is a temporary folder.
        by: the user's command for the set-up, with `{experiment}`.
        about: duration and downloads.
    """

    kind: Kind
    lock: str = ""
    command: list[str] = []
    by: str = "sectax setup"
    about: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """The `probe.toml` of a probe.

    Attributes:
        command: with `{name}` for programs.
        compiles_for_s: time that the runtime may still compile code; 0 for no compilation at run time.
    """

    name: str
    title: str
    command: list[str]
    requires: list[Requirement] = []
    compiles_for_s: float = 0.0
    setup: SetUp | None = None


@dataclass(frozen=True)
class Probe:
    """A probe and its folder."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def kind(self) -> Kind:
        return "none" if self.manifest.setup is None else self.manifest.setup.kind

    def environment_folder(self) -> Path | None:
        """Its folder in the cache, by a hash of its sources; None without set-up."""
        settings = self.manifest.setup
        if settings is None or settings.kind == "none":
            return None
        if settings.kind != "python-venv":
            return cache.place("probes", self.name, self.fingerprint().encode(), platform.machine().encode())
        return cache.place("probes", self.name, (self.folder / settings.lock).read_bytes(), sys.version.encode())

    def command(self) -> tuple[str, ...]:
        """Argument list, to be run in the probe's folder."""
        return tuple(self._fill(word) for word in self.manifest.command)

    def starts(self, program: str) -> bool:
        """Whether it needs this program to run, not only to build."""
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
        """Files, other than programs, on which `missing` depends."""
        manifest, environment = self.folder / "probe.toml", self.environment_folder()
        if environment is None or self.manifest.setup is None:
            return (manifest,)
        lock = (self.folder / self.manifest.setup.lock,) if self.manifest.setup.lock else ()
        return manifest, *lock, environment / "complete"

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for folder, folders, files in os.walk(self.folder):
            # Pruned in place, to skip environments (.venv, node_modules).
            folders[:] = sorted(set(folders) - _ignored_names(folder, folders))
            for name in sorted(files):
                path = Path(folder, name)
                digest.update(str(path.relative_to(self.folder)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]


def _ignored_names(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in _IGNORED_FOLDERS or name.startswith(".")}


def bundled(name: str) -> Path:
    """Folder of one of sectax's probes."""
    return cache.bundled("probes", name)


def copy_template(folder: Path) -> None:
    """Copy the template of a probe into a new folder. Raises `WrongUse`."""
    try:
        shutil.copytree(bundled("template"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    except FileExistsError as error:
        raise WrongUse(f"{folder} exists already", "give a new folder") from error
    except OSError as error:
        raise WrongUse(f"{folder} cannot be created: {error}", "give another folder") from error


def names() -> tuple[str, ...]:
    return tuple(sorted(entry_points(group=GROUP).names))


def is_in_a_folder(name: str) -> bool:
    return "=" in name


# Called for every treatment; reading all entry points takes milliseconds.
@functools.lru_cache(maxsize=64)
def load(name: str) -> Probe:
    """The probe of this name, or unregistered as `NAME=FOLDER`. Raises `WrongUse`."""
    folder = Path(name.partition("=")[2])
    if not is_in_a_folder(name):
        points = entry_points(group=GROUP, name=name)
        if not points:
            raise WrongUse(f"there is no probe {name!r}", did_you_mean(name, names()))
        folder = next(iter(points)).load()(name)
    try:
        manifest = msgspec.convert(toml_text.read(folder / "probe.toml"), Manifest)
    except (OSError, BadInput, msgspec.ValidationError) as error:
        raise WrongUse(f"the manifest of probe {name} cannot be used: {error}", f"see {folder}/probe.toml") from error
    return Probe(folder, manifest)


def part(name: str) -> Part:
    """The part of a probe, such as `probe:php`."""
    probe = load(name)

    def make(say: Say) -> None:
        say(f"{_PROGRESS[probe.kind]} probe {name}")
        set_up(probe, say)

    about = "" if probe.manifest.setup is None else probe.manifest.setup.about
    return Part(f"probe-{name}", f"probe {name}", lambda: missing(probe, thorough=True), make, about=about)


def missing(probe: Probe, *, thorough: bool = False, experiment: str = "jwt") -> Missing | None:
    """What the probe lacks on this machine, or None if it can run.

    Args:
        thorough: whether to check all files of its libraries.
        experiment: for the hint.
    """
    own = probe.kind == "python-venv"
    part = "libraries of" if own else "program of"
    hint = probe.manifest.setup.by.replace("{experiment}", experiment) if probe.manifest.setup is not None else ""
    environment = probe.environment_folder()
    built = environment is not None and cache.is_complete(environment)
    for requirement in probe.manifest.requires:
        if built and not probe.starts(requirement.program):
            continue
        # A Python probe's environment uses sectax's interpreter.
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
    """Install missing Python libraries, build nothing. Raises `SetUpFailed`."""
    lack = missing(probe)
    if lack is None or not lack.makable or probe.kind != "python-venv":
        return
    say(f"{_PROGRESS[probe.kind]} probe {probe.name}, once")
    set_up(probe, say)


def set_up(probe: Probe, say: Say = lambda text: None) -> None:
    """Set up a probe, replacing a damaged set-up. Raises `SetUpFailed`."""
    folder = probe.environment_folder()
    settings = probe.manifest.setup
    if folder is None or settings is None:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if missing(probe, thorough=True) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            _make(probe, settings, folder, say)


def _make(probe: Probe, settings: SetUp, folder: Path, say: Say) -> None:
    title = f"probe {probe.name}"
    match settings.kind:
        case "go":
            go_programs.build_own(title, probe.folder, folder / "probe", say)
        case "build":
            # In a copy, since sectax's folders may be read-only.
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
    # Compiled now: fresh processes of every block must not compile the libraries again.
    installer.install_python_packages(probe.folder / settings.lock, python, failure, compiled=True)


# For `sha256sum -c`.
_LIST = "files.sha256"


def remember_checksums(folder: Path) -> None:
    """Write the checksums of all files in *folder* to a list there."""
    lines = [f"{checksum(path)}  {path.relative_to(folder)}\n" for path in sorted(_files(folder))]
    (folder / _LIST).write_text("".join(lines))


def find_damage(folder: Path) -> str | None:
    """Describe the first changed or missing file; additional ones are ignored."""
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
    """Regular files, without links such as that to the system's Python."""
    for parent, _, names in os.walk(folder):
        paths = (Path(parent, name) for name in names if name != _LIST)
        yield from (path for path in paths if path.is_file() and not path.is_symlink())
