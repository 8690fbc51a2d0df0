"""Refuses, before anything is done, a plan in which there is nothing to compare, and says why."""

from __future__ import annotations

from sectax.experiments.interface import Experiment
from sectax.model.errors import NothingMeasured, WrongUse
from sectax.model.plan import Plan
from sectax.model.treatment import CONTROLS
from sectax.toolchain import parts
from sectax.workflow.conditions import refuse_unknown_metrics


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
