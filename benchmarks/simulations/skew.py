"""What helps where only the treatment, or only the baseline, is skewed, two-moded or autocorrelated?

`python -m benchmarks.simulations.skew` prints, for every remedy, how often a run of 40 blocks claims a direction at any
time though the mean effect is zero, and how often the interval at the stopped time holds the mean; and what the remedy
costs healthy runs. Blocks are drawn directly: an arm varies by 0.15 % where nothing is said of it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.draws import QUIET, Draw, autoregressive, exponential, lognormal, modes, pareto
from benchmarks.simulations.figures import MARGIN
from benchmarks.simulations.scenarios import Array
from sectax.analysis.needed import conclusive
from sectax.analysis.verdict import PRECISE_SHARE, PRECISE_WIDTH
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, running_sequence

BLOCKS = 40
ALPHA = 0.05
MATERIAL = float(np.log1p(MARGIN))

EFFECTS: dict[str, Draw] = {
    "exponential, 2 %": exponential(0.02),
    "lognormal, sigma 1": lognormal(0.01),
    "Pareto, shape 2.5": pareto(0.01),
    "two modes 80/20, 5 %": modes(0.2, 0.05),
    "two modes 50/50, 5 %": modes(0.5, 0.05),
    "two modes 95/5, 5 %": modes(0.05, 0.05),
    "two modes 20/80, 5 %": modes(0.8, 0.05),
    "two modes 80/20, 10 %": modes(0.2, 0.10),
    "two modes 80/20, 20 %": modes(0.2, 0.20),
    "AR(1) 0.5 of blocks": autoregressive(0.5),
    "AR(1) 0.7 of blocks": autoregressive(0.7),
    "AR(1) 0.9 of blocks": autoregressive(0.9),
    "AR(1) 0.95 of blocks": autoregressive(0.95),
}


@dataclass(frozen=True)
class Remedy:
    """A rule; `floor` and `unseen` widen the interval, the others say when it is looked at."""

    name: str
    floor: bool = True
    first_look: int = FIRST_LOOK
    last_look: int | None = None
    unseen: float = 0.0  # how far off an unseen mode may lie


REMEDIES: tuple[Remedy, ...] = (
    Remedy("the open-ended sequence alone", floor=False),
    Remedy("with the floor", floor=True),
    *(Remedy(f"with the floor, first look at {look}", first_look=look) for look in (8, 10, 12, 15)),
    Remedy("repeated looks, floor", last_look=BLOCKS),
    Remedy("repeated looks, floor, guard (shipped)", last_look=BLOCKS, unseen=UNSEEN),
    Remedy("the last but one, first look at 10", last_look=BLOCKS, unseen=UNSEEN, first_look=10),
)
SHIPPED = Remedy("shipped", last_look=BLOCKS, unseen=UNSEEN)


@dataclass(frozen=True)
class Followed:
    """Runs followed to the end; `low`, `high` and `mean` have shape (runs, blocks), `differences` too."""

    differences: Array
    mean: Array
    low: Array
    high: Array

    @property
    def decided(self) -> NDArray[np.bool_]:
        return conclusive(self.low, self.high, MARGIN)

    def directed(self) -> NDArray[np.bool_]:
        """Which runs claimed a direction at any time."""
        return np.asarray(((self.low > 0) | (self.high < 0)).any(axis=1))

    def stopped(self) -> NDArray[np.int64]:
        """The number of blocks after which each run stops, as `resolved` says; at most all."""
        size = np.abs(self.mean)
        narrow = np.maximum(MATERIAL, np.minimum(size / 2, np.maximum(PRECISE_WIDTH, PRECISE_SHARE * size)))
        within = (self.low > -MATERIAL) & (self.high < MATERIAL)
        done = self.decided & (within | (self.high - self.low <= narrow))
        return np.where(done.any(axis=1), done.argmax(axis=1) + 1, BLOCKS)

    def held(self, effect: float) -> NDArray[np.bool_]:
        """Whose interval holds the effect when they stop."""
        last, rows = self.stopped() - 1, np.arange(self.low.shape[0])
        return np.asarray((self.low[rows, last] <= effect) & (effect <= self.high[rows, last]))


def blocks_of(
    draw: Draw | None,
    *,
    runs: int,
    where: str = "treatment",
    effect: float = 0.0,
    deviation: float = QUIET,
    seed: int = 1,
) -> tuple[Array, Array]:
    """d_j of the treatment and of the negative control, shape (runs, blocks) each."""
    rng = np.random.default_rng(seed)
    shape = (runs, BLOCKS)
    baseline, treatment, negative = (rng.normal(0.0, deviation, shape) for _ in range(3))
    if draw is not None and where == "treatment":
        treatment = treatment + draw(rng, shape)
    elif draw is not None:
        baseline, negative = baseline + draw(rng, shape), negative + draw(rng, shape)
    return treatment + effect - baseline, negative - baseline


def follow(remedy: Remedy, differences: Array, reference: Array) -> Followed:
    sequence = running_sequence(
        differences,
        ALPHA,
        first_look=remedy.first_look,
        last_look=remedy.last_look,
        reference=reference if remedy.floor else None,
        unseen=remedy.unseen,
    )
    return Followed(differences, sequence.mean, sequence.low, sequence.high)


def warned(followed: Followed) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which runs would be warned of skew and of autocorrelation, on all their blocks: 2.5 standard errors each."""
    around = followed.differences - followed.differences.mean(axis=1, keepdims=True)
    deviation = np.sqrt((around**2).mean(axis=1))
    skewness = (around**3).mean(axis=1) / deviation**3
    correlation = (around[:, 1:] * around[:, :-1]).sum(axis=1) / (around**2).sum(axis=1)
    return np.abs(skewness) > 2.5 * np.sqrt(6 / BLOCKS), correlation * np.sqrt(BLOCKS) > 2.5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.skew", description=__doc__)
    parser.add_argument("--runs", type=int, default=1500, help="simulated runs of every cell (1500)")
    given = parser.parse_args()
    cells = {
        (name, where): blocks_of(draw, runs=given.runs, where=where)
        for name, draw in EFFECTS.items()
        for where in ("treatment", "baseline")
    }
    print(f"{given.runs} runs of {BLOCKS} blocks a cell, margin 2 %, alpha 5 %\n")
    print("Per cent that claim a direction at any time / whose interval holds the mean when they stop")
    for remedy in REMEDIES:
        print(f"\n{remedy.name}")
        for where in ("treatment", "baseline"):
            shares = []
            for name in EFFECTS:
                seen = follow(remedy, *cells[name, where])
                shares.append(f"{name}: {100 * seen.directed().mean():.1f} / {100 * seen.held(0.0).mean():.1f}")
            print(f"  {where}: " + "; ".join(shares), flush=True)
    print(
        "\nThe warnings: per cent of all runs that are warned of skew, of autocorrelation; of wrong claims, of either"
    )
    for (name, where), drawn in cells.items():
        seen = follow(SHIPPED, *drawn)
        skewed, alike = warned(seen)
        wrong = seen.directed()
        of_wrong = f"{100 * (skewed | alike)[wrong].mean():.0f} of {wrong.sum()}" if wrong.any() else "none wrong"
        print(f"  {where}, {name}: {100 * skewed.mean():.0f}, {100 * alike.mean():.0f}; {of_wrong}")
    print("\nThe price: per cent with a verdict, median blocks to it, and until the run stops; direction by 20 blocks")
    for remedy in REMEDIES:
        print(f"\n{remedy.name}")
        for deviation in (0.003, 0.01, 0.015):
            shares = []
            for effect in (0.0, 0.02, 0.05):
                shares.append(f"{100 * effect:+.0f} %: " + price(remedy, deviation, effect, given.runs))
            print(f"  processes and batches {100 * deviation:g} %: " + "; ".join(shares), flush=True)


def price(remedy: Remedy, deviation: float, effect: float, runs: int) -> str:
    arm = deviation * float(np.sqrt(1 + 1 / 8))  # eight rounds a block
    seen = follow(remedy, *blocks_of(None, runs=runs, effect=float(np.log1p(effect)), deviation=arm, seed=2))
    decided = seen.decided
    by = np.where(decided.any(axis=1), decided.argmax(axis=1) + 1, BLOCKS + 1)
    found = 100 * (seen.low[:, 19] > 0).mean()
    half = f"{np.median(by):.0f}" if np.median(by) <= BLOCKS else "–"
    return f"{100 * (by <= BLOCKS).mean():.0f}, {half}, {np.median(seen.stopped()):.0f}; {found:.0f}"


if __name__ == "__main__":
    main()
