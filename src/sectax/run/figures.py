"""The figures of each treatment of a run: metrics, exact counts and the bill."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.model.advice import MILLION
from sectax.model.analysed import Analysed
from sectax.model.condition import BILL, Span
from sectax.model.finding import TreatmentResult
from sectax.model.treatment import MEASURED
from sectax.prices import load
from sectax.reports.reasons import no_interval
from sectax.run.advice import experiment_rules

# Suffix of the witness with the largest of several differing counts.
_MOST = "_most"
# Suffix of the witness that gives the reason why a count is missing.
_MISSING = "_missing"
# Suffix of the witness that names another program that counted instead.
_BY = "_counted_by"


def figures(analysed: Analysed) -> dict[str, dict[str, Span | str]]:
    """Figures with an interval by treatment and name, or why one is unknown."""
    by_treatment: dict[str, dict[str, Span | str]] = {}
    for result in analysed.treatments:
        if result.role in MEASURED:
            witnesses = analysed.measured.witnesses.get(result.treatment, {})
            reasons = {
                name.removesuffix(_MISSING): str(why[-1]) for name, why in witnesses.items() if name.endswith(_MISSING)
            }
            by_treatment[result.treatment] = {
                **reasons,
                **witness_counts(witnesses),
                **_measured(result),
                **_bill(analysed, result),
            }
    return by_treatment


def _measured(result: TreatmentResult) -> dict[str, Span | str]:
    return {
        name: no_interval(estimate)
        if estimate.low is None or estimate.high is None
        else Span(estimate.low, estimate.high, estimate.unit)
        for name, estimate in result.estimates.items()
    }


def witness_counts(witnesses: Mapping[str, tuple[object, ...]]) -> dict[str, Span]:
    """Witnesses that are whole numbers, from the smallest to the largest of any block."""
    counts = {
        name: [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        for name, values in witnesses.items()
    }
    return {
        name: Span(
            min(values),
            max([*values, *counts.get(f"{name}{_MOST}", ())]),
            "",
            ", ".join(map(str, witnesses.get(f"{name}{_BY}", ()))),
        )
        for name, values in counts.items()
        if values and len(values) == len(witnesses[name])
    }


def _bill(analysed: Analysed, result: TreatmentResult) -> dict[str, Span | str]:
    """The cost of a million operations in the dearest setup; empty without prices."""
    rules = experiment_rules(analysed)
    choice = rules.choice
    if choice is None or choice.uses is None:
        return {}
    billed = result.estimates.get(choice.billed or rules.metric)
    if choice.timed and (billed is None or billed.low is None or billed.high is None):
        return {BILL: "what is billed was not measured" if billed is None else no_interval(billed)}
    if choice.timed and billed is not None and billed.unit != "s":
        return {}
    prices = load()
    ends = (billed.low, billed.high) if choice.timed and billed is not None else (0.0, 0.0)
    low, high = (
        max(prices.bill(usage).total for usage in choice.uses(MILLION, seconds or 0.0, result).values())
        for seconds in ends
    )
    return {BILL: Span(low, high, prices.currency)}
