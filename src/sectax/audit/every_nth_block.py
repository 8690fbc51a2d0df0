"""Blocks of a run of ours in an order that is no chance: every n-th is slower or faster, or each than the last."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
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
# The chance that a treatment's blocks fall into order by themselves, and how far others may go the same way.
CHANCE_OF_ORDER = 1e-4
_NO_TREND = 0.5


class _Found(NamedTuple):
    period: int
    blocks: tuple[int, ...]
    apart: float  # in logs


def _examine(evidence: Evidence) -> Iterator[Remark]:
    columns = _columns(evidence)
    found: dict[tuple[int, tuple[int, ...]], dict[str, float]] = {}
    for treatment, ways in columns.items():
        for seconds in ways:
            hit = _periodic(seconds, CHANCE / sum(map(len, columns.values())))
            if hit is not None:
                found.setdefault((hit.period, hit.blocks), {}).setdefault(treatment, hit.apart)
    for (period, blocks), hits in found.items():
        all_of_them = len(hits) > 1 and 2 * len(hits) > len(columns)
        for treatment, apart in [max(hits.items(), key=lambda hit: abs(hit[1]))] if all_of_them else hits.items():
            seen = f" ({treatment}). Seen in {len(hits)} of {len(columns)} treatments" if all_of_them else ""
            yield warning(
                "run" if all_of_them else treatment,
                f"one block in {period} takes {percent(apart)} of time: {blocks_named(blocks)}{seen}",
                "chance does not count: something on the machine works by a clock, or the blocks were changed",
                "see what else runs at such times, and measure again",
            )

    for treatment, ways in columns.items():
        if any(_chance_of_order(seconds) < CHANCE_OF_ORDER / len(columns) for seconds in ways):
            others = [seconds for name, of in columns.items() if name != treatment for seconds in of]
            # What goes one way with all the others is the machine, and `drift` says so.
            if all(abs(_trend(seconds)) < _NO_TREND for seconds in others):
                yield warning(
                    treatment,
                    f"its {len(ways[0])} blocks only ever take {'more' if _trend(ways[0]) > 0 else 'less'} time than "
                    "those before, and no other treatment's do",
                    "chance does not count: it alone goes one way all along the run, or its blocks were put in order",
                    "see what changes in it, and measure again",
                )


def _chance_of_order(seconds: Mapping[int, float]) -> float:
    """The chance that values in random order ascend or descend throughout, as these do; 1 where they do neither."""
    values = [seconds[number] for number in sorted(seconds)]
    if values not in (sorted(values), sorted(values, reverse=True)):
        return 1.0
    ties = math.prod(math.factorial(count) for count in Counter(values).values())
    return 2 * ties / math.factorial(len(values))


def _trend(seconds: Mapping[int, float]) -> float:
    """Kendall's τ of times and blocks, in [-1, 1]."""
    values = [seconds[number] for number in sorted(seconds)]
    pairs = [(one < other) - (one > other) for one, other in combinations(values, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def _columns(evidence: Evidence) -> dict[str, list[Mapping[int, float]]]:
    """By treatment, the time of an operation in every block: its figure, and that of the fastest batch.

    A spike makes a block slow that is none, and never a batch fast.
    """
    columns: dict[str, list[Mapping[int, float]]] = {
        figure.treatment: [figure.seconds()] for figure in typical_speeds(evidence)
    }
    fastest: dict[str, dict[int, float]] = {}
    for number, treatment, each in evidence.record.visits() if evidence.record is not None else ():
        if treatment in columns and each.operations:
            fastest.setdefault(treatment, {})[number] = each.shortest_s * each.batches / each.operations
    for treatment, seconds in fastest.items():
        columns[treatment].append(seconds)
    return columns


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
    rule="W: every second to eighth block is all slower or all faster than the others, by over 10 %; "
    "or those of one treatment alone are in the order of their times",
    examine=_examine,
    applies=lambda evidence: bool(typical_speeds(evidence)),
)
