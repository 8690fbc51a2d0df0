"""The managed runtimes of Lambda by their names: what each lacks here, and how it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sectax.model.errors import WrongUse
from sectax.toolchain.lambda_runtime import java, node, python
from sectax.toolchain.programs import Missing


@dataclass(frozen=True)
class _Language:
    missing: Callable[[str], Missing | None]
    install: Callable[[str], object]


# By the beginning of a runtime's name.
_LANGUAGES = {
    "python3.": _Language(python.missing, python.python_runtime),
    "nodejs": _Language(node.missing, node.install),
    "java": _Language(java.missing, java.install),
}


def is_name(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, e.g. `nodejs20.x`."""
    return name.startswith(tuple(_LANGUAGES)) and name[-1:].isalnum()


def others_here() -> tuple[str, ...]:
    """The runtimes besides Python that this machine's programs give, e.g. `nodejs20.x` and `java17`."""
    return tuple(name for name in (node.here(), java.here()) if name is not None)


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name; None where it is ready."""
    return _language(name).missing(name)


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that only lacks that. Raises `SetUpFailed`."""
    _language(name).install(name)


def _language(name: str) -> _Language:
    for beginning, language in _LANGUAGES.items():
        if name.startswith(beginning):
            return language
    raise WrongUse(f"there is no managed runtime {name!r}", "python3.x, nodejs20.x, java17 …")
