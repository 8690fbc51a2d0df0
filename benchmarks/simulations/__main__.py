"""Print how often a verdict is wrong: `python -m benchmarks.simulations [--runs N] [--seed N] [--only NAME]`.

Every scenario is a machine that does something to batch times; shares are in per cent with exact 95 % intervals.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.simulations.figures import BLOCKS, Figures, figures, pooled
from benchmarks.simulations.scenarios import SCENARIOS, SKEWED
from benchmarks.simulations.whole_runs import Machine, Tally, whole_runs

HEADER = (
    "| scenario | blocks | direction at A/A | coverage | 'within' at the margin | wrong way | "
    "verdict at A/A | verdict at +5 % | half by, A/A | half by, +5 % | fixed N: A/A |"
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs of every cell (2000)")
    parser.add_argument("--whole", type=int, default=200, help="simulated runs of the whole program (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="scenarios whose name contains this")
    given = parser.parse_args()
    began = time.monotonic()
    chosen = [scenario for scenario in SCENARIOS + SKEWED if given.only in scenario.name]
    print(f"{given.runs} runs per cell, seed {given.seed}, margin 2 %, alpha 0.05, per cent (exact 95 % interval)\n")
    print(HEADER)
    print("| --- " * HEADER.count(" | ") + "| --- |")
    rows = []
    for row in figures(chosen, seed=given.seed, runs=given.runs, blocks=BLOCKS):
        rows.append(row)
        print(_line(row), flush=True)
    symmetric = [row for row in rows if row.scenario.symmetric]
    if symmetric:
        print("\nPooled over the symmetric scenarios:")
        print(f"  a direction claimed where there is none: {pooled(row.direction for row in symmetric)} %")
        print(f"  coverage at the stopped time: {pooled(row.coverage for row in symmetric)} %")
        print(f"  'within the margin' at an effect of the margin: {pooled(row.within for row in symmetric)} %")
        print(f"  wrong way: {pooled(row.wrong_way for row in symmetric)} %")
    if given.whole and not given.only:
        print(f"\nWhole runs (plan, drop-out, controls, audit), {given.whole} of each; budget 40 blocks\n")
        print(
            "| process, batch sd | treatments | verdict | wrong direction | negative fired | positive missed | blocks |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for machine in (Machine(0.003, 0.003), Machine(0.005, 0.005), Machine(0.01, 0.01), Machine(0.015, 0.02)):
            for effects in ({"same": 0.0}, {"same": 0.0, "one": 0.01, "five": 0.05, "faster": -0.1}):
                print(_whole(machine, effects, whole_runs(effects, seed=given.seed, runs=given.whole, machine=machine)))
    print(f"\n{time.monotonic() - began:.0f} s", file=sys.stderr)


def _line(row: Figures) -> str:
    cells = [
        row.scenario.name + ("" if row.scenario.symmetric else " (skewed)"),
        row.blocks,
        row.direction,
        row.coverage,
        row.within,
        row.wrong_way,
        row.settled,
        row.settled_large,
        row.half_by or "–",
        row.half_by_large or "–",
        row.fixed_direction or "–",
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _whole(machine: Machine, effects: dict[str, float], tally: Tally) -> str:
    names = ", ".join(f"{100 * effect:+.0f} %" for effect in effects.values())
    cells = [
        f"{100 * machine.process:.1f} %, {100 * machine.batch:.1f} %",
        names,
        f"{100 * tally.with_verdict / tally.comparisons:.1f} % of {tally.comparisons}",
        tally.wrong_direction,
        tally.fired,
        tally.missed,
        sorted(tally.blocks)[tally.runs // 2],
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    main()
