"""From what was asked of an experiment, and the design that it answers with, to the plan of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from sectax.design.matrix import Levels, Rules, build
from sectax.model.plan import Plan, Procedure, Stopping


@dataclass(frozen=True)
class RunRequest:
    """What the user asked of an experiment.

    Attributes:
        preset: `default`, `quick` or `published`.
        levels: factor -> the levels asked for; a factor that is not here keeps the preset's levels.
        stopping: margin, blocks, budget.
        seed: of the order.
        options: the experiment's own options, every one with all its values.
        secrets: what was left out of them; it comes among the inputs of the bench, and into no plan.
    """

    preset: str
    levels: Mapping[str, tuple[str, ...]]
    stopping: Stopping
    seed: int
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class Design(Procedure):
    """An experiment's answer to a request: the procedure, and what a plan is made of besides.

    Attributes:
        baseline: the level of the control that its other levels are compared with; by the levels of a cell, where cells
            differ in it.
        rules: what is known of combinations of levels.
        stopping: when the run ends, where an option of the experiment's own says it; None for the request's rules.
        options: what the plan keeps of the options, enough to open the bench again; None for those of the request.
    """

    baseline: str | Callable[[Levels], str]
    rules: Rules = field(default_factory=Rules)
    stopping: Stopping | None = None
    options: Mapping[str, tuple[str, ...]] | None = None


def make_plan(experiment: str, question: str, design: Design, request: RunRequest) -> Plan:
    """Cross the factors of the design, and put the rules of the request beside them.

    Args:
        experiment: its name; question: what it asks, in a sentence.
    Raises:
        WrongUse: the levels that were asked for leave the baseline out.
        ValueError: the design's metrics cannot answer anything (see `matrix.build`).
    """
    stopping = design.stopping or request.stopping
    # Levels that somebody chose are the question.
    primary = {name: levels for name, levels in design.rules.primary.items() if name not in request.levels}
    matrix = build(
        design.factors,
        design.control,
        design.baseline,
        design.metrics,
        stopping,
        replace(design.rules, primary=primary),
    )
    return Plan(
        experiment=experiment,
        preset=request.preset,
        question=question,
        stopping=stopping,
        seed=request.seed,
        options=dict(request.options if design.options is None else design.options),
        **vars(matrix),
        **{field.name: getattr(design, field.name) for field in fields(Procedure)},
    )
