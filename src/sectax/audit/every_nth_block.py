"""Every second, third or n-th block of a run of ours is slower or faster than the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sectax.audit.check import Check, Remark, warning
from sectax.audit.evidence import Evidence
from sectax.audit.over_blocks import typical_speeds
from sectax.audit.words import blocks_named, percent

# The chance that two modes which a machine may have fall into such an order, in any treatment.
CHANCE = 0.01
# The two kinds of blocks lie so far apart, in logs and beside the width of either kind.
_LEAST_APART = math.log(1.1)
_APART = 3.0
_LONGEST_PERIOD = 8
_FEWEST = 3  # blocks of the rarer kind


class _Found(NamedTuple):
    period: int
    blocks: tuple[int, ...]
    apart: float  # in logs


def _examine(evidence: Evidence) -> Iterator[Remark]:
    columns = {figure.treatment: figure.seconds() for figure in typical_speeds(evidence)}
    found: dict[tuple[int, tuple[int, ...]], list[tuple[str, float]]] = {}
    for treatment, seconds in columns.items():
        hit = _periodic(seconds, CHANCE / max(len(columns), 1))
        if hit is not None:
            found.setdefault((hit.period, hit.blocks), []).append((treatment, hit.apart))
    for (period, blocks), hits in found.items():
        all_of_them = len(hits) > 1 and 2 * len(hits) > len(columns)
        for treatment, apart in [max(hits, key=lambda hit: abs(hit[1]))] if all_of_them else hits:
            seen = f" ({treatment}). Seen in {len(hits)} of {len(columns)} treatments" if all_of_them else ""
            yield warning(
                "run" if all_of_them else treatment,
                f"one block in {period} takes {percent(apart)} of time: {blocks_named(blocks)}{seen}",
                "chance does not count: something on the machine works by a clock, or the blocks were changed",
                "see what else runs at such times, and measure again",
            )


def _periodic(seconds: Mapping[int, float], chance: float) -> _Found | None:
    """The order that is least likely by chance, if it is less likely than *chance*.

    Blocks of one remainder are all slower, or all faster, than all others. If they are of two kinds anyway, the chance
    of that is one over the ways to choose them, for each remainder of each period.
    """
    logs = {number: math.log(value) for number, value in seconds.items() if value > 0}
    best: tuple[float, _Found] | None = None
    longest = min(_LONGEST_PERIOD, len(logs) // _FEWEST)
    tried = sum(2 * period for period in range(2, longest + 1))
    for period in range(2, longest + 1):
        for phase in range(period):
            inside = [value for number, value in logs.items() if number % period == phase]
            outside = [value for number, value in logs.items() if number % period != phase]
            if len(inside) < _FEWEST or len(outside) < _FEWEST:
                continue
            likely = tried / math.comb(len(logs), len(inside))
            if likely < chance and _are_apart(inside, outside) and (best is None or likely < best[0]):
                blocks = tuple(number for number in logs if number % period == phase)
                apart = sum(inside) / len(inside) - sum(outside) / len(outside)
                best = likely, _Found(period, blocks, apart)
    return None if best is None else best[1]


def _are_apart(inside: list[float], outside: list[float]) -> bool:
    gap = max(min(inside) - max(outside), min(outside) - max(inside))
    return gap > 0 and abs(sum(inside) / len(inside) - sum(outside) / len(outside)) > max(
        _LEAST_APART, _APART * _width(inside), _APART * _width(outside)
    )


def _width(values: list[float]) -> float:
    """The standard deviation: a range grows with the number of blocks."""
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


EVERY_NTH_BLOCK = Check(
    id="every-nth-block",
    rule="W: every second to eighth block is all slower or all faster than the others, by over 10 %",
    examine=_examine,
    applies=lambda evidence: bool(typical_speeds(evidence)),
)
