"""Advice from a run: the decision, and the rows of its experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sectax.advice.decide import decide
from sectax.advice.throttled import throttled
from sectax.model.advice import NO_WORKLOAD, Advice, AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.errors import WrongUse


def advice(
    analysed: Analysed,
    rules: AdviceRules,
    prices: PriceList,
    workload: UserWorkload = NO_WORKLOAD,
    rows: Sequence[AdviceRow] = (),
) -> Advice:
    """Join the decision with *rows*; `WrongUse` for options that do not apply."""
    measured, choice = analysed.measured, rules.choice
    by_calls = choice is not None and choice.by_calls
    if (workload.calls or workload.ttl_s) and not by_calls:
        raise WrongUse(f"{measured.plan.experiment} caches nothing between calls", "leave out --calls and --ttl")
    if (workload.rate_s or workload.counts) and (choice is None or choice.uses is None):
        raise WrongUse(f"{measured.plan.experiment} has no price for an operation", "leave out --rate")
    if workload.counts and not (choice and workload.counts.keys() <= choice.usual.keys()):
        raise WrongUse(f"{measured.plan.experiment} does not sign or verify", "leave out --sign and --verify")
    if workload.counts and choice:
        operations = {cell.levels.get(choice.mixed) for cell in measured.plan.cells}
        for operation, count in workload.counts.items():
            if count and operation not in operations:
                raise WrongUse(f"this run did not measure {operation!r}", f"leave out --{operation}, or measure it too")
    decision = decide(analysed, rules, prices, workload.counts, workload.rate_s)
    if decision is not None and by_calls and (workload.rate_s or workload.calls or workload.ttl_s):
        decision = replace(decision, outlays=())  # the rows answer instead
    return Advice(analysed, decision, (*rows, *throttled(measured)))
