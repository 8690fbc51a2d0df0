"""How often is a direction claimed that is not there, family-wise, and what does a guard against it cost?

`python -m benchmarks.simulations.guard` prints, for every guard, the share of families in which a comparison without
an effect is called slower or faster at any look; then the blocks that healthy comparisons need under it. Blocks are
drawn directly: an arm varies by 0.15 % where nothing is said of it, and only the treatment has the effect, so the
negative control cannot see it. A direction is claimed or not whatever the margin. The comparisons of a family are
independent of each other, which is the worst case: where each errs with chance q, families err with 1 − (1 − q)^K.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.draws import QUIET, Draw, autoregressive, exponential, lognormal, modes, pareto
from benchmarks.simulations.scenarios import Array
from sectax.analysis.needed import conclusive
from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width
from sectax.stats.moments import running_moments
from sectax.stats.student import critical_value, repeated_critical_value

ALPHA = 0.05
FAMILIES = (1, 6, 12)
ENDS = (12, 20, 40, 120)
FIXED = (6, 10, 20)
SPREADS = (0.002, 0.005, 0.01, 0.015, 0.025)
EFFECTS = (0.0, 0.01, 0.03, 0.05)

MACHINES: dict[str, Draw] = {
    "normal, 2 %": lambda rng, shape: rng.normal(0.0, 0.02, shape),
    "exponential, 2 %": exponential(0.02),
    "exponential, 10 %": exponential(0.1),
    "lognormal, sigma 1, 1 %": lognormal(0.01),
    "lognormal, sigma 1, 5 %": lognormal(0.05),
    "Pareto, shape 2.5, 1 %": pareto(0.01),
    "modes 80/20, 2 %": modes(0.2, 0.02),
    "modes 80/20, 5 %": modes(0.2, 0.05),
    "modes 80/20, 10 %": modes(0.2, 0.10),
    "modes 80/20, 20 %": modes(0.2, 0.20),
    "modes 50/50, 5 %": modes(0.5, 0.05),
    "modes 95/5, 5 %": modes(0.05, 0.05),
    "AR(1) 0.2 of blocks": autoregressive(0.2),
    "AR(1) 0.5 of blocks": autoregressive(0.5),
}


@dataclass(frozen=True)
class Look:
    """What a guard is given: blocks, their spread, the error level, and the critical value after so many blocks."""

    blocks: Array
    spread: Array
    alpha: float
    critical: Callable[[Array], Array]

    @property
    def plain(self) -> Array:
        return self.critical(self.blocks) * self.spread / np.sqrt(self.blocks)


Guard = Callable[[Look], Array]


def one_more_block(off: Callable[[float], float]) -> Guard:
    """The guard before: the interval of n + 1 blocks, of which one lies *off* (by error level) the others' mean."""

    def half(look: Look) -> Array:
        n, far = look.blocks, off(look.alpha)
        squares = ((n - 1) * look.spread**2 + n * far**2 / (n + 1)) / n
        return np.maximum(look.plain, far / (n + 1) + look.critical(n + 1) * np.sqrt(squares / (n + 1)))

    return half


def unseen_mode(off: float, power: float) -> Guard:
    """The reach of a mode that no block fell into, joined with the plain half-width by this power."""

    def half(look: Look) -> Array:
        reach = off * (1 - look.alpha ** (1 / look.blocks))
        return np.asarray((look.plain**power + reach**power) ** (1 / power))

    return half


GUARDS: dict[str, Guard] = {
    "none": lambda look: look.plain,
    "one more block, 1 % off": one_more_block(lambda alpha: 0.01),
    "one more block, 4 % off": one_more_block(lambda alpha: 0.04),
    "one more block, 4 %, K > 6: 6 %": one_more_block(lambda alpha: 0.06 if alpha < ALPHA / 6.5 else 0.04),
    "one more block, 5 %, K > 1: 6 %": one_more_block(lambda alpha: 0.06 if alpha < ALPHA / 1.5 else 0.05),
    "first look at 14": lambda look: np.where(look.blocks < 14, np.inf, look.plain),
    "unseen mode 4.5 %, added": unseen_mode(0.045, 1),
    "unseen mode 6.5 %, root of squares": unseen_mode(0.065, 2),
    "shipped: unseen mode 5.5 %, power 1.5": lambda look: guarded_half_width(
        look.blocks, look.plain, UNSEEN, look.alpha
    ),
}


@dataclass(frozen=True)
class Cell:
    """Per cent of families with a wrong direction."""

    machine: str
    family: int
    blocks: int
    fixed: bool
    wrong: float

    def __str__(self) -> str:
        return f"{self.machine}, K = {self.family}, {'--blocks' if self.fixed else 'until'} {self.blocks}"


def cells(guard: Guard, *, runs: int, seed: int = 1, machines: tuple[str, ...] = tuple(MACHINES)) -> Iterator[Cell]:
    for machine in machines:
        rng = np.random.default_rng([seed, list(MACHINES).index(machine)])
        shape = (runs, max(ENDS))
        baseline, treatment, negative = (rng.normal(0.0, QUIET, shape) for _ in range(3))
        count, mean, deviation = running_moments(treatment + MACHINES[machine](rng, shape) - baseline)
        spread = np.maximum(deviation, running_moments(negative - baseline)[2])
        blocks = count[0].astype(np.float64)
        for family in FAMILIES:
            alpha = ALPHA / family
            for end, fixed in (*((end, False) for end in ENDS), *((end, True) for end in FIXED)):
                looks = slice(end - 1 if fixed else FIRST_LOOK - 1, end)
                look = Look(blocks[looks], spread[:, looks], alpha, critical(alpha, None if fixed else end))
                wrong = float((np.abs(mean[:, looks]) > guard(look)).any(axis=1).mean())
                yield Cell(machine, family, end, fixed, 100 * (1 - (1 - wrong) ** family))


def critical(alpha: float, end: int | None) -> Callable[[Array], Array]:
    if end is None:
        return lambda blocks: critical_value(blocks, alpha)
    return lambda blocks: repeated_critical_value(blocks, alpha, FIRST_LOOK, end)


def blocks_to_verdict(guard: Guard, family: int, margin: float, *, runs: int, end: int = 120) -> Array:
    """Median blocks to a verdict, shape (spreads, effects); infinite where half of the runs have none."""
    looks = slice(FIRST_LOOK - 1, end)
    made = np.empty((len(SPREADS), len(EFFECTS)))
    for row, spread in enumerate(SPREADS):
        for column, effect in enumerate(EFFECTS):
            rng = np.random.default_rng([2, row, column])
            count, mean, deviation = running_moments(rng.normal(float(np.log1p(effect)), spread, (runs, end)))
            alpha = ALPHA / family
            half = guard(Look(count[0, looks].astype(np.float64), deviation[:, looks], alpha, critical(alpha, end)))
            decided = conclusive(mean[:, looks] - half, mean[:, looks] + half, margin)
            made[row, column] = np.median(
                np.where(decided.any(axis=1), decided.argmax(axis=1) + float(FIRST_LOOK), np.inf)
            )
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.guard", description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="runs of every cell (20000)")
    given = parser.parse_args()
    held = tuple(name for name in MACHINES if not name.endswith(("10 %", "20 %", "1, 5 %", "of blocks")))
    print("| guard | cells above 5 % | worst | K = 1, 2 % | K = 1, 1 % | K = 12, 2 % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, guard in GUARDS.items():
        every = list(cells(guard, runs=given.runs, machines=held))
        worst = max(every, key=lambda cell: cell.wrong)
        above = sum(cell.wrong > 5.3 for cell in every)  # 5 %, and two standard errors of 20,000 runs
        costs = []
        for family, margin in ((1, 0.02), (1, 0.01), (12, 0.02)):
            plain, with_it = (
                blocks_to_verdict(item, family, margin, runs=given.runs // 20) for item in (GUARDS["none"], guard)
            )
            both = np.isfinite(plain) & np.isfinite(with_it)
            costs.append(f"{np.exp(np.log(with_it[both] / plain[both]).mean()):.2f}")
        print(f"| {name} | {above} of {len(every)} | {worst.wrong:.1f} ({worst}) | {' | '.join(costs)} |", flush=True)
    print("\nShipped, per cent of families with a wrong direction")
    columns = [*(f"until {end}" for end in ENDS), *(f"--blocks {end}" for end in FIXED)]
    print(f"| machine | K | {' | '.join(columns)} |\n| --- | --- |{' --- |' * len(columns)}")
    shipped = list(GUARDS.values())[-1]
    every = list(cells(shipped, runs=given.runs))
    for machine in MACHINES:
        for family in FAMILIES:
            found = [f"{cell.wrong:.1f}" for cell in every if (cell.machine, cell.family) == (machine, family)]
            print(f"| {machine} | {family} | {' | '.join(found)} |")
    print("\nShipped and none: median blocks to a verdict at 0, +1, +3, +5 %, by spread of the differences")
    for family, margin in ((1, 0.02), (1, 0.01), (12, 0.02)):
        print(f"  K = {family}, margin {100 * margin:g} %")
        both = [blocks_to_verdict(item, family, margin, runs=given.runs // 20) for item in (shipped, GUARDS["none"])]
        for row, spread in enumerate(SPREADS):
            words = [", ".join("–" if np.isinf(n) else f"{n:.0f}" for n in item[row]) for item in both]
            print(f"    {100 * spread:g} %: {words[0]} (without {words[1]})")


if __name__ == "__main__":
    main()
