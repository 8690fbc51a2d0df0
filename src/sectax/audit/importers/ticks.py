"""The step in which the times of a table come: of a clock since 1970, or of one side that prints fewer digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sectax.audit.importers.rows import Levels, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Of fewer rows a step may be chance.
_FEWEST = 8
# Seconds since 1970 as a double come in steps of 2^-22 s from 2004 to 2038; so near a whole number of them is one.
_OF_THE_EPOCH_S, _NEAR = 2.0**-22, 1e-3
# Another side shows steps that are so many times finer.
_FINER = 99.0
# A time of fewer printed steps is mostly rounding.
_FEWEST_PRINTED = 3


def ticks(rows: Rows, scale: float) -> dict[Levels, float]:
    """The step of each figure's times in seconds, as far as the whole table shows it.

    Args:
        scale: the unit of the values, in seconds.
    """
    import numpy as np

    if len(rows.values) < _FEWEST:
        return {}
    own = rows.by_levels()
    seconds = np.array(rows.values, dtype=np.float64) * scale
    count = seconds / _OF_THE_EPOCH_S
    # Whole milliseconds are no multiples of it, and whole seconds are many.
    if np.all(np.abs(count - np.round(count)) < _NEAR) and np.any(np.round(count) % 2) and seconds.min() > 0:
        return dict.fromkeys(own, _OF_THE_EPOCH_S)
    steps = _printed(rows, seconds) * scale
    sides: dict[str, list[int]] = {}
    for at, levels in enumerate(rows.levels):
        sides.setdefault(levels[0] if levels else "", []).append(at)
    of_sides = {side: float(steps[places].min()) for side, places in sides.items() if len(places) >= _FEWEST}
    finest = min(of_sides.values(), default=0.0)
    found = {
        levels: of_sides[levels[0]]
        for levels in own
        if levels and levels[0] in of_sides and of_sides[levels[0]] > _FINER * finest > 0
    }
    # One step for all, which is all that a short time shows of itself.
    if np.ptp(steps) == 0:
        found |= {
            levels: float(steps[0])
            for levels, places in own.items()
            if len(places) == 1 and 0 < seconds[places[0]] < (_FEWEST_PRINTED - 0.5) * steps[0]
        }
    return found


def _printed(rows: Rows, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place of the last digit of each value that is not a zero behind the point, in the unit of the column."""
    import numpy as np

    texts = rows.texts(rows.value)
    fixed = len({len(text.partition(".")[2]) for text in texts}) == 1 and not any("e" in text.lower() for text in texts)
    decimals = [len((text if fixed and not _padded(texts) else text.rstrip("0")).partition(".")[2]) for text in texts]
    return np.array([10.0 ** -min(each, 30) for each in decimals], dtype=np.float64) * np.ones(seconds.size)


def _padded(texts: list[str]) -> bool:
    """Whether programs of several kinds wrote zeros behind whole numbers: then they are no digits."""
    whole = sum("." in text and not text.partition(".")[2].strip("0") for text in texts)
    return whole > len(texts) / _FEWEST
