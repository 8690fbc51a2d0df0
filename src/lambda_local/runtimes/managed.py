"""The managed runtimes of Lambda by their names: what each lacks here, and how it is installed."""

from __future__ import annotations

from collections.abc import Callable

from lambda_local.runtimes import java, node, python
from sectax.model.errors import WrongUse
from sectax.toolchain.installer import SetUpFailed
from sectax.toolchain.programs import Missing

# By the beginning of a runtime's name: what says what is missing, and what installs.
_LANGUAGES: dict[str, tuple[Callable[[str], Missing | None], Callable[[str], object]]] = {
    "python3.": (python.missing, python.python_runtime),
    "nodejs": (node.missing, node.install),
    "java": (java.missing, java.install),
}


def is_name(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, e.g. `nodejs20.x`."""
    return name.startswith(tuple(_LANGUAGES)) and name[-1:].isalnum()


def others_here() -> tuple[str, ...]:
    """The runtimes besides Python that this machine's programs give, e.g. `nodejs20.x` and `java17`."""
    return tuple(name for name in (node.here(), java.here()) if name is not None)


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name; None where it is ready."""
    try:
        return _language(name)[0](name)
    except SetUpFailed as error:
        return Missing(error.message, error.hint)


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that only lacks that. Raises `SetUpFailed`."""
    _language(name)[1](name)


def _language(name: str) -> tuple[Callable[[str], Missing | None], Callable[[str], object]]:
    found = next((language for beginning, language in _LANGUAGES.items() if name.startswith(beginning)), None)
    if found is None:
        raise WrongUse(f"there is no managed runtime {name!r}", "python3.x, nodejs20.x, java17 …")
    return found
