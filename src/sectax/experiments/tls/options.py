"""The options of the experiment's own, read and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sectax.experiments.interface import Option
from sectax.model.errors import WrongUse

# The levels that were asked for, as the plan keeps them: no option that a user types.
ASKED = "asked"
_LONGEST_S = 1.0
_UNITS = {"ms": 1e-3, "s": 1.0, "us": 1e-6, "µs": 1e-6}

OPTIONS = (Option("delay", "Round-trip time that a slow line in user space adds, as in 40ms.", metavar="TIME"),)


def kept(levels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The levels that were asked for, as an option of the plan; nothing where none were."""
    return {ASKED: tuple(f"{name}={','.join(asked)}" for name, asked in levels.items())} if levels else {}


def asked(options: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The same levels, out of a plan's options."""
    return {
        name: tuple(levels.split(",")) for name, _, levels in (text.partition("=") for text in options.get(ASKED, ()))
    }


def delay_s(options: Mapping[str, tuple[str, ...]]) -> float:
    """The round-trip time that the line adds, in seconds. Raises `WrongUse`."""
    given = next(iter(options.get("delay", ())), "")
    if not given:
        return 0.0
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?) ?(ms|s|us|µs)", given.strip(), re.ASCII)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 1e-4 <= seconds <= _LONGEST_S:
        raise WrongUse(f"--delay {given!r} is not a time from 0.1ms to 1s", "with its unit, as in --delay 40ms")
    return seconds
