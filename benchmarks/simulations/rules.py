"""The simulations behind single rules of the method: `python -m benchmarks.simulations.rules` (about two minutes).

What they say is written down in docs/method-notes.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.simulations.figures import MARGIN
from benchmarks.simulations.scenarios import SCENARIOS, Array, batch_times
from benchmarks.simulations.sequential import differences, simulate
from benchmarks.simulations.whole_runs import Machine, Run, plan_of
from sectax.analysis.findings import judge
from sectax.analysis.stopping import still_open
from sectax.model.plan import FIRST_LOOK, Stopping
from sectax.stats.moments import running_moments
from sectax.stats.pilot import warm_up
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


def warming_up(runs: int = 200) -> None:
    print("\nWarm-up of 60 batches, truth in brackets: per cent of right answers from one pilot, two and three")
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
    for show in (speed, when_to_stop, few_blocks, warming_up):
        show()
