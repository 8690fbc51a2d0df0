"""Advice from a run: the decision, and the rows of its experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sectax.advice.decide import decide
from sectax.advice.throttled import throttled
from sectax.model.advice import NOTHING, Advice, AdviceRow, Asked
from sectax.model.advice_rules import AdviceRules
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.errors import WrongUse


def advice(
    analysed: Analysed,
    rules: AdviceRules,
    prices: PriceList,
    asked: Asked = NOTHING,
    rows: Sequence[AdviceRow] = (),
) -> Advice:
    """Join the decision with the experiment's own *rows*.

    Raises:
        WrongUse: the run has no answer for what is asked, or a price is missing.
    """
    measured, choice = analysed.measured, rules.choice
    by_calls = choice is not None and choice.by_calls
    if (asked.calls or asked.ttl_s) and not by_calls:
        raise WrongUse(f"runs of {measured.plan.experiment} keep nothing between calls", "leave --calls and --ttl out")
    if (asked.rate_s or asked.counts) and (choice is None or choice.uses is None):
        raise WrongUse(f"runs of {measured.plan.experiment} have no price for an operation", "leave --rate out")
    if asked.counts and not (choice and asked.counts.keys() <= choice.usual.keys()):
        raise WrongUse(f"runs of {measured.plan.experiment} do not sign or verify", "leave --sign and --verify out")
    if asked.counts and choice:
        operations = {cell.levels.get(choice.mixed) for cell in measured.plan.cells}
        for operation, count in asked.counts.items():
            if count and operation not in operations:
                raise WrongUse(f"this run did not measure {operation!r}", f"leave --{operation} out, or measure it too")
    decision = decide(analysed, rules, prices, asked.counts, asked.rate_s)
    if decision is not None and by_calls and (asked.rate_s or asked.calls or asked.ttl_s):
        decision = replace(decision, outlays=())  # the rows answer instead
    return Advice(analysed, decision, (*rows, *throttled(measured)))
