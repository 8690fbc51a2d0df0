"""What if the effect itself changes during a run? `python -m benchmarks.simulations.drift`: about 20 s.

The treatment's cost drifts, steps, decays or has modes, and what a run is asked is its mean over the blocks that were
measured (with modes: over all processes). How often does the interval miss that mean when the run stops: that of all
blocks, which is printed, and the intersection of all looks, which was printed before? How often does the intersection
exclude the run's own mean, so that the run says 'drift'; and how many more blocks does a verdict take without it?
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.simulations.scenarios import Array
from sectax.analysis.needed import conclusive
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, running_sequence

MARGIN = 0.02
ALPHAS = {1: 0.05, 12: 0.05 / 12}

# The expected difference of each block, shape (runs, blocks), and what is drawn around it.
Draw = Callable[[Generator, tuple[int, int]], tuple[Array, Array]]


def _along(shape: tuple[int, int]) -> Array:
    """How much of the run is over at each block, from 0 to 1."""
    return np.broadcast_to(np.arange(shape[1]) / (shape[1] - 1), shape)


def moving(expected: Callable[[Array], Array], deviation: float = 0.01) -> Draw:
    return lambda rng, shape: (expected(_along(shape)), rng.normal(0.0, deviation, shape))


def wandering(phi: float, size: float, deviation: float = 0.005) -> Draw:
    def draw(rng: Generator, shape: tuple[int, int]) -> tuple[Array, Array]:
        steps = rng.normal(0.0, size, shape)
        for block in range(1, shape[1]):
            steps[:, block] = phi * steps[:, block - 1] + np.sqrt(1 - phi**2) * steps[:, block]
        return steps, rng.normal(0.0, deviation, shape)

    return draw


def modes(share: float, apart: float) -> Draw:
    def draw(rng: Generator, shape: tuple[int, int]) -> tuple[Array, Array]:
        slow = apart * ((rng.random(shape) < share) - share)
        return np.zeros(shape), slow + rng.normal(0.0, 0.002, shape)

    return draw


EFFECTS: dict[str, Draw] = {
    "nothing changes, 1 %": moving(lambda along: 0.0 * along),
    "nothing changes, 5 %": moving(lambda along: 0.0 * along, 0.05),
    "drift of 5 %": moving(lambda along: 0.05 * along),
    "drift of 20 %": moving(lambda along: 0.2 * along),
    "drift of 20 % to none": moving(lambda along: 0.2 * (1 - along)),
    "step of 5 % after a third": moving(lambda along: 0.05 * (along > 1 / 3)),
    "step of 20 % after a third": moving(lambda along: 0.2 * (along > 1 / 3)),
    "step of 20 % after two thirds": moving(lambda along: 0.2 * (along > 2 / 3)),
    "20 % that decay within a tenth": moving(lambda along: 0.2 * np.exp(-along / 0.1)),
    "wandering by 3 %, AR(1) 0.9": wandering(0.9, 0.03),
    "modes 80/20, 5 % apart": modes(0.2, 0.05),
    "modes 50/50, 5 % apart": modes(0.5, 0.05),
    "modes 95/5, 5 % apart": modes(0.05, 0.05),
}


@dataclass(frozen=True)
class Shares:
    """Shares of runs, when they stop at a verdict and when they use all blocks; `blocks` to a verdict, half of them."""

    missed: tuple[float, float]
    missed_by_agreed: tuple[float, float]
    drifted: tuple[float, float]
    blocks: float
    blocks_by_agreed: float


def shares(draw: Draw, *, runs: int, blocks: int, alpha: float, seed: int = 1) -> Shares:
    rng = np.random.default_rng([seed, blocks])
    expected, noise = draw(rng, (runs, blocks))
    # Two quiet copies of the baseline: one in the difference, one beside it as the floor.
    arms = rng.normal(0.0, 0.002, (2, runs, blocks))
    sequence = running_sequence(
        expected + noise - arms[0],
        alpha,
        first_look=FIRST_LOOK,
        last_look=blocks,
        reference=arms[1] - arms[0],
        unseen=UNSEEN,
    )
    truth = np.cumsum(expected, axis=1) / np.arange(1, blocks + 1)
    missed = (truth < sequence.low) | (truth > sequence.high)
    by_agreed = (truth < sequence.agreed_low) | (truth > sequence.agreed_high)
    drifted = (sequence.mean < sequence.agreed_low) | (sequence.mean > sequence.agreed_high)
    decided = conclusive(sequence.low, sequence.high, MARGIN)
    sooner = conclusive(sequence.agreed_low, sequence.agreed_high, MARGIN)

    def both(events: NDArray[np.bool_], done: NDArray[np.bool_]) -> tuple[float, float]:
        stopped = np.where(done.any(axis=1), done.argmax(axis=1), blocks - 1)
        return float(events[np.arange(runs), stopped].mean()), float(events[:, -1].mean())

    def half_by(done: NDArray[np.bool_]) -> float:
        return float(np.median(np.where(done.any(axis=1), done.argmax(axis=1) + 1.0, np.inf)))

    return Shares(
        both(missed, decided), both(by_agreed, sooner), both(drifted, decided), half_by(decided), half_by(sooner)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.drift", description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000, help="runs of every cell (10000)")
    given = parser.parse_args()
    print(
        f"Per cent of {given.runs} runs: stopped at a verdict / all blocks used; blocks to a verdict, half of the runs"
    )
    print("| the effect | K | blocks | printed misses | intersection misses | says 'drift' | blocks, before |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, draw in EFFECTS.items():
        for family, alpha in ALPHAS.items():
            for blocks in (20, 40, 120):
                seen = shares(draw, runs=given.runs, blocks=blocks, alpha=alpha)
                pairs = (seen.missed, seen.missed_by_agreed, seen.drifted)
                cells = [f"{100 * stopped:.1f} / {100 * end:.1f}" for stopped, end in pairs]
                half = ", ".join("–" if np.isinf(n) else f"{n:.0f}" for n in (seen.blocks, seen.blocks_by_agreed))
                print(f"| {name} | {family} | {blocks} | {' | '.join(cells)} | {half} |", flush=True)


if __name__ == "__main__":
    main()
