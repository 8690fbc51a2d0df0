"""Plans of requests that are written as they are typed, for a machine that has everything."""

from __future__ import annotations

from collections.abc import Callable

from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from tests.machines import Words, plan_of

ON_AWS = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}


def planner(experiment: str, of: Words | None = None) -> Callable[..., Plan]:
    """What plans this experiment, with these options: `plan("quick", size="1KB,2KB")`."""

    def plan(preset: str = "default", options: Words | None = None, **levels: str) -> Plan:
        asked = {name: tuple(text.split(",")) for name, text in levels.items()}
        return plan_of(experiment, preset, asked, {**(of or {}), **(options or {})})

    return plan


def primary(plan: Plan, factor: str) -> set[str]:
    """The levels of a factor that have primary comparisons."""
    names = {comparison.treatment for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY}
    return {plan.treatment(name).levels[factor] for name in names}
