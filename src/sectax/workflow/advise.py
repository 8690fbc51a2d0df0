"""From a run to advice: where the time goes, how it grows with the size, and what a million requests cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from sectax.analysis.anatomy import anatomies
from sectax.analysis.growth import growths
from sectax.experiments import registry
from sectax.experiments.interface import Advises
from sectax.model.advice import Advice, AdviceRules, Priced, Smallest
from sectax.model.analysed import Analysed
from sectax.model.bill import Usage
from sectax.model.errors import WrongUse
from sectax.model.finding import TreatmentResult
from sectax.model.treatment import Role
from sectax.prices.billing import bill
from sectax.prices.price_list import PriceList, load
from sectax.reports import advice as rendering
from sectax.workflow.analyse import analyse_file

_REQUESTS = 1_000_000
_BILLING_S = 0.001  # Lambda bills whole milliseconds, rounded up
_BILLING_MB = 1024  # the GB of a GB-second
_X86 = "x86_64"


def advise(run_file: Path, *, under_s: float | None = None, prices: Path | None = None) -> Advice:
    """What a run says to whoever must decide.

    Args:
        under_s: asks for the smallest memory that keeps the metric below it.
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment has no advice to give, or a price is missing.
    """
    analysed = analyse_file(run_file)
    plan = analysed.measured.plan
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, Advises):
        raise WrongUse(f"there is no advice for runs of {plan.experiment} yet", "sectax show prints what it found")
    rules = experiment.advice_rules(plan)
    return advice(analysed, rules, load(prices), under_s)


def advice(analysed: Analysed, rules: AdviceRules, prices: PriceList, under_s: float | None = None) -> Advice:
    """The same of a run that was read and judged already."""
    measured = analysed.measured
    return Advice(
        run_id=measured.run_id,
        plan=measured.plan,
        anatomies=tuple(anatomies(measured, rules)),
        growths=tuple(growths(measured, rules)),
        priced=tuple(_priced(analysed, rules, prices)),
        under_s=under_s,
        smallest=() if under_s is None else tuple(_smallest(analysed, rules, under_s)),
    )


def as_text(given: Advice, *, width: int) -> str:
    """For a terminal."""
    return rendering.text(given, width=width)


def as_document(given: Advice) -> str:
    """As one JSON document, described in docs/json.md."""
    return rendering.document(given).decode()


def _results(analysed: Analysed, metric: str) -> Iterator[TreatmentResult]:
    roles = {Role.BASELINE.value, Role.TREATMENT.value}
    return (each for each in analysed.treatments if each.role in roles and metric in each.estimates)


def _priced(analysed: Analysed, rules: AdviceRules, prices: PriceList) -> Iterator[Priced]:
    for result in _results(analysed, rules.billed):
        memory_mb = int(result.levels[rules.memory_factor])
        billed_s = _billed(result.estimates[rules.billed].point)
        architecture = result.witnesses.get("architecture", _X86)
        usages = (
            Usage("lambda.requests", _REQUESTS),
            Usage(f"lambda.{architecture}", _REQUESTS * billed_s * memory_mb / _BILLING_MB),
        )
        cell = analysed.measured.plan.treatment(result.treatment).cell
        yield Priced(cell, result.treatment, memory_mb, billed_s, bill(usages, prices))


def _billed(duration_s: float) -> float:
    # What is whole milliseconds but for its binary image is not billed as one more.
    return math.ceil(round(duration_s / _BILLING_S, 6)) * _BILLING_S


def _smallest(analysed: Analysed, rules: AdviceRules, under_s: float) -> Iterator[Smallest]:
    """The whole interval must lie below the limit; where there is none, nothing is promised."""
    fits: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for result in _results(analysed, rules.metric):
        others = tuple((name, level) for name, level in result.levels.items() if name != rules.memory_factor)
        high = result.estimates[rules.metric].high
        sizes = fits.setdefault(others, [])
        if high is not None and high < under_s:
            sizes.append(int(result.levels[rules.memory_factor]))
    for others, sizes in fits.items():
        yield Smallest(dict(others), min(sizes, default=None))
