"""The simulations behind single rules of the method: `python -m benchmarks.simulations.rules` (about two minutes).

What they say is written down in docs/method-notes.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.simulations.figures import MARGIN
from benchmarks.simulations.scenarios import SCENARIOS, SKEWED, Array, batch_times
from benchmarks.simulations.sequential import differences, simulate
from benchmarks.simulations.whole_runs import Machine, Run, plan_of
from sectax.analysis.findings import judge
from sectax.analysis.stopping import still_open
from sectax.model.finding import UNSETTLED
from sectax.model.plan import FIRST_LOOK, Stopping
from sectax.stats.change_point import warm_up
from sectax.stats.moments import running_moments
from sectax.stats.student import critical_value

MATERIAL = float(np.log1p(MARGIN))
HEALTHY = ("lognormal", "quiet lognormal", "AR(1) 0.9", "AR(1) 0.99", "drift", "1 ms clock")


def when_to_stop(runs: int = 1000) -> None:
    print("\nWhen to stop: median blocks at A/A where 'equivalent' must also have U - L <= M, and where it need not")
    for scenario in SCENARIOS:
        if scenario.name not in HEALTHY:
            continue
        outcome = simulate(scenario, seed=3, runs=runs, blocks=40, effect=0.0)
        equivalent = (outcome.low > -MATERIAL) & (outcome.high < MATERIAL)
        medians = []
        for done in (equivalent & (outcome.high - outcome.low <= MATERIAL), equivalent):
            medians.append(np.median(np.where(done.any(axis=1), done.argmax(axis=1) + 1, 41)))
        print(f"  {scenario.name:18s} {medians[0]:.0f} {medians[1]:.0f}")


def first_look(runs: int = 1000) -> None:
    print("\nFloor and first look: per cent of runs whose interval holds the effect when they stop, 40 blocks at most")
    for scenario in (SCENARIOS[0], SCENARIOS[2], SCENARIOS[3], *SKEWED):
        shares = []
        for floor, look in ((False, 6), (True, 6), (True, 10), (True, 15)):
            outcome = simulate(
                scenario, seed=1, runs=runs, blocks=40, effect=0.0, rounds=4, floor=floor, first_look=look
            )
            low, high = outcome.at(40)
            shares.append(f"{100 * np.mean((low <= 0) & (high >= 0)):.1f}")
        print(f"  {scenario.name:24s} no floor {shares[0]}; floor, first look at 6, 10, 15: {', '.join(shares[1:])}")


def few_blocks(runs: int = 20_000) -> None:
    print("\nA fixed number of 2, 3, 4, 5, 6 blocks: per cent of A/A runs in which Student's t with the floor errs")
    for scenario in SCENARIOS:
        rng = np.random.default_rng(5)
        times = batch_times(scenario, rng, runs=runs, blocks=6, rounds=4, effect=0.0)
        d, reference = differences(times)
        count, mean, deviation = running_moments(d)
        spread = np.maximum(deviation, running_moments(reference)[2])[:, 1:]
        half = critical_value(count[:, 1:], 0.05) * spread / np.sqrt(count[:, 1:])
        wrong = 100 * (np.abs(mean[:, 1:]) > half).mean(axis=0)
        print(f"  {scenario.name:18s} " + " ".join(f"{share:.1f}" for share in wrong))


def still_needed(runs: int = 120, asked_at: int = 8) -> None:
    print(f"\nBlocks still needed, asked at {asked_at}: truth in the range, and its middle within a factor of two")
    for deviation in (0.01, 0.015, 0.02):
        for effect in (0.0, 0.01, 0.05):
            asked = inside = near = 0
            for number in range(runs):
                answer = _forecast(deviation, effect, np.random.default_rng([7, number]), asked_at)
                if answer is None:
                    continue
                needed, truth = answer
                asked += 1
                if needed is not None:
                    middle = np.sqrt(needed[0] * needed[1]) + asked_at
                    inside += needed[0] <= truth <= needed[1]
                    near += 0.5 <= middle / (truth + asked_at) <= 2
            print(f"  sd {deviation}, effect {effect}: of {asked}, in the range {inside}, near {near}")


def _forecast(
    deviation: float, effect: float, rng: np.random.Generator, asked_at: int
) -> tuple[tuple[int, int] | None, int] | None:
    """The forecast and the blocks that it really took; None where there was nothing to ask, or 400 were too few."""
    plan = plan_of({"t": effect}, Stopping(MARGIN))
    costs = {treatment.id: float(np.log1p(treatment.extra)) for treatment in plan.treatments}
    run = Run(plan, costs | {"cell0/t": float(np.log1p(effect))}, Machine(deviation, deviation), rng)
    needed: tuple[int, int] | None = None
    for block in range(1, 401):
        run.block()
        if block < asked_at or (block > 40 and block % 5):
            continue
        finding = judge(run.measured())[0]
        settled = finding.verdict not in UNSETTLED
        if block == asked_at:
            if settled or finding.effect is None:
                return None
            needed = finding.effect.blocks_needed
        elif settled:
            return needed, block - asked_at
    return None


def warming_up(runs: int = 200) -> None:
    print("\nWarm-up of 60 batches, truth in brackets: per cent of right answers from one pilot and from three")
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
        for pilots in (1, 3):
            rng = np.random.default_rng(1)
            right = [warm_up([make(rng) for _ in range(pilots)]).batches == truth for _ in range(runs)]
            shares.append(f"{100 * np.mean(right):.0f}")
        print(f"  {name} ({truth}): {', '.join(shares)}")


def speed() -> None:
    print("\nMilliseconds to judge a run after a block, and to say what goes on; 62 comparisons")
    plan = plan_of({f"t{number}": 0.01 * number for number in range(1, 6)}, Stopping(MARGIN), cells=12)
    costs = {treatment.id: 0.01 for treatment in plan.treatments}
    run = Run(plan, costs, Machine(0.02, 0.02), np.random.default_rng(1))
    for blocks in (6, 20, 40, 200):
        while len(run.blocks) < blocks:
            run.block()
        measured = run.measured()
        findings = judge(measured)
        began = time.perf_counter()
        for _ in range(20):
            judge(measured)
        judged = time.perf_counter()
        for _ in range(20):
            still_open(measured, findings)
        ended = time.perf_counter()
        print(f"  {blocks} blocks: {50 * (judged - began):.1f} and {50 * (ended - judged):.2f}")


if __name__ == "__main__":
    print(f"margin {100 * MARGIN:.0f} %, alpha 0.05, first look at {FIRST_LOOK}")
    for show in (speed, when_to_stop, first_look, few_blocks, warming_up, still_needed):
        show()
