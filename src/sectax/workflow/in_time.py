"""A run planned: its budget, the block after which it ends at the latest, and that there is something to compare."""

from __future__ import annotations

import math
from dataclasses import replace

from sectax.engines.pilot import PROCESSES
from sectax.experiments.interface import Bench, Billable, Experiment, HasBudgets, Request
from sectax.model.errors import NothingMeasured, WrongUse
from sectax.model.plan import DEFAULT_MAX_BLOCKS, ENOUGH_BLOCKS, FIRST_LOOK, Calibrated, Plan
from sectax.model.treatment import CONTROLS
from sectax.toolchain import parts
from sectax.workflow.conditions import refuse_unknown_metrics

# What a run may take where nobody said: a first look is waited for, a thorough one is come back to.
_BUDGETS_S = {"quick": 60.0}
_BUDGET_S = 120.0
# What a bound leaves out (warm-up, rounds beyond the fewest) is about as much again.
_ROOM = 2.0
# The more looks are planned the wider is every interval, though little: by 7 % from 40 to 600.
MOST_LOOKS = 600


def with_budget(experiment: Experiment, request: Request) -> Request:
    """The request with the default budget of its preset, where it says neither blocks nor a budget."""
    stopping = request.stopping
    is_billed = isinstance(experiment, Billable) and experiment.is_billed(request.options)
    if is_billed and stopping.fixed_blocks is None and stopping.max_blocks is None:
        # The bill that is announced counts them.
        stopping = replace(stopping, max_blocks=DEFAULT_MAX_BLOCKS)
    if stopping.budget_s is None and stopping.fixed_blocks is None and request.stopping.max_blocks is None:
        stopping = replace(stopping, budget_s=default_budget_s(experiment, request.preset), extends=True)
    return replace(request, stopping=stopping)


def default_budget_s(experiment: Experiment, preset: str) -> float:
    """Seconds that a run of a preset may take where the user says nothing of it."""
    budgets_s = _BUDGETS_S | dict(experiment.budgets_s) if isinstance(experiment, HasBudgets) else _BUDGETS_S
    return budgets_s.get(preset, _BUDGET_S)


def least_block_s(plan: Plan, open_s: float = 0.0, *, may_idle: bool = False) -> float:
    """Seconds that a block takes at least: every treatment is opened and visited in the fewest rounds.

    Args:
        open_s: of the fastest opening.
        may_idle: as of a bench.
    """
    # A batch of whole operations comes to within a half of what is aimed at; equal counts go by the slowest alone.
    batch_s = 0.0 if plan.equal_counts or may_idle else plan.batch_s / 2
    return len(plan.treatments) * (open_s + plan.rounds_range[0] * batch_s)


def refuse_before_start(bench: Bench) -> None:
    """Refuse a budget that is too short for a verdict, as far as that is known before anything is started. As below."""
    pilot_s = PROCESSES * len(bench.plan.treatments) * bench.least_open_s
    refuse_too_small(bench.plan, pilot_s, least_block_s(bench.plan, bench.least_open_s, may_idle=bench.may_idle))


def refuse_too_small(plan: Plan, pilot_s: float, block_s: float) -> None:
    """Refuse a budget that was asked for and cannot hold the pilot and the blocks of a first verdict.

    Args:
        pilot_s, block_s: what they take at least, as far as is known by now.
    Raises:
        NothingMeasured: with a budget that can.
    """
    stopping = plan.stopping
    if stopping.budget_s is None or stopping.extends or stopping.fixed_blocks is not None:
        return
    needed_s = pilot_s + FIRST_LOOK * block_s
    if needed_s <= stopping.budget_s:
        return
    raise NothingMeasured(
        f"a budget of {stopping.budget_s:g} s is too short for a verdict: {len(plan.treatments)} treatments need at "
        f"least {math.ceil(needed_s)} s for the pilot and the {FIRST_LOOK} blocks of a first verdict",
        f"leave --budget out, or give at least --budget {math.ceil(needed_s * _ROOM)}s, fewer levels (--level) or a "
        "smaller preset (--quick)",
    )


def with_last_look(
    plan: Plan, calibrated: Calibrated, block_s: float, elapsed_s: float, once_s: float = 0.0
) -> Calibrated:
    """The calibration with the last look, decided before the first block: as many blocks as fit into the budget.

    Args:
        block_s: seconds of a block where nothing disturbs it; a disturbed run ends before its last look. Whether a
            first verdict fits is judged by the pace that the pilot saw.
        elapsed_s: seconds of the budget that are spent.
        once_s: seconds that go into cells that one block alone measures.
    Raises:
        NothingMeasured: a budget that was asked for does not hold the blocks of a first verdict.
    """
    stopping = plan.stopping
    if stopping.fixed_blocks is not None or stopping.budget_s is None:
        return calibrated
    left_s = stopping.budget_s - elapsed_s - once_s
    fitting = int(left_s / block_s) if block_s > 0 else MOST_LOOKS
    if stopping.extends:
        fitting = max(fitting, ENOUGH_BLOCKS)
    elif left_s < FIRST_LOOK * block_s * calibrated.pace:
        once = f", what is measured once takes {once_s:.0f} s" if once_s else ""
        least_s = math.ceil(elapsed_s + once_s + FIRST_LOOK * block_s * calibrated.pace)
        raise NothingMeasured(
            f"a budget of {stopping.budget_s:g} s is too short for a verdict: the pilot took {elapsed_s:.0f} s{once}, "
            f"and the first verdict needs {FIRST_LOOK} blocks of {block_s * calibrated.pace:.1f} s",
            f"give at least --budget {least_s}s, fewer levels (--level) or a smaller preset (--quick)",
        )
    return replace(calibrated, last_look=min(fitting, stopping.max_blocks or MOST_LOOKS))


def refuse_nothing_to_compare(experiment: Experiment, plan: Plan) -> None:
    """Look for a comparison that answers the question; those of the run with itself do not.

    Raises:
        WrongUse: the levels that were asked for leave nothing to compare, or a condition names no metric of the plan.
        NothingMeasured: this machine lacks what would be compared.
    """
    refuse_unknown_metrics(plan.stopping.conditions, plan.metrics)
    if any(comparison.standing not in CONTROLS for comparison in plan.comparisons):
        return
    levels = next((factor.levels for factor in plan.factors if factor.name == plan.control), ())
    known = next((factor.levels for factor in experiment.factors if factor.name == plan.control), ())
    others = f"add another level, as in --level {plan.control}={','.join(known[:2])}; there are: {', '.join(known)}"
    if len(levels) == 1:
        raise WrongUse(f"nothing is left to compare: {levels[0]} is the only level of {plan.control}", others)
    reasons = sorted(
        {f"{why.reason} ({why.hint})" if why.hint else why.reason for why in (skip.why_not for skip in plan.skipped)}
    )
    lacks = [parts.load(requirement).missing() for requirement in experiment.requirements()]
    can_set_up = {lack.reason for lack in lacks if lack is not None} & {skip.reason for skip in plan.skipped}
    raise NothingMeasured(
        "nothing can be measured here: " + "; ".join(reasons), f"sectax setup {plan.experiment}" if can_set_up else ""
    )
