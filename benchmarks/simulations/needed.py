"""How good is what an open comparison is told? `python -m benchmarks.simulations.needed`.

Runs are asked at 6 to 30 blocks and then followed on; the truth is the block at which the same run is decided (of a
plan with as many blocks, past the budget of 40), and the margin that its 40 blocks resolve.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.figures import MARGIN, Share
from benchmarks.simulations.scenarios import Array
from sectax.analysis.needed import UndecidedRows, blocks_needed, conclusive, margins_in_reach
from sectax.model.plan import DEFAULT_MAX_BLOCKS, FIRST_LOOK
from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width, half_width
from sectax.stats.moments import running_moments
from sectax.stats.student import repeated_critical_value

BUDGET = DEFAULT_MAX_BLOCKS
FOLLOWED = 400
EFFECTS = (0.0, 0.01, -0.01, 0.02, -0.02, 0.03, -0.03, 0.05, -0.05)
SPREADS = (0.003, 0.006, 0.01, 0.015, 0.02, 0.03, 0.04)
ASKED_AT = (6, 8, 10, 15, 20, 30)


@dataclass(frozen=True)
class Told:
    """What the open runs of one situation were told, and how right it was: shares of those runs.

    Attributes:
        said: a number of blocks was said.
        in_range: of these, the truth lay in the range.
        near, near_in_all: of these, the range's middle (geometric) was within a factor of two of the blocks that were
            still needed, and of the blocks in all.
        margin_near: the margin that the whole budget resolves was foretold within a factor of two.
        right: the statement that a reader acts on was right: the blocks where they were said, the margin elsewhere.
    """

    effect: float
    spread: float
    alpha: float
    asked_at: int
    said: Share
    in_range: Share
    near: Share
    near_in_all: Share
    margin_near: Share
    right: Share


def situations(
    *, runs: int, seed: int = 1, alphas: Iterable[float] = (0.05, 0.05 / 6), spreads: Iterable[float] = SPREADS
) -> Iterator[Told]:
    for alpha in alphas:
        for effect in EFFECTS:
            for spread in spreads:
                yield from _situation(effect, spread, alpha, runs, seed)


def _situation(effect: float, spread: float, alpha: float, runs: int, seed: int) -> Iterator[Told]:
    rng = np.random.default_rng([seed, int(1000 * spread), int(1000 * (1 + effect))])
    arm = spread * float(np.sqrt(1 + 1 / 8))  # processes and batches vary alike, eight rounds a block
    baseline, treatment, negative = (rng.normal(0.0, arm, (runs, FOLLOWED)) for _ in range(3))
    count, mean, deviation = running_moments(treatment + float(np.log1p(effect)) - baseline)
    seen = np.maximum(deviation, running_moments(negative - baseline)[2])
    low, high = _intervals(count, mean, seen, alpha)
    decided = conclusive(low, high, MARGIN)
    truth = np.where(decided.any(axis=1), decided.argmax(axis=1) + 1.0, np.inf)
    margin = np.maximum(np.abs(low[:, BUDGET - 1]), np.abs(high[:, BUDGET - 1]))
    for asked_at in ASKED_AT:
        still = truth > asked_at
        if not still.any():
            continue
        rows, column = np.nonzero(still)[0], asked_at - 1
        asked = UndecidedRows(
            count=np.full(rows.size, asked_at),
            mean=mean[rows, column],
            spread=seen[rows, column],
            alpha=np.full(rows.size, alpha),
            unseen=np.full(rows.size, UNSEEN),
            widened=np.zeros(rows.size),
        )
        yield _told(asked, truth[rows], margin[rows], (effect, spread, alpha, asked_at))


def _intervals(count: NDArray[np.int64], mean: Array, spread: Array, alpha: float) -> tuple[Array, Array]:
    n = np.arange(1, FOLLOWED + 1)
    width = repeated_critical_value(n, alpha, FIRST_LOOK, np.maximum(n, BUDGET))
    half = guarded_half_width(count, half_width(count, spread, width), UNSEEN, alpha)
    half = np.where(count >= FIRST_LOOK, half, np.inf)
    return mean - half, mean + half


def _told(asked: UndecidedRows, truth: Array, margin: Array, situation: tuple[float, float, float, int]) -> Told:
    ranges = blocks_needed(asked, MARGIN, BUDGET)
    said = np.array([item is not None for item in ranges])
    fewest, most = np.array([item or (1, 1) for item in ranges], dtype=np.float64).T
    now = asked.count.astype(np.float64)
    near = _within_two(np.sqrt(fewest * most), truth - now)
    near_in_all = _within_two(np.sqrt((fewest + now) * (most + now)), truth)
    margin_near = _within_two(margins_in_reach(asked, BUDGET, BUDGET), margin)
    return Told(
        *situation,
        said=_share(said),
        in_range=_share(((fewest <= truth - now) & (truth - now <= most))[said]),
        near=_share(near[said]),
        near_in_all=_share(near_in_all[said]),
        margin_near=_share(margin_near),
        right=_share(np.where(said, near, margin_near)),
    )


def _within_two(told: Array, truth: Array) -> NDArray[np.bool_]:
    return np.asarray((told >= truth / 2) & (told <= 2 * truth))


def _share(events: NDArray[np.bool_]) -> Share:
    return Share(int(events.sum()), events.size)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations.needed", description=__doc__)
    parser.add_argument("--runs", type=int, default=150, help="simulated runs of every situation (150)")
    given = parser.parse_args()
    every = list(situations(runs=given.runs))
    names = ("said", "in_range", "near", "near_in_all", "margin_near", "right")
    print("per cent: blocks said; of these in the range, still needed and in all within a factor of two; margin; right")
    for title, group in (
        *((f"effect {100 * effect:+.0f} %", [t for t in every if t.effect == effect]) for effect in EFFECTS),
        *((f"spread {100 * spread:g} %", [t for t in every if t.spread == spread]) for spread in SPREADS),
        *((f"asked at {n}", [t for t in every if t.asked_at == n]) for n in ASKED_AT),
        ("all", every),
    ):
        print(f"  {title}: " + ", ".join(str(total(group, name)) for name in names))
    judged = [told for told in every if told.right.trials >= 20]
    good = sum(told.right.value >= 0.8 for told in judged)
    print(f"  situations of 20 open runs or more in which four of five were told right: {good} of {len(judged)}")


def total(group: Iterable[Told], name: str) -> Share:
    shares: list[Share] = [getattr(told, name) for told in group]
    return Share(sum(share.events for share in shares), max(1, sum(share.trials for share in shares)))


if __name__ == "__main__":
    main()
