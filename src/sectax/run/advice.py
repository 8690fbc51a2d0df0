"""Make advice of a run, from its experiment's rules and a price list."""

from __future__ import annotations

from pathlib import Path

from sectax.advice.advise import advice
from sectax.advice.decide import decide
from sectax.experiments import registry
from sectax.model import advice as model
from sectax.model.advice import NO_WORKLOAD, AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.errors import SectaxError
from sectax.prices import load
from sectax.run.analyse import analyse_file

__all__ = ["UserWorkload", "advise", "experiment_rows"]


def advise(run_file: Path, asked: UserWorkload = NO_WORKLOAD, prices: Path | None = None) -> model.Advice:
    """Make the advice of a run.

    Args:
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment has no rates, or a price is missing.
    """
    price_list = load(prices)
    analysed = analyse_file(run_file)
    return advice(analysed, experiment_rules(analysed), price_list, asked, experiment_rows(analysed, asked, price_list))


def decided(analysed: Analysed) -> model.Decision | None:
    """The decision after a run; None if there is nothing to decide."""
    return decide(analysed, experiment_rules(analysed), load())


def experiment_rules(analysed: Analysed) -> AdviceRules:
    """The advice rules of the run's experiment; general ones if it is not installed."""
    plan = analysed.measured.plan
    try:
        return registry.load(plan.experiment).advice_rules(plan)
    except SectaxError:
        return AdviceRules(plan.metrics[0].name, Choice())


def experiment_rows(
    analysed: Analysed, asked: UserWorkload = NO_WORKLOAD, prices: PriceList | None = None
) -> tuple[AdviceRow, ...]:
    """The rows of the run's experiment; none if it is not installed here."""
    try:
        experiment = registry.load(analysed.measured.plan.experiment)
    except SectaxError:
        return ()
    return tuple(experiment.advice_rows(analysed, prices or load(), asked))
