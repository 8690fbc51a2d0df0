"""The figures that the promises are about, for every scenario and number of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.scenarios import Scenario
from benchmarks.simulations.sequential import Outcome, simulate
from sectax.analysis.needed import conclusive
from sectax.stats.binomial import clopper_pearson

MARGIN = 0.02
SMALL = float(np.log1p(MARGIN / 4))  # an effect whose direction is easily mistaken
LARGE = float(np.log1p(0.05))
BLOCKS = (6, 10, 20, 40, 200)


@dataclass(frozen=True)
class Share:
    """Events among trials, with the exact binomial interval."""

    events: int
    trials: int

    @property
    def value(self) -> float:
        return self.events / self.trials

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        return clopper_pearson(self.events, self.trials, level)

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{100 * self.value:.1f} ({100 * low:.1f}–{100 * high:.1f})"


@dataclass(frozen=True)
class Figures:
    """One scenario at one largest number of blocks.

    Attributes:
        direction: a direction was claimed at any time though there is no effect.
        coverage: the interval at the stopped time holds the true effect, over all four effects.
        within: 'equivalent' or 'within the margin' was claimed at any time though the effect equals the margin.
        wrong_way: 'faster' was claimed at any time though the treatment is slower by a quarter of the margin.
        settled, settled_large: the run ended in a verdict, without an effect and with one of 5 %.
        half_by, half_by_large: the number of blocks by which half of the runs had one; None where fewer had.
        fixed_direction: as `direction`, had this been the fixed number of blocks; None above 20.
    """

    scenario: Scenario
    blocks: int
    direction: Share
    coverage: Share
    within: Share
    wrong_way: Share
    settled: Share
    settled_large: Share
    half_by: int | None
    half_by_large: int | None
    fixed_direction: Share | None


def figures(
    scenarios: Iterable[Scenario], *, seed: int, runs: int, blocks: tuple[int, ...] = BLOCKS, rounds: int = 8
) -> Iterator[Figures]:
    """Simulate every scenario with no effect, a small one, one of the margin and one of 5 %."""
    for place, scenario in enumerate(scenarios):
        material = float(np.log1p(MARGIN))

        def outcome(
            number: int, effect: float, most: int, scenario: Scenario = scenario, place: int = place
        ) -> Outcome:
            return simulate(
                scenario,
                seed=seed + 100 * place + number,
                runs=runs,
                blocks=most,
                effect=effect,
                rounds=rounds,
                margin=MARGIN,
            )

        for most in blocks:
            none, small, at_margin, large = (
                outcome(number, effect, most) for number, effect in enumerate((0.0, SMALL, material, LARGE))
            )
            yield Figures(
                scenario=scenario,
                blocks=most,
                direction=_claims(none.agreed_low[:, most - 1] > 0, none.agreed_high[:, most - 1] < 0),
                coverage=_coverage([none, small, at_margin, large], most),
                within=_claims(((at_margin.high < material) & (at_margin.low > -material)).any(axis=1)),
                wrong_way=_claims(small.agreed_high[:, most - 1] < 0),
                settled=_settled(none, most),
                settled_large=_settled(large, most),
                half_by=_half_by(none, most),
                half_by_large=_half_by(large, most),
                fixed_direction=_claims(none.fixed_low[:, most - 1] > 0, none.fixed_high[:, most - 1] < 0)
                if most <= 20
                else None,
            )


def pooled(shares: Iterable[Share]) -> Share:
    every = list(shares)
    return Share(sum(share.events for share in every), sum(share.trials for share in every))


def _claims(*events: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Share:
    happened = np.logical_or.reduce(events)
    return Share(int(happened.sum()), happened.size)


def _coverage(outcomes: list[Outcome], most: int) -> Share:
    held = []
    for outcome in outcomes:
        low, high = outcome.at(most)
        held.append(_claims((low <= outcome.effect) & (outcome.effect <= high)))
    return pooled(held)


def _verdict_by(outcome: Outcome, most: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether a run had a verdict at any look until each block."""
    done = conclusive(outcome.low, outcome.high, outcome.margin)[:, :most]
    return np.logical_or.accumulate(done, axis=1)


def _settled(outcome: Outcome, most: int) -> Share:
    return _claims(_verdict_by(outcome, most)[:, most - 1])


def _half_by(outcome: Outcome, most: int) -> int | None:
    by_block = _verdict_by(outcome, most).mean(axis=0) >= 0.5
    return int(np.argmax(by_block)) + 1 if by_block.any() else None
