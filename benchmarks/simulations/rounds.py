"""What the pilot's choice of rounds costs beside the best: `python -m benchmarks.simulations.rounds` (about a minute).

Two processes of every arm take turns, 16 times each. Their noise is common to neighbouring turns by a correlation; on
top of it processes differ. From the second half of the turns the rounds are chosen as `calibration` chooses them. How
long an answer then takes is worked out with the true noise, as a multiple of what the best number of rounds takes.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.output import heading, table
from sectax.stats.pilot import Noise, pilot_noise, seconds_to_verdict

RUNS = 300
TURNS, ARMS = 16, 2
OPENING_S, ROUND_S = 0.15, 0.02
LEAST_BETWEEN = 2 * 0.003**2
CANDIDATES = np.arange(4, 65, 2)


def seconds(noise: Noise) -> np.ndarray:
    return seconds_to_verdict(
        CANDIDATES, noise, block_cost=OPENING_S, round_cost=ROUND_S, half_width=0.014, alpha=0.05 / 6, first_look=6
    )


def turns(rng: np.random.Generator, within: float, between: float, correlation: float) -> np.ndarray:
    """Log times of one process, in their order."""
    values = [rng.normal()]
    while len(values) < TURNS:
        values.append(correlation * values[-1] + math.sqrt(1 - correlation**2) * rng.normal())
    return rng.normal(0, between) + within * np.array(values)


def chosen(rng: np.random.Generator, within: float, between: float, correlation: float) -> int:
    """The place among the candidates of what a pilot chooses."""
    baseline = [turns(rng, within, between, correlation) for _ in range(2)]
    ratios = [[(turns(rng, within, between, correlation) - own)[TURNS // 2 :] for own in baseline] for _ in range(ARMS)]
    seen = pilot_noise(ratios)
    assert seen is not None
    soonest = int(np.argmin(seconds(Noise(seen.within, max(LEAST_BETWEEN, seen.between), seen.correlation))))
    filled = int(np.searchsorted(CANDIDATES, math.ceil(OPENING_S / ROUND_S)))
    return max(soonest, filled)


def main() -> None:
    rng = np.random.default_rng(28)
    rows = []
    for within in (0.005, 0.02, 0.1, 0.3):
        for between in (0.0, 0.01, 0.05):
            for correlation in (0.0, 0.6):
                truth = seconds(Noise(2 * within**2, max(LEAST_BETWEEN, 2 * between**2), correlation))
                places = [chosen(rng, within, between, correlation) for _ in range(RUNS)]
                times = truth[places] / truth.min()
                rounds = f"{np.median(CANDIDATES[places]):.0f} (best {CANDIDATES[int(np.argmin(truth))]})"
                middle, most = np.percentile(times, [50, 95])
                kind = [f"{within:.1%}", f"{between:.1%}", f"{correlation:g}"]
                rows.append([*kind, rounds, f"{middle:.2f}", f"{most:.2f}"])
    heading("The pilot's choice of rounds")
    table(["within", "between", "correlation", "rounds", "time, median", "95 %"], rows, "")


if __name__ == "__main__":
    main()
