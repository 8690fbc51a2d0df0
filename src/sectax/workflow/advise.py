"""From a run file to advice, by the rules of its experiment and by prices."""

from __future__ import annotations

from pathlib import Path

from sectax.advice.advise import NOTHING, Asked, advice
from sectax.advice.advise import breakdown as breakdown_by
from sectax.advice.rates import AskedRate
from sectax.experiments import registry
from sectax.experiments.interface import SupportsAdvice
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules
from sectax.model.analysed import Analysed
from sectax.model.errors import SectaxError, WrongUse
from sectax.prices import load
from sectax.workflow.analyse import analyse_file

__all__ = ["Asked", "AskedRate", "advise", "breakdown"]


def advise(run_file: Path, asked: Asked = NOTHING, prices: Path | None = None) -> model.Advice:
    """What a run says to whoever must decide.

    Args:
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment has no advice to give, knows no such statistic or no rates, or a price is missing.
    """
    price_list = load(prices)
    analysed = analyse_file(run_file)
    plan = analysed.measured.plan
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, SupportsAdvice):
        raise WrongUse(f"there is no advice for runs of {plan.experiment} yet", "sectax show prints what it found")
    rules = experiment.advice_rules(plan)
    return advice(analysed, rules, price_list, asked)


def breakdown(analysed: Analysed) -> model.Breakdown | None:
    """Where the time of any run goes, by the rules of its experiment; None where its first metric is no time.

    An experiment that gives no advice has at most sizes, which its plan knows.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    rules = AdviceRules(plan.metrics[0].name)
    try:
        experiment: object = registry.load(plan.experiment)
    except SectaxError:  # the run is from elsewhere, and its experiment is not here
        experiment = None
    if isinstance(experiment, SupportsAdvice):
        rules = experiment.advice_rules(plan)
    elif plan.metrics[0].unit != "s":
        return None
    return breakdown_by(measured, rules)
