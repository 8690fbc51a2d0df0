"""Gates of two equal revisions, and of one that is 10 % slower, judged as the program judges: how many are red?

    python -m benchmarks.simulations.gates [--gates 300]

Machines vary from calm to loaded: processes differ by half a per cent to four, batches by half to fifteen. A session
goes on until its limit is answered, or has 40 blocks; what is beyond the limit is measured again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace

import numpy as np
from scipy.stats import beta

from benchmarks.output import heading, table, target
from benchmarks.simulations.whole_runs import Machine, Run, plan_of
from sectax.cli.parse import condition
from sectax.gate.gate import confirm_sessions, judge_session
from sectax.model.analysed import Analysed
from sectax.model.gate import GateSession
from sectax.model.plan import Plan, Stopping
from sectax.run.conditions import with_conditions

MACHINES = {
    "calm": Machine(0.005, 0.005),
    "shared": Machine(0.02, 0.05),
    "loaded": Machine(0.04, 0.15),
}
LIMIT = condition("slower>5%")
KINDS = {"equal": 0.0, "slower": 0.10, "at the limit": 0.05}
LEVEL = 0.95


def outcome(plan: Plan, cost: float, machine: Machine, seed: tuple[int, ...]) -> str:
    """What becomes of one gate."""
    costs = {treatment.id: float(np.log1p(treatment.extra)) for treatment in plan.treatments}
    costs["cell0/change"] = float(np.log1p(cost))

    def measure(again: bool) -> tuple[GateSession, Analysed]:
        analysed = Run(plan, costs, machine, np.random.default_rng([*seed, again])).to_the_end()
        # A session whose limit is answered, or whose blocks are spent, has ended.
        analysed = replace(analysed, measured=replace(analysed.measured, state="finished"))
        return judge_session(analysed, "simulated", (LIMIT,)), analysed

    return confirm_sessions(measure, (LIMIT,)).outcome.value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gates", type=int, default=300)
    gates = parser.parse_args().gates
    heading(f"{gates} simulated gates of each kind, on {len(MACHINES)} machines by turns")
    rules = with_conditions(Stopping(0.02, max_blocks=40), (LIMIT,), until_was_given=False)
    plan = plan_of({"change": 0.0}, rules)
    counted: dict[tuple[str, str], Counter[str]] = {}
    for kind_number, (kind, cost) in enumerate(KINDS.items()):
        for number in range(gates):
            name, machine = list(MACHINES.items())[number % len(MACHINES)]
            made = outcome(plan, cost, machine, (35, kind_number, number))
            counted.setdefault((kind, name), Counter())[made] += 1
    names = sorted({made for counter in counted.values() for made in counter})
    table(
        ("revision", "machine", *names), [(*key, *(str(seen[name]) for name in names)) for key, seen in counted.items()]
    )
    red = sum(seen["exceeded"] for (kind, _), seen in counted.items() if kind == "equal")
    most = float(beta.ppf(LEVEL, red + 1, gates - red))
    said = f"{red} of {gates} equal ones red: at most {100 * most:.2f} of 100 at {LEVEL:.0%} confidence"
    target("false alarms", most, 0.01, said)


if __name__ == "__main__":
    main()
