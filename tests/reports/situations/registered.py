"""The situations by name, in the order in which their modules are imported."""

from __future__ import annotations

import functools
from collections.abc import Callable

from sectax.model.analysed import Analysed

Make = Callable[[], Analysed]

ALL: dict[str, Make] = {}


def situation(make: Make) -> Make:
    """Register a situation under the name of its function; its run is simulated once."""
    once = functools.cache(make)
    ALL[make.__name__.replace("_", "-")] = once
    return once
