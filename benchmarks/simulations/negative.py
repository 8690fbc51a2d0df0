"""What should follow from a negative control that fires? `python -m benchmarks.simulations.negative`.

The rule is fatal at a tenth of the level at which it warns, and widens the family's intervals in between; a difference
that is sure and lies within the margin widens them by a multiple. Printed: how
many healthy runs lose all verdicts, or are widened; and where an arm has a bias of its own, how often the interval of a
comparison that keeps its verdict holds the truth, without widening, widened by the distance of the control's interval
from nothing, and by the control's mean; and how many families claim a wrong direction after a control that is sure and
within the margin, by the multiple. Differences of blocks are normal with a deviation of 1 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.simulations.scenarios import Array
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width
from sectax.stats.moments import running_moments
from sectax.stats.student import critical_value, repeated_critical_value

ALPHA, FATAL = 0.05, 0.1
DEVIATION = 0.01


@dataclass(frozen=True)
class Ends:
    low: Array
    high: Array
    mean: Array

    @property
    def fired(self) -> NDArray[np.bool_]:
        return np.asarray((self.low > 0) | (self.high < 0))

    @property
    def distance(self) -> Array:
        return np.maximum(np.maximum(self.low, -self.high), 0.0)


def ends(differences: Array, alpha: float, *, fixed: bool, guard: float) -> Ends:
    """The interval after the last block, of a run that may have ended at any look or of a fixed number of blocks."""
    count, mean, deviation = running_moments(differences)
    last = differences.shape[1]
    blocks = count[:, -1]
    width = critical_value(blocks, alpha) if fixed else repeated_critical_value(blocks, alpha, FIRST_LOOK, last)
    half = guarded_half_width(blocks, width * deviation[:, -1] / np.sqrt(blocks), guard, alpha)
    return Ends(mean[:, -1] - half, mean[:, -1] + half, mean[:, -1])


def noise(rng: Generator, shape: tuple[int, int], phi: float = 0.0) -> Array:
    steps = rng.normal(0.0, DEVIATION, shape)
    for block in range(1, shape[1]):
        steps[:, block] = phi * steps[:, block - 1] + np.sqrt(1 - phi**2) * steps[:, block]
    return steps


Biases = Callable[[Generator, int], tuple[Array, Array]]  # of the negative control's difference, and a comparison's

BIASES: dict[str, Callable[[float], Biases]] = {
    "the baseline alone is off": lambda size: lambda rng, runs: (np.full(runs, size), np.full(runs, size)),
    "every arm by its own, either way": lambda size: lambda rng, runs: _own(rng, runs, size),
}


def _own(rng: Generator, runs: int, size: float) -> tuple[Array, Array]:
    baseline, copy, treatment = rng.normal(0.0, size / np.sqrt(2), (3, runs))
    return copy - baseline, treatment - baseline


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.negative", description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="runs of every cell (20000)")
    given = parser.parse_args()
    designs = [(f"until {end}", end, False) for end in (12, 40, 120)] + [
        (f"--blocks {n}", n, True) for n in (6, 10, 20)
    ]
    print("Healthy runs, per cent: fatal at 5 % (before), fatal at 0.5 %, widened; with the guard in brackets")
    for phi in (0.0, 0.2):
        for name, blocks, fixed in designs:
            d = noise(np.random.default_rng(1), (given.runs, blocks), phi)
            words = []
            for guard in (0.0, UNSEEN):
                warned = ends(d, ALPHA, fixed=fixed, guard=guard).fired
                fatal = ends(d, FATAL * ALPHA, fixed=fixed, guard=guard).fired
                words.append(
                    f"{100 * warned.mean():.2f}, {100 * fatal.mean():.2f}, {100 * (warned & ~fatal).mean():.2f}"
                )
            print(f"  AR {phi:g}, {name}: {words[0]} ({words[1]})", flush=True)
    print("\nBiased runs, per cent: fatal, widened; covered of those that stand: as they are, by distance, by mean")
    for title, of_size in BIASES.items():
        for size in (0.01, 0.02, 0.03):
            for name, blocks, fixed in designs[1:2] + designs[3:]:
                for guard in (0.0, UNSEEN):
                    rng = np.random.default_rng(2)
                    control, compared = of_size(size)(rng, given.runs)
                    shared = noise(rng, (given.runs, blocks)) / np.sqrt(2)
                    arms = [noise(rng, (given.runs, blocks)) / np.sqrt(2) for _ in range(2)]
                    negative = ends(arms[0] - shared + control[:, None], ALPHA, fixed=fixed, guard=guard)
                    fatal = ends(arms[0] - shared + control[:, None], FATAL * ALPHA, fixed=fixed, guard=guard).fired
                    claim = ends(arms[1] - shared + compared[:, None], ALPHA, fixed=fixed, guard=UNSEEN)
                    covered = []
                    for off in (
                        0 * negative.mean,
                        negative.distance,
                        np.where(negative.fired, np.abs(negative.mean), 0),
                    ):
                        held = (claim.low - off <= 0) & (claim.high + off >= 0)
                        covered.append(f"{100 * held[~fatal].mean():.1f}" if (~fatal).any() else "–")
                    print(
                        f"  {title}, {100 * size:g} %, {name}, {'guard' if guard else 'no guard'}: "
                        f"{100 * fatal.mean():.1f}, {100 * (negative.fired & ~fatal).mean():.1f}; {', '.join(covered)}",
                        flush=True,
                    )
    print(
        "\nSure within a margin of 2 %, per cent of runs; with a wrong direction, widened by 1, 2 and 3 farther limits"
    )
    for title, of_arms in ARMS.items():
        for size in (0.005, 0.01, 0.02):
            for family in (1, 12):
                seen, wrong = sure_within_margin(of_arms, size, family, given.runs // 5)
                shares = ", ".join(f"{100 * share:.1f}" for share in wrong)
                print(f"  {title}, {100 * size:g} %, K = {family}: {100 * seen:.1f}; {shares}", flush=True)


Arms = Callable[[Generator, tuple[int, int]], Array]  # biases in units of the size: shape (runs, 2 + comparisons)

ARMS: dict[str, Arms] = {
    "the baseline alone is off": lambda rng, shape: np.where(np.arange(shape[1]) == 0, -1.0, np.zeros(shape)),
    "every arm by its own, either way": lambda rng, shape: rng.normal(0.0, 1 / np.sqrt(2), shape),
}


def sure_within_margin(arms: Arms, size: float, family: int, runs: int) -> tuple[float, list[float]]:
    """Until 120 blocks: how many controls are sure and within 2 %, and of all runs how many of those claim wrongly.

    Args:
        arms: the biases of the baseline, its copy and the treatments, none of which has an effect.
    """
    rng, margin, blocks = np.random.default_rng(3), np.log1p(0.02), 120
    off = size * arms(rng, (runs, 2 + family))
    baseline = noise(rng, (runs, blocks)) / np.sqrt(2) + off[:, :1]

    def differences(arm: int) -> Array:
        return noise(rng, (runs, blocks)) / np.sqrt(2) + off[:, arm, None] - baseline

    copy = differences(1)
    control = ends(copy, ALPHA, fixed=False, guard=0.0)
    sure = ends(copy, FATAL * ALPHA, fixed=False, guard=0.0).fired
    stands = sure & (control.low > -margin) & (control.high < margin)
    farther = np.maximum(np.abs(control.low), np.abs(control.high))
    wrong = np.zeros((3, runs), dtype=bool)
    for arm in range(2, 2 + family):
        claim = ends(differences(arm), ALPHA / family, fixed=False, guard=UNSEEN)
        for times in (1, 2, 3):
            wrong[times - 1] |= claim.distance > times * farther
    return float(stands.mean()), [float((share & stands).mean()) for share in wrong]


if __name__ == "__main__":
    main()
