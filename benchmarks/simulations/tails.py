"""How often does the interval of a p90 or p99 hold? `python -m benchmarks.simulations.tails [--runs N] [--only NAME]`.

Blocks of calls whose marginal quantile is known (over processes and calls alike) go through `pooled_quantile`, and
through what it might have been. Told is how many runs get an interval, how many of these hold the quantile, and how
many runs print one that does not.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.special import ndtr

from benchmarks.simulations.scenarios import Array
from sectax.stats.quantiles import (
    design_effect,
    few_blocks_inflation,
    observations_needed,
    pooled_quantile,
    quantile_limits,
)
from sectax.stats.student import geometric_mean_interval

LEVEL = 0.95
QUANTILES = (0.9, 0.99)
BLOCKS = (6, 20, 40)
CALLS = (5, 10, 50, 1000)
SPREADS = (0.0, 0.02, 0.1)  # of the blocks' speeds, in logs
CALL = 2e-3  # seconds
HELD = 20e-3  # for so long is a slow call held back
SLOW = 1 / 30  # of the calls
STEP = 1e-5  # of the coarse clock
BURST = 20  # slow calls in a row
BEYOND = 10  # observations beyond a block's quantile that Student's t over blocks asks for
LARGE = 1000  # calls a block; such cells get a third of the runs
CHUNK = 1_000_000  # observations at once

Shape = tuple[int, int, int]  # runs, blocks, calls
Draw = Callable[[Generator, Shape], Array]
Share = Callable[[float], Array | float]
Limits = tuple[float | None, float | None]
Rule = Callable[[Sequence[Array], Array, float], Limits]  # blocks, all of them in order, quantile


@dataclass(frozen=True)
class Machine:
    """Seconds of calls in blocks of equal speed, and the share of calls that take at most so long."""

    draw: Draw
    share: Share
    step: float = 0.0
    unequal: bool = False  # every second block has a fifth of the calls
    together: bool = False  # slow calls come together, in a few blocks


def lognormal(deviation: float, centre: float = CALL) -> Machine:
    return Machine(
        lambda rng, shape: centre * np.exp(deviation * rng.standard_normal(shape)),
        lambda time: ndtr(np.log(time / centre) / deviation),
    )


def held(slow: Draw, *, together: bool) -> Machine:
    """Near-equal calls of which a share of `SLOW`, over all, is held back."""
    fast = lognormal(0.1)

    def share(time: float) -> float:
        late = fast.share(time - HELD) if time > HELD else 0.0
        return float((1 - SLOW) * fast.share(time) + SLOW * late)

    return Machine(lambda rng, shape: fast.draw(rng, shape) + HELD * slow(rng, shape), share, together=together)


def gathered(among: int) -> Machine:
    """One block in `among`, by chance, has all the slow calls."""

    def slow(rng: Generator, shape: Shape) -> Array:
        return np.asarray((rng.random((*shape[:2], 1)) < 1 / among) & (rng.random(shape) < among * SLOW))

    return held(slow, together=among > 1)


def bursts(rng: Generator, shape: Shape) -> Array:
    begins = rng.random((*shape[:2], shape[2] + BURST - 1)) < 1 - (1 - SLOW) ** (1 / BURST)
    until = np.concatenate((np.zeros((*shape[:2], 1)), begins.cumsum(axis=2)), axis=2)
    return np.asarray(until[..., BURST:] > until[..., :-BURST])


MACHINES: dict[str, Machine] = {
    "lognormal": lognormal(0.5),
    "lognormal, unequal blocks": Machine(lognormal(0.5).draw, lognormal(0.5).share, unequal=True),
    "exponential": Machine(
        lambda rng, shape: CALL * rng.exponential(size=shape), lambda time: -math.expm1(-time / CALL)
    ),
    "Pareto, shape 1.5": Machine(
        lambda rng, shape: CALL * (1 + rng.pareto(1.5, shape)), lambda time: 1 - (CALL / max(time, CALL)) ** 1.5
    ),
    "steps of 10 µs": Machine(lognormal(0.3, CALL / 10).draw, lognormal(0.3, CALL / 10).share, step=STEP),
    "one call in 30 held back": gathered(1),
    "the same, 20 in a row": held(bursts, together=True),
    "the same, in one block of 3": gathered(3),
    "the same, in one block of 10": gathered(10),
}


def truth(machine: Machine, spread: float, quantile: float) -> float:
    """The quantile of a call of any block, by quadrature over the blocks' speeds."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    speeds, weights = np.exp(spread * nodes), weights / weights.sum()

    def lies_under(log_time: float) -> float:
        shares = [float(machine.share(math.exp(log_time) / speed)) for speed in speeds]
        return float(weights @ shares) - quantile

    found = math.exp(brentq(lies_under, math.log(STEP), math.log(10.0), xtol=1e-12))
    return round(found / machine.step) * machine.step if machine.step else found


def shipped(blocks: Sequence[Array], ordered: Array, quantile: float) -> Limits:
    found = pooled_quantile(blocks, quantile, LEVEL)
    return found.low, found.high


def independent(blocks: Sequence[Array], ordered: Array, quantile: float) -> Limits:
    """As if all observations were."""
    return quantile_limits(ordered, ordered.size, quantile, LEVEL) or (None, None)


def kish(blocks: Sequence[Array], ordered: Array, quantile: float) -> Limits:
    """The design effect at the quantile alone, as it is estimated."""
    return _at_the_point(blocks, ordered, quantile, 1.0)


def kish_student(blocks: Sequence[Array], ordered: Array, quantile: float) -> Limits:
    """The same, with Student's doubt for few blocks."""
    return _at_the_point(blocks, ordered, quantile, few_blocks_inflation(len(blocks), LEVEL))


def _at_the_point(blocks: Sequence[Array], ordered: Array, quantile: float, doubt: float) -> Limits:
    if ordered.size < observations_needed(quantile, LEVEL):
        return None, None
    point = ordered[math.ceil(quantile * ordered.size) - 1]
    events = np.array([np.count_nonzero(block > point) for block in blocks], dtype=np.float64)
    if not events.any():
        return None, None
    effect = design_effect(events, np.array([block.size for block in blocks], dtype=np.float64), doubt)
    return quantile_limits(ordered, ordered.size / effect, quantile, LEVEL) or (None, None)


def over_blocks(blocks: Sequence[Array], ordered: Array, quantile: float) -> Limits:
    """Student's t over the logs of the blocks' quantiles, where each has enough observations beyond its own."""
    if min(block.size for block in blocks) * (1 - quantile) < BEYOND - 1e-9:
        return None, None
    found = geometric_mean_interval([np.quantile(block, quantile) for block in blocks], LEVEL)
    return found.low, found.high


RULES: dict[str, Rule] = {
    "shipped": shipped,
    "all independent": independent,
    "Kish": kish,
    "Kish, Student": kish_student,
    "t over blocks": over_blocks,
}


@dataclass
class Tally:
    """What became of the runs of a cell, or of many; `width` adds up log(high/low)."""

    runs: int = 0
    intervals: int = 0
    hits: int = 0
    width: float = 0.0

    def add(self, limits: Limits, true: float) -> None:
        self.runs += 1
        low, high = limits
        if low is not None and high is not None:
            self.intervals += 1
            self.hits += low <= true * (1 + 1e-9) and true * (1 - 1e-9) <= high
            self.width += math.log(high / low)

    def __iadd__(self, other: Tally) -> Tally:
        self.runs += other.runs
        self.intervals += other.intervals
        self.hits += other.hits
        self.width += other.width
        return self

    @property
    def coverage(self) -> float:
        return 100 * self.hits / self.intervals if self.intervals else math.nan

    @property
    def wrong(self) -> float:
        return 100 * (self.intervals - self.hits) / self.runs

    def __str__(self) -> str:
        return f"{self.coverage:.1f} of {100 * self.intervals / self.runs:.0f}" if self.intervals else "–"


@dataclass
class Cell:
    name: str
    spread: float
    calls: int
    blocks: int
    quantile: float
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in RULES})

    def __str__(self) -> str:
        where = f"{self.name}, blocks {100 * self.spread:.0f} %, {self.blocks} of {self.calls} calls"
        return f"{where}, p{100 * self.quantile:.0f}"


def cells(chosen: Sequence[str], *, runs: int, seed: int) -> Iterator[Cell]:
    for name in chosen:
        for spread in SPREADS:
            true = {quantile: truth(MACHINES[name], spread, quantile) for quantile in QUANTILES}
            for calls in CALLS:
                for blocks in BLOCKS:
                    found = [Cell(name, spread, calls, blocks, quantile) for quantile in QUANTILES]
                    rng = np.random.default_rng([seed, list(MACHINES).index(name), round(1000 * spread), calls, blocks])
                    for run in _drawn(
                        MACHINES[name], spread, (runs if calls < LARGE else runs // 3, blocks, calls), rng
                    ):
                        ordered = np.sort(np.concatenate(run))
                        for cell in found:
                            for rule, tally in cell.tallies.items():
                                tally.add(RULES[rule](run, ordered, cell.quantile), true[cell.quantile])
                    yield from found


def _drawn(machine: Machine, spread: float, shape: Shape, rng: Generator) -> Iterator[Sequence[Array]]:
    runs, blocks, calls = shape
    most = max(CHUNK // (blocks * calls), 1)
    sizes = [max(calls // 5, 1) if machine.unequal and block % 2 else calls for block in range(blocks)]
    for first in range(0, runs, most):
        here = min(most, runs - first)
        times = machine.draw(rng, (here, blocks, calls)) * np.exp(spread * rng.standard_normal((here, blocks, 1)))
        if machine.step:
            times = np.round(times / machine.step) * machine.step
        for run in times:
            yield [block[:size] for block, size in zip(run, sizes, strict=True)]


def pooled(every: Sequence[Cell], rule: str, **fixed: object) -> Tally:
    total = Tally()
    for cell in every:
        if all(getattr(cell, name) == value for name, value in fixed.items()):
            total += cell.tallies[rule]
    return total


def judged(every: Sequence[Cell], rule: str) -> list[Cell]:
    """The cells where one run of twenty, or more, has an interval."""
    return [cell for cell in every if cell.tallies[rule].intervals >= cell.tallies[rule].runs / 20]


def compared(every: Sequence[Cell], rule: str) -> str:
    """What a rule makes of the cells: judged, under 94, 93 and 90 %, runs with a wrong interval, relative width."""
    found = judged(every, rule)
    under = [sum(cell.tallies[rule].coverage < limit for cell in found) for limit in (94, 93, 90)]
    both = [(cell.tallies[rule], cell.tallies["shipped"]) for cell in found if cell in judged(every, "shipped")]
    widths = [a.width / a.intervals / (b.width / b.intervals) for a, b in both if b.width]
    wrong = pooled(every, rule).wrong
    return f"| {rule} | {len(found)} | {' | '.join(map(str, under))} | {wrong:.1f} | {np.median(widths):.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.tails", description=__doc__)
    parser.add_argument("--runs", type=int, default=300, help="simulated runs of every cell (300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="machines whose name contains this")
    given = parser.parse_args()
    chosen = [name for name in MACHINES if given.only in name]
    every = [
        cell
        for cell in cells(chosen, runs=given.runs, seed=given.seed)
        if cell.tallies["all independent"].intervals  # elsewhere there are too few observations, whatever they are like
    ]
    report(every, chosen)


def report(every: Sequence[Cell], chosen: Sequence[str]) -> None:
    columns = [(quantile, blocks) for quantile in QUANTILES for blocks in BLOCKS]
    print("Per cent: coverage of the runs with an interval, and how many of all have one, where observations suffice\n")
    print("| machine | " + " | ".join(f"p{100 * quantile:.0f}, {blocks} blocks" for quantile, blocks in columns) + " |")
    for name in chosen:
        row = [pooled(every, "shipped", name=name, quantile=quantile, blocks=blocks) for quantile, blocks in columns]
        print(f"| {name} | " + " | ".join(str(tally) for tally in row) + " |")
    for title, together in (("Slow calls wherever", False), ("Slow calls together", True)):
        group = [cell for cell in every if MACHINES[cell.name].together is together]
        if group:
            print(f"\n{title}\n\n| rule | cells | under 94 | under 93 | under 90 | runs wrong | width, median |")
            for rule in RULES:
                print(compared(group, rule))
    print("\nShipped, under 93 %:")
    for cell in judged(every, "shipped"):
        tally = cell.tallies["shipped"]
        if tally.coverage < 93:
            print(f"  {cell}: {tally}, {tally.wrong:.1f} of all runs wrong")


if __name__ == "__main__":
    main()
