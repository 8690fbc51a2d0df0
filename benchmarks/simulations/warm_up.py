"""How often is the end of a warm-up found? `python -m benchmarks.simulations.warm_up`: a few seconds.

From 60 batches of one, two and three processes, as the pilot finds it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.simulations.scenarios import Array
from sectax.stats.pilot import warm_up


def main(runs: int = 200) -> None:
    print("Warm-up of 60 batches, truth in brackets: per cent of right answers from one pilot, two and three")
    batch = np.arange(60)

    def quiet(rng: np.random.Generator) -> Array:
        return rng.normal(0, 0.01, 60)

    def wandering(rng: np.random.Generator) -> Array:
        along = np.zeros(60)
        for now in range(1, 60):
            along[now] = 0.9 * along[now - 1] + rng.normal(0, 0.0044)
        return along

    situations: dict[str, tuple[int, Callable[[np.random.Generator], Array]]] = {
        "warm at once": (0, quiet),
        "one slow batch": (1, lambda rng: quiet(rng) + 0.3 * (batch < 1)),
        "a compiler in two stages": (15, lambda rng: quiet(rng) + 1.0 * (batch < 7) + 0.1 * (batch < 15)),
        "spikes": (0, lambda rng: quiet(rng) + (rng.random(60) < 0.05) * rng.exponential(0.5, 60)),
        "a machine that wanders, AR(1) 0.9": (0, wandering),
    }
    for name, (truth, make) in situations.items():
        shares = []
        for pilots in (1, 2, 3):
            rng = np.random.default_rng(1)
            right = [warm_up([make(rng) for _ in range(pilots)]).batches == truth for _ in range(runs)]
            shares.append(f"{100 * np.mean(right):.0f}")
        print(f"  {name} ({truth}): {', '.join(shares)}")


if __name__ == "__main__":
    main()
