"""Installs what experiments and functions need; one part that cannot be installed does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sectax.experiments import registry
from sectax.model.errors import SectaxError
from sectax.toolchain import parts
from sectax.toolchain.lambda_runtime import managed


def required(experiments: Iterable[str] = ()) -> tuple[parts.Part, ...]:
    """What the experiments named can use, or all of them; each part once.

    Args:
        experiments: managed runtimes of Lambda too, e.g. `nodejs20.x`.
    """
    wanted: dict[str, None] = {}
    for name in tuple(experiments) or registry.names():
        needed = (f"lambda-runtime:{name}",) if managed.is_name(name) else registry.load(name).requirements()
        wanted.update(dict.fromkeys(needed))
    return tuple(parts.load(requirement) for requirement in wanted)


def set_up(experiments: tuple[str, ...], say: Callable[[str], None]) -> list[SectaxError]:
    """Set up what the experiments named need, or all of them.

    Returns:
        What could not be set up, with the command that a person must run. What is optional is left out instead.
    """
    failures: list[SectaxError] = []
    for part in required(experiments):
        try:
            parts.set_up(part, say)
        except SectaxError as error:
            if part.optional:
                say(f"{error.message}; it is left out\nhint: {error.hint}")
            else:
                failures.append(error)
        else:
            say(f"{part.title} is ready")
    return failures
