"""From what was asked of an experiment, and the design that it answers with, to the plan of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sectax.design.matrix import Rules, build
from sectax.model.metric import Metric
from sectax.model.plan import Contents, Plan, Stopping
from sectax.model.treatment import Factor


@dataclass(frozen=True)
class Request:
    """What the user asked of an experiment.

    Attributes:
        preset: `default`, `quick` or `published`.
        levels: factor -> the levels asked for; a factor that is not here keeps the preset's levels.
        stopping: margin, blocks, budget.
        seed: of the order.
        options: the experiment's own options, every one with all its values.
        simultaneous: put all comparisons under one error level.
    """

    preset: str
    levels: Mapping[str, tuple[str, ...]]
    stopping: Stopping
    seed: int
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    simultaneous: bool = False


@dataclass(frozen=True)
class Design:
    """An experiment's answer to a request: what varies, what is measured, and how one may speak of it.

    Attributes:
        factors: with the levels of this run; the control's among them.
        control: name of the factor whose levels are compared with its level `baseline`.
        metrics: the first is the primary one, and compared.
        transfers: what of the result holds elsewhere, in a sentence.
        rules: what is known of combinations of levels.
        batch_s: seconds that a batch should last.
        rounds_range: the fewest and the most rounds of a block.
        stopping: when the run ends, where an option of the experiment's own says it; None for the request's rules.
        options: what the plan keeps of the options, enough to open the bench again; None for those of the request.

    All others are as in `Plan`.
    """

    factors: tuple[Factor, ...]
    control: str
    baseline: str
    metrics: tuple[Metric, ...]
    transfers: str
    batch_s: float
    rules: Rules = field(default_factory=Rules)
    rounds_range: tuple[int, int] = (4, 32)
    warms_up: bool = True
    settles: bool = True
    equal_counts: bool = False
    one_processor: bool = False
    choices: tuple[str, ...] = ()
    stopping: Stopping | None = None
    options: Mapping[str, tuple[str, ...]] | None = None
    equal_witnesses: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    contents: Contents | None = None
    answered_by: str = ""
    beside: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def make_plan(experiment: str, question: str, design: Design, request: Request) -> Plan:
    """Cross the factors of the design, and put the rules of the request beside them.

    Args:
        experiment: its name; question: what it asks, in a sentence.
    Raises:
        WrongUse: the levels that were asked for leave the baseline out.
        ValueError: the design's metrics cannot answer anything (see `matrix.build`).
    """
    stopping = design.stopping or request.stopping
    matrix = build(
        design.factors,
        design.control,
        design.baseline,
        design.metrics,
        stopping,
        design.rules,
        simultaneous=request.simultaneous,
    )
    return Plan(
        experiment=experiment,
        preset=request.preset,
        question=question,
        transfers=design.transfers,
        control=design.control,
        factors=design.factors,
        metrics=design.metrics,
        cells=matrix.cells,
        treatments=matrix.treatments,
        comparisons=matrix.comparisons,
        skipped=matrix.skipped,
        stopping=stopping,
        seed=request.seed,
        batch_s=design.batch_s,
        rounds_range=design.rounds_range,
        warms_up=design.warms_up,
        settles=design.settles,
        equal_counts=design.equal_counts,
        one_processor=design.one_processor,
        choices=design.choices,
        options=dict(request.options if design.options is None else design.options),
        equal_witnesses=design.equal_witnesses,
        words=dict(design.words),
        contents=design.contents,
        answered_by=design.answered_by,
        beside=design.beside,
        hosts=design.hosts,
    )
