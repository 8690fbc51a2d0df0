"""Builds the Lambda functions that come with sectax into zips in the user's cache."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sectax.experiments.on_lambda.code import pack
from sectax.formats import toml_text
from sectax.formats.bad_input import BadInput
from sectax.model.errors import WrongUse
from sectax.parts import cache, go, go_programs, installer
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing

_LOCK = "requirements.txt"
# Installers' files that differ between installations of the same packages.
_INSTALLER_FILES = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json", ".lock"}
# Increase when the same sources give another zip.
_BUILD = 1


class _Language(msgspec.Struct, frozen=True):
    handler: str
    optional: bool = False


class _Manifest(msgspec.Struct, frozen=True):
    title: str
    languages: dict[str, _Language]


@dataclass(frozen=True)
class Function:
    """A function in one language.

    Attributes:
        folder: its sources in this language.
        handler: the handler that Lambda calls.
        optional: whether the experiment can run without it.
    """

    name: str
    language: str
    folder: Path
    handler: str
    optional: bool = False

    @property
    def runtime(self) -> str:
        """The Lambda runtime of the zip; for Python the version of this interpreter."""
        if self.language == "python":
            return f"python{sys.version_info.major}.{sys.version_info.minor}"
        return "provided.al2023"


def load(name: str, language: str) -> Function:
    """Load a function's manifest. Raises `WrongUse` if there is none."""
    folder = cache.bundled("functions", name)
    try:
        manifest = msgspec.convert(toml_text.read(folder / "function.toml"), _Manifest)
    except (OSError, BadInput, msgspec.ValidationError) as error:
        raise WrongUse(f"the function {name!r} cannot be used: {error}", f"see {folder}") from error
    if language not in manifest.languages:
        raise WrongUse(f"{name} is not available in {language!r}", f"available: {', '.join(manifest.languages)}")
    settings = manifest.languages[language]
    return Function(name, language, folder / language, settings.handler, settings.optional)


def missing(function: Function) -> Missing | None:
    """Return why it cannot be built here; None if it can."""
    if function.language == "go":
        return go.missing(go.wanted(function.folder / "go.mod"))
    return installer.missing() if function.language == "python" else None


def build(name: str, language: str) -> Path:
    """Return the zip of a function, from the cache if its inputs are unchanged.

    The same sources, libraries and tool-chain give the same bytes. A Python zip is for this Python version and machine.

    Raises:
        WrongUse: the function does not exist.
        SetUpFailed: the tool-chain is missing or failed.
    """
    function = load(name, language)
    lack = missing(function)
    if lack is not None:
        raise SetUpFailed(f"function {name} in {language}: {lack.reason}", lack.hint)
    path = zip_path(function)
    if cache.is_intact(path):
        return path
    with installer.scratch_beside(path) as scratch:
        content = scratch / "content"
        content.mkdir()
        if language == "go":
            _compile(function, content)
        else:
            _assemble(function, content)
        # Concurrent builds are harmless: the last one replaces the others with the same content.
        unfinished = scratch / path.name
        unfinished.write_bytes(pack(content, _INSTALLER_FILES, executable=True))
        cache.store(unfinished, path)
    return path


def zip_path(function: Function) -> Path:
    """Return the path of a function's zip, built or not."""
    folder = cache.place("functions", f"{function.name}-{function.language}", *_ingredients(function))
    return folder.with_name(f"{folder.name}.zip")


def _ingredients(function: Function) -> Iterator[bytes]:
    if function.language == "go":
        tool_chain = [go.installed_version(_go_program(function)), go.architecture()]
    else:
        tool_chain = [sys.version, platform.machine()]
    yield repr((_BUILD, tool_chain)).encode()
    for path in _sources(function):
        yield str(path.relative_to(function.folder)).encode() + b"\0" + path.read_bytes() + b"\0"


def _sources(function: Function) -> Iterator[Path]:
    if function.language == "go":
        wanted = [function.folder / "go.mod", function.folder / "go.sum"]
        wanted += [path for path in function.folder.rglob("*.go") if not path.name.endswith("_test.go")]
    else:
        wanted = [function.folder / _LOCK, *_package(function).rglob("*.py")]
    yield from sorted(wanted)


def _package(function: Function) -> Path:
    return function.folder / function.handler.split(".")[0]


def _assemble(function: Function, content: Path) -> None:
    """Copy the function's package and install the libraries of its lock."""
    failure = f"the libraries of function {function.name} could not be installed"
    words = ("--only-binary", ":all:", "--no-deps")
    lock = function.folder / _LOCK
    installer.install_python_packages(lock, sys.executable, failure, into=content, words=words, compiled=False)
    package = _package(function)
    shutil.copytree(package, content / package.name, ignore=shutil.ignore_patterns("__pycache__"))


def _compile(function: Function, content: Path) -> None:
    """Compile a static program, reproducible for the same Go version."""
    words = [*go_programs.BUILD, "-tags", "lambda.norpc", "-ldflags", "-s -w -buildid="]
    words += ["-o", str(content / function.handler), "."]
    title = f"function {function.name}"
    go_programs.compile_module(title, _go_program(function), words, function.folder, lambda text: None)


def _go_program(function: Function) -> Path:
    program = go.find(go.wanted(function.folder / "go.mod"))
    if program is None:
        raise AssertionError("Go is missing; `missing` must be checked first")
    return program
