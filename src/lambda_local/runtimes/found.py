"""The runtimes by their names: what runs each here, what it lacks, and how that is installed."""

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
    """What there is to a managed runtime; each function takes its name, and may raise `SetUpFailed`."""

    def find(self, name: str, /) -> Runtime:
        """What runs it, where nothing is missing that `setup` would have to install."""

    def missing(self, name: str, /) -> Missing | None:
        """What is lacking here to have it."""

    def install(self, name: str, /) -> None:
        """Install AWS's runtime client."""


# By the beginning of a runtime's name.
_LANGUAGES: dict[str, _Language] = {"python3.": python, "nodejs": node}


def find(name: str) -> Runtime:
    """What runs functions of this runtime. It may take a while the first time: libraries may have to be installed.

    Raises:
        SetUpFailed: it is unknown, or not available on this machine.
    """
    try:
        runtime = Runtime(None, (), {}, "", f"provided:{name[9:]}") if name in _PROVIDED else _managed(name)
        programs = [Mount(folder, place) for folder, place in shell()]
    except OSError as error:
        raise SetUpFailed(f"the cache cannot be written: {error}", "make room, or set XDG_CACHE_HOME") from error
    return dataclasses.replace(runtime, mounts=(*programs, *runtime.mounts))


def here() -> list[str]:
    """The runtimes that this machine's own programs give."""
    return [name for name in (python.here(), node.here()) if name is not None]


def lack(name: str) -> dict[str, Any]:
    """What is missing here to have the runtime of this name, as members of a document; `client` where it is ready.

    The client's name has a hash of all that it is made of.
    """
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
    match = next((language for beginning, language in _LANGUAGES.items() if name.startswith(beginning)), None)
    if match is None:
        raise SetUpFailed(f"only python3.x, nodejs and {_PROVIDED[0]} are", "name one of them")
    return match
