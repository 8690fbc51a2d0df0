"""Simulated runs judged block by block, by the functions that judge real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.scenarios import BASELINE, NEGATIVE, TREATMENT, Array, Scenario, batch_times
from sectax.analysis.effect import intervals
from sectax.analysis.verdict import meets_stopping_rule, verdict
from sectax.model.finding import VerdictId
from sectax.model.metric import Better
from sectax.model.plan import FIRST_LOOK, Until
from sectax.stats.confidence_sequence import UNSEEN, Sequence, running_sequence
from sectax.stats.moments import paired_differences

CHUNK = 250  # runs at once: keeps the arrays in tens of megabytes


@dataclass(frozen=True)
class Outcome:
    """What became of many runs of one scenario.

    Attributes:
        low, high: the interval of all blocks so far, after every block; shape (runs, blocks).
        agreed_low, agreed_high: what all looks so far have in common: whatever any of them claimed, it claims.
        stopped: number of blocks after which each run had its verdict; one more than all where it never had.
        effect: the true one, a log ratio.
        fixed: Student's interval after every block, had that been the fixed number; shape (runs, blocks) each.
    """

    low: Array
    high: Array
    agreed_low: Array
    agreed_high: Array
    stopped: NDArray[np.int64]
    effect: float
    margin: float
    fixed_low: Array
    fixed_high: Array

    def at(self, most: int) -> tuple[Array, Array]:
        """The interval that a run of at most `most` blocks ends with."""
        last = np.minimum(self.stopped, most) - 1
        rows = np.arange(last.size)
        return self.low[rows, last], self.high[rows, last]

    def verdicts(self, most: int) -> list[VerdictId]:
        low, high = self.at(most)
        return [verdict(a, b, self.margin) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def differences(times: Array) -> tuple[Array, Array]:
    """d_j of the treatment and of the negative control: rates from the totals of each block."""
    rates = times.shape[2] / times.sum(axis=2)
    baseline = rates[:, :, BASELINE]
    return (
        paired_differences(baseline, rates[:, :, TREATMENT], Better.HIGHER),
        paired_differences(baseline, rates[:, :, NEGATIVE], Better.HIGHER),
    )


def simulate(
    scenario: Scenario,
    *,
    seed: int,
    runs: int,
    blocks: int,
    effect: float,
    rounds: int = 8,
    alpha: float = 0.05,
    margin: float = 0.02,
    floor: bool = True,
    last_look: int | None = None,
) -> Outcome:
    """Many runs of a scenario, each followed to `blocks` blocks.

    Args:
        effect: the treatment's true cost as a log ratio.
        floor: whether the negative control's spread holds the interval open; False to see what it is good for.
        last_look: the plan's most blocks, where it is not `blocks`.
    """
    rng = np.random.default_rng(seed)
    parts: list[tuple[Sequence, Array, Array]] = []
    while runs > 0:
        some = min(CHUNK, runs)
        times = batch_times(scenario, rng, runs=some, blocks=blocks, rounds=rounds, effect=effect)
        d, reference = differences(times)
        step = scenario.clock_s / np.median(times) / np.sqrt(rounds)
        sequence = running_sequence(
            d,
            alpha,
            first_look=FIRST_LOOK,
            last_look=last_look or blocks,
            reference=reference if floor else None,
            least_spread=step,
            unseen=UNSEEN,
        )
        parts.append((sequence, *_fixed(d, reference, alpha, step)))
        runs -= some
    low = np.concatenate([sequence.low for sequence, _, _ in parts])
    high = np.concatenate([sequence.high for sequence, _, _ in parts])
    mean = np.concatenate([sequence.mean for sequence, _, _ in parts])
    return Outcome(
        low=low,
        high=high,
        agreed_low=np.concatenate([sequence.agreed_low for sequence, _, _ in parts]),
        agreed_high=np.concatenate([sequence.agreed_high for sequence, _, _ in parts]),
        stopped=_stopped(low, high, mean, margin),
        effect=effect,
        margin=margin,
        fixed_low=np.concatenate([part[1] for part in parts]),
        fixed_high=np.concatenate([part[2] for part in parts]),
    )


def _stopped(low: Array, high: Array, mean: Array, margin: float) -> NDArray[np.int64]:
    """After how many blocks each run stopped by the shipped rule."""
    runs, blocks = low.shape
    stopped = np.full(runs, blocks + 1, dtype=np.int64)
    for run in range(runs):
        for n in range(FIRST_LOOK, blocks + 1):
            a, b = float(low[run, n - 1]), float(high[run, n - 1])
            if meets_stopping_rule(verdict(a, b, margin), a, b, float(mean[run, n - 1]), margin, Until.PRECISE):
                stopped[run] = n
                break
    return stopped


def _fixed(d: Array, reference: Array, alpha: float, step: float) -> tuple[Array, Array]:
    low, high = np.full_like(d, -np.inf), np.full_like(d, np.inf)
    rows = np.ones(d.shape[0])
    for n in range(2, min(d.shape[1], 20) + 1):
        ended = intervals(
            d[:, :n],
            reference[:, :n],
            alpha * rows,
            step * rows,
            UNSEEN * rows,
            last_look=max(n, FIRST_LOOK),
            fixed=True,
        )
        low[:, n - 1], high[:, n - 1] = ended.low, ended.high
    return low, high
