"""Runtimes by name: find, check and install them."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

from lambda_local.errors import SetUpFailed
from lambda_local.instances.programs import CLIENT, Runtime
from lambda_local.runtimes import node, python
from lambda_local.runtimes.installing import Missing
from lambda_local.runtimes.shell import shell
from lambda_local.sandbox import Mount

_PROVIDED = ("provided.al2023", "provided.al2")


class _Language(Protocol):
    """The functions of a managed runtime's module; each may raise `SetUpFailed`."""

    def find(self, name: str, /) -> Runtime:
        """Return the runtime; call only if `setup` has nothing to install."""

    def missing(self, name: str, /) -> Missing | None:
        """Return why it is not available, or None."""

    def install(self, name: str, /) -> None:
        """Install AWS's runtime client."""


# By prefix of the runtime's name.
_LANGUAGES: dict[str, _Language] = {"python3.": python, "nodejs": node}


def find(name: str) -> Runtime:
    """Return a runtime; the first time this may install libraries.

    Raises:
        SetUpFailed: it is unknown, or not available on this machine.
    """
    try:
        runtime = Runtime(None, (), {}, "", f"provided:{name[9:]}") if name in _PROVIDED else _managed(name)
        programs = [Mount(folder, target) for folder, target in shell()]
    except OSError as error:
        raise SetUpFailed(f"the cache cannot be written: {error}", "free space, or set XDG_CACHE_HOME") from error
    return dataclasses.replace(runtime, mounts=(*programs, *runtime.mounts))


def here() -> list[str]:
    """Return the runtimes of this machine's interpreters."""
    return [name for name in (python.here(), node.here()) if name is not None]


def lack(name: str) -> dict[str, Any]:
    """Return why a runtime is not available, as a document; `client` if it is, with a hash of its content."""
    try:
        missing = _language(name).missing(name)
        if missing is None:
            return {"client": _language(name).find(name).source(CLIENT).name}
    except SetUpFailed as error:
        missing = Missing(error.message, error.hint)
    return dataclasses.asdict(missing)


def install(name: str) -> None:
    _language(name).install(name)


def _managed(name: str) -> Runtime:
    missing = _language(name).missing(name)
    if missing is not None and not missing.on_first_use:
        raise SetUpFailed(missing.error, missing.hint)
    return _language(name).find(name)


def _language(name: str) -> _Language:
    match = next((language for prefix, language in _LANGUAGES.items() if name.startswith(prefix)), None)
    if match is None:
        raise SetUpFailed(f"only python3.x, nodejs and {_PROVIDED[0]} are supported", "use one of them")
    return match
