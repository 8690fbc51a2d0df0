"""Requirements of all plans: a budget, and a comparison."""

from __future__ import annotations

from dataclasses import replace

from sectax.experiments.interface import Billable, Experiment, RunRequest
from sectax.model.errors import NothingMeasured, WrongUse
from sectax.model.machine import Machine
from sectax.model.plan import DEFAULT_MAX_BLOCKS, Plan
from sectax.model.treatment import CONTROLS
from sectax.parts.programs import Missing

# Without --budget. Users wait for a quick run and come back to a default one.
_BUDGETS_S = {"quick": 60.0}
_BUDGET_S = 120.0


def add_default_budget(experiment: Experiment, request: RunRequest) -> RunRequest:
    """Add the preset's budget to a request with neither blocks nor a budget."""
    stopping = request.stopping
    is_billed = isinstance(experiment, Billable) and experiment.is_billed(request.options)
    if is_billed and stopping.fixed_blocks is None and stopping.max_blocks is None:
        # The announced bill needs an upper bound of the blocks.
        stopping = replace(stopping, max_blocks=DEFAULT_MAX_BLOCKS)
    if stopping.budget_s is None and stopping.fixed_blocks is None and request.stopping.max_blocks is None:
        stopping = replace(stopping, budget_s=default_budget_s(experiment, request.preset), extends=True)
    return replace(request, stopping=stopping)


def default_budget_s(experiment: Experiment, preset: str) -> float:
    """Return the budget in seconds of a preset if the user gives none."""
    return (_BUDGETS_S | dict(experiment.budgets_s)).get(preset, _BUDGET_S)


def require_comparison(experiment: Experiment, plan: Plan, machine: Machine) -> None:
    """Require a comparison other than the run's own controls.

    Args:
        machine: the machine of the plan.
    Raises:
        WrongUse: the requested levels leave nothing to compare.
        NothingMeasured: this machine lacks every requested treatment.
    """
    if any(comparison.standing not in CONTROLS for comparison in plan.comparisons):
        return
    levels = next((factor.levels for factor in plan.factors if factor.name == plan.control), ())
    available = next((factor.levels for factor in experiment.factors if factor.name == plan.control), ())
    hint = (
        f"add another level, as in --level {plan.control}={','.join(available[:2])}; available: {', '.join(available)}"
    )
    if len(levels) == 1:
        raise WrongUse(f"nothing to compare: {levels[0]} is the only level of {plan.control}", hint)
    reasons = sorted(
        {f"{why.reason} ({why.hint})" if why.hint else why.reason for why in (skip.why_not for skip in plan.skipped)}
    )
    lacks = [*machine.parts.values(), *(probe.lack for probe in machine.probes.values())]
    makable = {lack.reason for lack in lacks if isinstance(lack, Missing) and (lack.makable or lack.apt)}
    can_set_up = makable & {skip.reason for skip in plan.skipped}
    raise NothingMeasured(
        "nothing can be measured here: " + "; ".join(reasons), f"sectax setup {plan.experiment}" if can_set_up else ""
    )
