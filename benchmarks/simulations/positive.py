"""When is a known cost found, and what follows where it is not? `python -m benchmarks.simulations.positive`.

Found means that the interval excludes zero and holds the cost. Printed: how many healthy runs do not find it, because
their interval includes zero ('unseen') or excludes the cost ('off'); and of runs whose arms are off by amounts of their
own, how many families without any effect claim a wrong direction where nothing follows from that, where all intervals
are widened by the distance of the control's farther limit from the known cost, by three times that distance, and where
all verdicts fall.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.boundary import ARMS
from benchmarks.simulations.negative import ALPHA, DEVIATION, FATAL, Ends, ends
from benchmarks.simulations.scenarios import Array
from sectax.stats.confidence_sequence import UNSEEN
from sectax.stats.run_controls import SURE_BIAS_TIMES

MARGIN = float(np.log1p(0.02))
KNOWN = float(np.log1p(0.04))
REMEDIES = (0.0, 1.0, float(SURE_BIAS_TIMES), np.inf)  # of the farther limit's distance
DESIGNS = [(f"until {end}", end, False) for end in (12, 40, 120)] + [(f"--blocks {n}", n, True) for n in (6, 10, 20)]
LAWS = ("normal", "exponential", "two modes 50/50", "two modes 80/20", "two modes 95/5", "Student's t, 3 degrees")

# The biases of the baseline, both controls and the treatments, as shares of the size; shape (runs, 3 + family).
Biases = Callable[[Generator, tuple[int, int]], Array]
BIASES: dict[str, Biases] = {
    "every arm by its own": lambda rng, shape: rng.normal(0.0, 1 / np.sqrt(2), shape),
    "one arm in five": lambda rng, shape: (rng.random(shape) < 0.2) * rng.choice([-1.0, 1.0], shape),
}


def off(control: Ends) -> Array:
    """Whether its interval excludes the known cost."""
    return np.asarray((control.low > KNOWN) | (control.high < KNOWN))


def healthy(law: str, blocks: int, runs: int, *, fixed: bool) -> tuple[float, float]:
    """The shares of healthy runs that do not see the cost, and that exclude it."""
    draw, rng = ARMS[law], np.random.default_rng(1)
    scale = DEVIATION / float(np.std(draw(rng, (1000, 100))))
    arms = [scale * draw(rng, (runs, blocks)) for _ in range(2)]
    control = ends(arms[0] - arms[1] + KNOWN, ALPHA, fixed=fixed, guard=UNSEEN)
    return float(((control.low <= 0) & ~off(control)).mean()), float(off(control).mean())


def wrong_directions(biases: Biases, size: float, family: int, design: tuple[str, int, bool], runs: int) -> list[float]:
    """Shares of runs: off, and with a wrong direction as they are, widened by the farther limit, thrice, all withdrawn.

    Runs whose negative control is fatal have no verdict, and one that fires widens too, as it does in the product.
    """
    _, blocks, fixed = design
    rng = np.random.default_rng(2)
    bias = size * biases(rng, (runs, 3 + family))
    baseline = rng.normal(0.0, DEVIATION / np.sqrt(2), (runs, blocks)) + bias[:, :1]

    def differences(arm: int) -> Array:
        return np.asarray(rng.normal(0.0, DEVIATION / np.sqrt(2), (runs, blocks)) + bias[:, arm, None] - baseline)

    copy = differences(1)
    negative = ends(copy, ALPHA, fixed=fixed, guard=0.0)
    fatal = ends(copy, FATAL * ALPHA, fixed=fixed, guard=0.0).fired
    widened = np.where(negative.fired, np.abs(negative.mean), 0.0)
    positive = ends(differences(2) + KNOWN, ALPHA, fixed=fixed, guard=UNSEEN)
    is_off = off(positive)
    farther = np.maximum(np.abs(positive.low - KNOWN), np.abs(positive.high - KNOWN))
    wrong = np.zeros((len(REMEDIES), runs), dtype=bool)
    for arm in range(3, 3 + family):
        claim = ends(differences(arm), ALPHA / family, fixed=fixed, guard=UNSEEN)
        for place, times in enumerate(REMEDIES):
            wider = np.maximum(widened, np.where(is_off, times * np.maximum(farther, 1e-9), 0.0))
            wrong[place] |= (claim.distance > wider) & ~fatal
    return [float(share) for share in (is_off.mean(), *wrong.mean(axis=1))]


def rows(runs: int) -> Iterator[str]:
    yield "| machine | " + " | ".join(name for name, _, _ in DESIGNS) + " |"
    yield "| --- |" + " --- |" * len(DESIGNS)
    for law in LAWS:
        seen = [healthy(law, blocks, runs, fixed=fixed) for _, blocks, fixed in DESIGNS]
        yield f"| {law} | " + " | ".join(f"{100 * unseen:.1f}, {100 * away:.2f}" for unseen, away in seen) + " |"
    yield ""
    yield "| arms off | K | " + " | ".join(name for name, _, _ in DESIGNS) + " |"
    yield "| --- | --- |" + " --- |" * len(DESIGNS)
    for title, biases in BIASES.items():
        for size in (0.01, 0.03, 0.1):
            for family in (1, 12):
                cells = [wrong_directions(biases, size, family, design, runs // 5) for design in DESIGNS]
                shown = " | ".join(
                    f"{100 * of:.0f}: " + ", ".join(f"{100 * w:.0f}" for w in rest) for of, *rest in cells
                )
                yield f"| {title}, {100 * size:g} % | {family} | {shown} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.positive", description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="runs of every cell (20000)")
    given = parser.parse_args()
    print(
        "Healthy runs, per cent: unseen, off. Then biased ones: off: wrong directions as they are, widened once, "
        "thrice, withdrawn"
    )
    for row in rows(given.runs):
        print(row, flush=True)


if __name__ == "__main__":
    main()
