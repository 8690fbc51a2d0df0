"""The stand-in's Python environment with moto, in the user's cache."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sectax.parts import cache, installer
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing

_LOCK = Path(__file__).parent / "stand_in" / "moto.lock"


def python() -> Path:
    """Return the interpreter that has moto, or raise `SetUpFailed`."""
    lack = missing()
    if lack is not None:
        raise SetUpFailed(f"the stand-in for Secrets Manager: {lack.reason}", lack.hint)
    return _folder() / "bin" / "python"


def identity() -> str:
    """Return the versions of the stand-in's software."""
    return ", ".join(_versions("moto", "cryptography"))


def missing() -> Missing | None:
    """Return why it cannot run; None if it is installed."""
    if cache.is_complete(_folder()):
        return None
    return installer.missing() or Missing("moto is not installed yet", "sectax setup secrets", makable=True)


def install() -> None:
    """Install moto. Raises `SetUpFailed`."""

    def make(folder: Path) -> None:
        failure = "the stand-in for Secrets Manager could not be installed"
        own = installer.make_python_environment(folder, failure)
        installer.install_python_packages(_LOCK, own, failure, compiled=True)

    cache.make_once(_folder(), make)


def _folder() -> Path:
    return cache.place("secrets", "backend", _LOCK.read_bytes(), sys.version.encode())


def _versions(*names: str) -> Iterator[str]:
    lock = _LOCK.read_text()
    for name in names:
        match = re.search(rf"^{name}(?:\[[a-z,]+\])?==(\S+)", lock, re.MULTILINE)
        yield f"{name} {match[1] if match else 'of an unknown version'}"
