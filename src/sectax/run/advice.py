"""From a run file to advice, by the rules of its experiment and by prices."""

from __future__ import annotations

from pathlib import Path

from sectax.advice.advise import NOTHING, Asked, advice, all_anatomies
from sectax.advice.decide import decide
from sectax.advice.rates import AskedRate
from sectax.experiments import registry
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.errors import SectaxError
from sectax.prices import load
from sectax.run.analyse import analyse_file

__all__ = ["Asked", "AskedRate", "advise", "breakdown"]


def advise(run_file: Path, asked: Asked = NOTHING, prices: Path | None = None) -> model.Advice:
    """What a run says to whoever must decide.

    Args:
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment knows no such statistic or no rates, or a price is missing.
    """
    price_list = load(prices)
    analysed = analyse_file(run_file)
    return advice(analysed, experiment_rules(analysed), price_list, asked)


def decided(analysed: Analysed) -> model.Decision | None:
    """What to do after any run; None where there is nothing to decide."""
    return decide(analysed, experiment_rules(analysed), load())


def experiment_rules(analysed: Analysed) -> AdviceRules:
    """Those of the run's experiment; where that is not here, what holds for any."""
    plan = analysed.measured.plan
    try:
        return registry.load(plan.experiment).advice_rules(plan)
    except SectaxError:
        return AdviceRules(plan.metrics[0].name, Choice())


def breakdown(analysed: Analysed) -> model.Breakdown | None:
    """Where the time of any run goes, by the rules of its experiment; None where its first metric is no time."""
    plan, rules = analysed.measured.plan, experiment_rules(analysed)
    in_seconds = {metric.name for metric in plan.metrics if metric.unit == "s"}
    if rules.metric not in in_seconds:
        return None
    return model.Breakdown(rules.metric, tuple(all_anatomies(analysed.measured, rules)))
