"""Where should the floor of a comparison's spread come from, if cells differ in noise?

python -m benchmarks.simulations.cells [--families 1500] [--seed 1]

A family of twelve comparisons in four cells (three treatments and their baseline in each), and one negative control in
the first. No treatment has a cost. Every rule is judged by the share of families in which any interval misses the
mean effect, and by the half-widths in the noisiest and the quietest cell.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.output import heading, table, target
from benchmarks.simulations.draws import Draw, autoregressive, exponential, lognormal, modes
from benchmarks.simulations.scenarios import Array
from sectax.analysis.effect import intervals
from sectax.stats.confidence_sequence import UNSEEN

# Standard deviation of a block's log difference: PUT and GET of two sizes against a local server.
NOISE = (0.14, 0.12, 0.05, 0.036)
TREATMENTS = 3
ALPHA = 0.05
BLOCKS = (6, 8, 12, 20, 40)
MISSED_AT_MOST = 0.05


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.normal(0.0, 1.0, shape)


def heavy(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.standard_t(3, shape) / np.sqrt(3.0)


def scaled(draw: Draw) -> Draw:
    """A draw with a standard deviation of 1."""
    sample = draw(np.random.default_rng(0), (200, 1000))
    deviation = float(sample.std())
    return lambda rng, shape: draw(rng, shape) / deviation


def bursts(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """One block in five has five times the noise of the others."""
    return rng.normal(0.0, 1.0, shape) * np.where(rng.random(shape) < 0.2, 5.0, 1.0) / np.sqrt(0.8 + 0.2 * 25)


def jittered(draw: Draw) -> Draw:
    """With a little noise, since a spread of exactly zero is unknown."""
    return scaled(lambda rng, shape: draw(rng, shape) + rng.normal(0.0, 0.1, shape))


def drift(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """A slope over the run that the arms of a block do not share."""
    slope = rng.normal(0.0, 1.0, (shape[0], 1)) * np.linspace(-1.0, 1.0, shape[1])
    return 0.9 * rng.normal(0.0, 1.0, shape) + 0.4 * slope


@dataclass(frozen=True)
class Scenario:
    """Noise of an arm's blocks.

    Attributes:
        arm: of every arm, in units of its cell's noise.
        treatment: additional noise of the treatments alone, as a log ratio; None for none.
    """

    name: str
    arm: Draw
    treatment: Draw | None = None


SCENARIOS = (
    Scenario("normal", normal),
    Scenario("heavy tails (t, 3 degrees)", heavy),
    Scenario("skewed (lognormal, sigma 1)", scaled(lognormal(1.0))),
    Scenario("skewed (exponential)", scaled(exponential(1.0))),
    Scenario("modes 80/20", jittered(modes(0.2, 1.0))),
    Scenario("modes 50/50", jittered(modes(0.5, 1.0))),
    Scenario("bursts", bursts),
    Scenario("drift", drift),
    Scenario("modes 95/5", jittered(modes(0.05, 1.0))),
    Scenario("modes 20/80", jittered(modes(0.8, 1.0))),
    Scenario("modes 80/20, 5 %, of treatments alone", normal, modes(0.2, 0.05)),
    Scenario("exponential, 2 %, of treatments alone", normal, exponential(0.02)),
)
# Neither rule holds where blocks are correlated and their number is large and fixed; the audit warns of drift.
CORRELATED = Scenario("blocks correlated 0.2", scaled(autoregressive(0.2)))


def families(scenario: Scenario, rng: np.random.Generator, runs: int, blocks: int) -> tuple[Array, Array]:
    """Differences of comparisons, and of a control in every cell.

    Returns:
        Shapes (runs, cells, treatments, blocks) and (runs, cells, blocks).
    """
    differences, controls = [], []
    for noise in NOISE:
        arms = [noise / np.sqrt(2) * scenario.arm(rng, (runs, blocks)) for _ in range(TREATMENTS + 2)]
        baseline, negative, *treatments = arms
        if scenario.treatment is not None:
            treatments = [arm + scenario.treatment(rng, (runs, blocks)) for arm in treatments]
        differences.append(np.stack([arm - baseline for arm in treatments], axis=1))
        controls.append(negative - baseline)
    return np.stack(differences, axis=1), np.stack(controls, axis=1)


def halves(scenario: Scenario, rng: np.random.Generator, runs: int, blocks: int) -> Array:
    """Differences of the baseline's own halves in every cell, scaled to whole blocks: its arms share a process."""
    return np.stack(
        [
            noise / np.sqrt(2) * (scenario.arm(rng, (runs, blocks)) - scenario.arm(rng, (runs, blocks)))
            for noise in NOISE
        ],
        axis=1,
    )


Rule = Callable[[Array, Array], Array]
# The reference of every cell, from: a control in every cell, halves of the baselines.
RULES: dict[str, Rule] = {
    "one control for the family": lambda own, half: np.repeat(own[:, :1], len(NOISE), axis=1),
    "the control in its own cell": lambda own, half: np.concatenate([own[:, :1], np.zeros_like(own[:, 1:])], axis=1),
    "halves in the other cells": lambda own, half: np.concatenate([own[:, :1], half[:, 1:]], axis=1),
    "a control in every cell": lambda own, half: own,
    "no floor": lambda own, half: np.zeros_like(own),
}


def judge(rule: Rule, drawn: tuple[Array, Array], half: Array, *, fixed: bool) -> tuple[Array, Array, Array]:
    """The limits of every interval, and the mean half-width of every cell."""
    differences, own = drawn
    runs, cells, treatments, blocks = differences.shape
    reference = np.repeat(rule(own, half)[:, :, None], treatments, axis=2)
    rows = runs * cells * treatments
    result = intervals(
        differences.reshape(rows, blocks),
        reference.reshape(rows, blocks),
        np.full(rows, ALPHA / (cells * treatments)),
        np.zeros(rows),
        np.full(rows, UNSEEN),
        last_look=blocks,
        fixed=fixed,
    )
    low, high = (limits.reshape(runs, cells, treatments) for limits in (result.low, result.high))
    return low, high, ((high - low) / 2).mean(axis=(0, 2))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.cells", description=__doc__)
    parser.add_argument("--families", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    heading(f"The floor of the spread in cells of unequal noise, {given.families} families of 12 comparisons")
    worst = dict.fromkeys(RULES, 0.0)
    for fixed in (True, False):
        for blocks in BLOCKS:
            rows = []
            for scenario in (*SCENARIOS, CORRELATED):
                rng = np.random.default_rng(given.seed)
                drawn = families(scenario, rng, given.families, blocks)
                half = halves(scenario, rng, given.families, blocks)
                effect = 0.0
                if scenario.treatment is not None:
                    effect = float(scenario.treatment(np.random.default_rng(2), (1000, 1000)).mean())
                row = [scenario.name]
                for name, rule in RULES.items():
                    low, high, widths = judge(rule, drawn, half, fixed=fixed)
                    missed = float(((low > effect) | (high < effect)).any(axis=(1, 2)).mean())
                    worst[name] = max(worst[name], missed if scenario is not CORRELATED else 0.0)
                    row.append(f"{100 * missed:.1f} ({100 * widths[0]:.1f}, {100 * widths[-1]:.1f})")
                rows.append(row)
            how = "--blocks" if fixed else "looks until"
            table(
                ["", *RULES],
                rows,
                f"{how} {blocks} blocks: % of families that miss (half-widths in %: noisiest, quietest cell)",
            )
    for name, share in worst.items():
        target(name, share, MISSED_AT_MOST, f"{100 * share:.1f} % at worst, at most {100 * MISSED_AT_MOST:g} %")


if __name__ == "__main__":
    main()
