"""By how much does a claim overstate an effect that was barely found? `python -m benchmarks.simulations.exaggeration`.

A run stops when its verdict holds, so a small effect is found in the runs that happened to see it larger. Printed: of
claims by how near their interval comes to nothing (its near end, as a share of the point), how many there are and how
often their point is half as large again as the truth or more, and the middle of point over truth.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

from benchmarks.simulations.figures import MARGIN
from benchmarks.simulations.skew import SHIPPED, blocks_of, follow

EFFECTS = (0.005, 0.01, 0.02, 0.03, 0.05)
DEVIATIONS = (0.003, 0.01, 0.02, 0.03)
EDGES = (0.0, 0.1, 0.25, 0.5, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.exaggeration", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="runs of every cell (2000)")
    given = parser.parse_args()
    ratios, nearness, truths = [], [], []
    for effect in EFFECTS:
        for deviation in DEVIATIONS:
            true = float(np.log1p(effect))
            seen = follow(SHIPPED, *blocks_of(None, runs=given.runs, effect=true, deviation=deviation / np.sqrt(2)))
            rows, last = np.arange(given.runs), seen.stopped() - 1
            low, mean = seen.low[rows, last], seen.mean[rows, last]
            claimed = low > 0
            point = mean[claimed]
            ratios.append(point / true)
            nearness.append(low[claimed] / point)
            truths.append(np.full(point.size, effect))
    ratio, near, truth = np.concatenate(ratios), np.concatenate(nearness), np.concatenate(truths)
    print(f"{given.runs} runs of each of {len(EFFECTS)} effects and {len(DEVIATIONS)} deviations, margin {MARGIN:.0%}")
    for chosen in (*EFFECTS, None):
        of = truth == chosen if chosen else np.full(truth.shape, True)
        print(f"  true effect {f'{chosen:.1%}' if chosen else 'any'}:")
        for least, most in itertools.pairwise(EDGES):
            here = of & (near >= least) & (near < most)
            if here.any():
                print(
                    f"    near end {least:g} to {most:g} of the point: {100 * here.sum() / of.sum():.0f} % of claims, "
                    f"point/truth {np.median(ratio[here]):.2f}, over 1.5: {100 * (ratio[here] > 1.5).mean():.0f} %"
                )


if __name__ == "__main__":
    main()
