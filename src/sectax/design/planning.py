"""From a user's request and the experiment's design to the plan of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from sectax.design.matrix import Levels, Rules, build
from sectax.model.plan import Plan, Procedure, Stopping


@dataclass(frozen=True)
class RunRequest:
    """A user's request to an experiment.

    Attributes:
        preset: `default`, `quick` or `published`.
        levels: factor -> the requested levels; other factors keep the preset's levels.
        stopping: margin, blocks, budget.
        seed: seed of the order.
        options: the experiment's own options, every one with all its values.
        secrets: options left out of them; they are inputs of the bench, and in no plan.
    """

    preset: str
    levels: Mapping[str, tuple[str, ...]]
    stopping: Stopping
    seed: int
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class Design(Procedure):
    """An experiment's answer to a request: the procedure, and what else a plan needs.

    Attributes:
        baseline: level of the control with which its others are compared; by the levels of a cell, where cells differ.
        rules: rules for combinations of levels.
        stopping: when the run ends, where an option of the experiment decides it; None for the request's rules.
        options: options kept in the plan, enough to open the bench again; None for those of the request.
    """

    baseline: str | Callable[[Levels], str]
    rules: Rules = field(default_factory=Rules)
    stopping: Stopping | None = None
    options: Mapping[str, tuple[str, ...]] | None = None


def make_plan(experiment: str, question: str, design: Design, request: RunRequest) -> Plan:
    """Cross the factors of the design, and apply the stopping rules of the request.

    Args:
        experiment: its name.
        question: its question, in a sentence.
    Raises:
        WrongUse: the requested levels leave the baseline out.
        ValueError: the design's metrics cannot answer anything (see `matrix.build`).
    """
    stopping = design.stopping or request.stopping
    # Levels that the user chose are the question.
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
