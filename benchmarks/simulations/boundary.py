"""Is the interval of `repeated_looks` valid, and what does it save? `python -m benchmarks.simulations.boundary`.

Differences of two equal arms are symmetric; how often does any look of a whole run claim a direction? First their own
standard deviation alone, without the floor and the guard that only widen the interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.figures import Share
from benchmarks.simulations.scenarios import Array
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import multiplier
from sectax.stats.moments import running_moments
from sectax.stats.student import repeated_critical_value

ALPHAS = (0.05, 0.05 / 4, 0.05 / 12)
ENDS = (6, 10, 20, 40, 120)
CHUNK = 20_000

Arm = Callable[[Generator, tuple[int, int]], Array]

ARMS: dict[str, Arm] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "lognormal, sigma 1": lambda rng, shape: rng.lognormal(0.0, 1.0, shape),
    "two modes 50/50": lambda rng, shape: (rng.random(shape) < 0.5) + rng.normal(0.0, 0.03, shape),
    "two modes 80/20": lambda rng, shape: (rng.random(shape) < 0.2) + rng.normal(0.0, 0.03, shape),
    "two modes 95/5": lambda rng, shape: (rng.random(shape) < 0.05) + rng.normal(0.0, 0.03, shape),
    "Student's t, 3 degrees": lambda rng, shape: rng.standard_t(3, shape),
    "Cauchy": lambda rng, shape: rng.standard_cauchy(shape),
    "Pareto, shape 1.5": lambda rng, shape: rng.pareto(1.5, shape),
}


def error(arm: Arm, end: int, alpha: float, runs: int, seed: int = 1) -> Share:
    """How many runs of two arms drawn alike claim a direction at any look up to the last."""
    return errors(arm, end, (alpha,), runs, seed)[0]


def errors(arm: Arm, end: int, alphas: tuple[float, ...], runs: int, seed: int = 1) -> list[Share]:
    """As `error`, for several error levels on the same runs."""
    rng = np.random.default_rng([seed, end])
    looks = slice(FIRST_LOOK - 1, None)
    wrong = [0] * len(alphas)
    for start in range(0, runs, CHUNK):
        shape = (min(CHUNK, runs - start), end)
        count, mean, deviation = running_moments(arm(rng, shape) - arm(rng, shape))
        distance = np.abs(mean[:, looks]) * np.sqrt(count[:, looks])
        for place, alpha in enumerate(alphas):
            width = repeated_critical_value(count[0, looks], alpha, FIRST_LOOK, end)
            wrong[place] += int((distance > width * deviation[:, looks]).any(axis=1).sum())
    return [Share(share, runs) for share in wrong]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.boundary", description=__doc__)
    parser.add_argument("--runs", type=int, default=40_000, help="runs of every cell (40000)")
    parser.add_argument("--only", default="", help="arms whose name contains this")
    given = parser.parse_args()
    print("Half-width in units of s/√n: open-ended sequence, repeated looks until 20, 40, 120 blocks")
    for alpha in ALPHAS:
        print(f"  alpha {alpha:.4f}")
        for n in (6, 8, 10, 15, 20, 40):
            narrow = [repeated_critical_value(n, alpha, FIRST_LOOK, end) for end in (20, 40, 120) if n <= end]
            print(f"    {n:3d} blocks: {float(multiplier(n, alpha)):.2f}; " + ", ".join(f"{w:.2f}" for w in narrow))
    print(f"\nPer cent of {given.runs} A/A runs that claim a direction at any look, last look at {ENDS}")
    for name, arm in ARMS.items():
        if given.only not in name:
            continue
        cells = [errors(arm, end, ALPHAS, given.runs) for end in ENDS]
        for place, alpha in enumerate(ALPHAS):
            shares = ", ".join(f"{100 * cell[place].value:.2f}" for cell in cells)
            print(f"  {name}, alpha {100 * alpha:.2f} %: {shares}", flush=True)


if __name__ == "__main__":
    main()
