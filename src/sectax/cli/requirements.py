"""Find and install the parts that experiments need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

from sectax.experiments import registry
from sectax.experiments.interface import SetsUpLevels
from sectax.model.errors import SectaxError, WrongUse
from sectax.parts import lambda_local
from sectax.parts import registry as parts
from sectax.parts.registry import Part

_AT_ONCE = 3


def required(
    experiments: Iterable[str] = (), levels: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> tuple[parts.Part, ...]:
    """The parts that experiments can use, each once.

    Args:
        experiments: managed runtimes of Lambda too, e.g. `nodejs20.x`.
        levels: set up what these need alone.
    Raises:
        WrongUse: there are levels, and not one experiment whose levels need something.
    """
    if levels:
        named = [registry.load(name) for name in experiments]
        able = [experiment for experiment in named if isinstance(experiment, SetsUpLevels)]
        if len(named) != 1 or not able:
            raise WrongUse("--level takes one experiment whose levels need parts", "as in jwt --level language=go")
        return tuple(map(parts.load, able[0].level_requirements(levels)))
    wanted: dict[str, None] = {}
    for name in tuple(experiments) or registry.names():
        needed = (f"lambda-runtime:{name}",) if lambda_local.is_runtime(name) else registry.load(name).requirements()
        wanted.update(dict.fromkeys(needed))
    return tuple(parts.load(requirement) for requirement in wanted)


def set_up(
    experiments: tuple[str, ...],
    say: Callable[[str], None],
    levels: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> list[SectaxError]:
    """Install the parts of these experiments (by default of all), or of these levels of one.

    Returns:
        What could not be set up, with the command that a person must run. What is optional is left out instead.
    """
    wanted = required(experiments, levels)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # Probes are independent, and mostly wait for downloads.
        begun = {part.id: pool.submit(_set_up, part, say) for part in wanted if part.id.startswith("probe-")}
        failures = [begun[part.id].result() if part.id in begun else _set_up(part, say) for part in wanted]
    return [failure for failure in failures if failure is not None]


def _set_up(part: Part, say: Callable[[str], None]) -> SectaxError | None:
    try:
        parts.set_up(part, say)
    except SectaxError as error:
        if not part.optional:
            return error
        say(f"{error.message}; it is left out\nhint: {error.hint}")
    else:
        say(f"{part.title} is ready")
    return None
