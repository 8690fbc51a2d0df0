"""From a user's request and the experiment's design to the plan of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from sectax.design.matrix import BaselineLeftOut, Levels, Rules, build
from sectax.model.errors import WrongUse
from sectax.model.plan import Plan, Procedure, Stopping

# The name under which a plan keeps a baseline that was asked for.
BASELINE_OPTION = "baseline"


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
        baseline: level of the control to compare the others with; empty for the experiment's own.
    """

    preset: str
    levels: Mapping[str, tuple[str, ...]]
    stopping: Stopping
    seed: int
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    baseline: str = ""


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


def _baseline(design: Design, wanted: str) -> str | Callable[[Levels], str]:
    """The baseline of each cell: the one that was asked for, where a cell can have it."""
    if not wanted:
        return design.baseline
    control = next(factor for factor in design.factors if factor.name == design.control)
    if wanted not in control.levels:
        hint = f"there are {', '.join(control.levels)}; --level {control.name}=… adds others"
        raise WrongUse(f"--baseline {wanted} is not a level of {control.name} in this run", hint)

    def of_cell(levels: Levels) -> str:
        if design.rules.exists(levels | {control.name: wanted}):
            return wanted
        return design.baseline if isinstance(design.baseline, str) else design.baseline(levels)

    return of_cell


def make_plan(experiment: str, question: str, design: Design, request: RunRequest) -> Plan:
    """Cross the factors of the design, and apply the stopping rules of the request.

    Args:
        experiment: its name.
        question: its question, in a sentence.
    Raises:
        WrongUse: the requested levels leave the baseline out, or have no such baseline.
        ValueError: the design's metrics cannot answer anything (see `matrix.build`).
    """
    stopping = design.stopping or request.stopping
    # Levels that the user chose are the question.
    primary = {name: levels for name, levels in design.rules.primary.items() if name not in request.levels}
    rules = replace(design.rules, primary=primary)
    baseline = _baseline(design, request.baseline)
    try:
        matrix = build(design.factors, design.control, baseline, design.metrics, stopping, rules)
    except BaselineLeftOut as error:
        if BASELINE_OPTION in request.options:  # of the experiment itself, which is no level
            raise
        levels = next(factor.levels for factor in design.factors if factor.name == design.control)
        raise WrongUse(error.message, f"{error.hint}; or compare with another: --baseline {levels[0]}") from error
    return Plan(
        experiment=experiment,
        preset=request.preset,
        question=question,
        stopping=stopping,
        seed=request.seed,
        options=dict(request.options if design.options is None else design.options)
        | ({BASELINE_OPTION: (request.baseline,)} if request.baseline else {}),
        **vars(matrix),
        **{field.name: getattr(design, field.name) for field in fields(Procedure)},
    )
