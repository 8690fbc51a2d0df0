"""Checks of the factors, levels and times that a user gives."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sectax.model.errors import WrongUse
from sectax.model.treatment import Factor
from sectax.text.near import did_you_mean
from sectax.text.spans import seconds, typed


def choose(
    available: tuple[Factor, ...], preset: Mapping[str, tuple[str, ...]], requested: Mapping[str, tuple[str, ...]]
) -> tuple[Factor, ...]:
    """Choose the factors of a run: the preset's levels, or the user's.

    Args:
        available: all factors with all their levels.
        preset: factor -> levels; a factor that is missing here has all its levels.
        requested: factor -> levels in upper or lower case, or `all`.
    Raises:
        WrongUse: an unknown factor or level, or no level.
    """
    by_name = {factor.name: factor for factor in available}
    for name in requested:
        if name not in by_name:
            raise WrongUse(f"there is no factor {name!r}", did_you_mean(name, by_name))
    chosen: list[Factor] = []
    for factor in available:
        levels = requested.get(factor.name, preset.get(factor.name, factor.levels))
        if levels == ("all",):
            levels = factor.levels
        levels = tuple(_as_spelled(level, factor.levels) for level in levels)
        for level in levels:
            if level not in factor.levels:
                raise WrongUse(f"the factor {factor.name} has no level {level!r}", did_you_mean(level, factor.levels))
        if not levels:
            raise WrongUse(f"the factor {factor.name} has no level left", f"available: {', '.join(factor.levels)}")
        # In the factor's own order and without duplicates.
        chosen.append(Factor(factor.name, tuple(level for level in factor.levels if level in levels)))
    return tuple(chosen)


def _as_spelled(level: str, levels: tuple[str, ...]) -> str:
    """Correct the case of a level if exactly one level matches."""
    matches = [candidate for candidate in levels if candidate.casefold() == level.casefold()]
    return matches[0] if level not in levels and len(matches) == 1 else level


def option_seconds(
    options: Mapping[str, tuple[str, ...]],
    name: str,
    usual: float,
    limits: tuple[float, float],
    example: str,
    *,
    whole: bool = False,
) -> float:
    """Return the seconds of an option, or *usual* if it is not given.

    Raises:
        WrongUse: the value is outside the limits, or not *whole*.
    """
    given = next(iter(options.get(name, ())), None)
    if given is None:
        return usual
    value = seconds(given, f"--{name}", example.partition(" ")[2])
    if not limits[0] <= value <= limits[1] or (whole and not value.is_integer()):
        kind = "a whole number of seconds from" if whole else "a time from"
        raise WrongUse(f"--{name} {given!r} is not {kind} {typed(limits[0])} to {typed(limits[1])}", f"as in {example}")
    return value


def make_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.+]+", "-", text).strip("-_.+") or "new"
