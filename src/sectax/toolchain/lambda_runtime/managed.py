"""The managed runtimes of Lambda by their names: what each lacks here, and how it is installed."""

from __future__ import annotations

from sectax.model.errors import WrongUse
from sectax.toolchain.lambda_runtime import java, node, python
from sectax.toolchain.programs import Missing


def is_name(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, e.g. `nodejs20.x`."""
    return name.startswith(("python3.", "nodejs", "java")) and name[-1:].isalnum()


def others_here() -> tuple[str, ...]:
    """The runtimes besides Python that this machine's programs give, e.g. `nodejs20.x` and `java17`."""
    return tuple(name for name in (node.here(), java.here()) if name is not None)


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name; None where it is ready."""
    if name.startswith("python3."):
        return python.missing(name)
    if name.startswith("nodejs"):
        return node.missing(name)
    if name.startswith("java"):
        return java.missing(name)
    raise WrongUse(f"there is no managed runtime {name!r}", "python3.x, nodejs20.x, java17 …")


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that only lacks that. Raises `SectaxError`."""
    if name.startswith("nodejs"):
        node.install(name)
    elif name.startswith("java"):
        java.install(name)
    else:
        python.python_runtime(name)
