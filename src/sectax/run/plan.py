"""Plan a request, and refuse it before anything starts if it cannot run."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from sectax.calibration.time_budget import refuse_before_start
from sectax.experiments.interface import Bench, Experiment, RunRequest
from sectax.experiments.planning import add_default_budget, require_comparison
from sectax.model.machine import Machine
from sectax.run.conditions import refuse_below_margin, settled

# The snapshot started programs for the first time, from a cold disk cache.
_COLD = 2.0


def planned_bench(experiment: Experiment, request: RunRequest, machine: Machine) -> Bench:
    """Plan a request for this machine, and open its bench; nothing is started.

    Raises:
        WrongUse: the request cannot be planned, or names files that cannot be used.
        NothingMeasured: the machine lacks what would be compared, or the budget cannot hold a verdict.
    """
    plan = experiment.plan(add_default_budget(experiment, request), machine)
    plan = replace(plan, stopping=replace(plan.stopping, conditions=settled(plan.stopping.conditions, plan)))
    refuse_below_margin(plan.stopping.conditions, plan.stopping.margin)
    bench = experiment.bench(plan)
    require_comparison(experiment, plan, machine)
    open_s = max(bench.min_open_s, machine.min_open_s / _COLD)
    refuse_before_start(plan, open_s, may_idle=bench.may_idle)
    return bench


def default_path(name: str) -> Path:
    """An unused file name in the current folder, with the present time."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = Path(f"sectax-{name}-{stamp}.sectax")
    return path if not path.exists() else Path(f"sectax-{name}-{stamp}-{os.getpid()}.sectax")
