"""How much of a service's quota the calls of an operation take."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import MILLION, QuotaUse
from sectax.model.advice_rules import Requests
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.treatment import MEASURED


def quota_uses(
    analysed: Analysed, metric: str, rule: Requests, prices: PriceList, rate_s: float | None
) -> Iterator[QuotaUse]:
    """Of every treatment that asks a service with a quota, at the rate asked for or else at the measured one."""
    quota = prices.quotas.get(rule.limited)
    for result in analysed.treatments:
        if result.role not in MEASURED or metric not in result.estimates:
            continue
        rate = rate_s or rule.rate(result)
        for way, usages in rule.uses(MILLION, result.levels).items():
            limited = sum(usage.amount for usage in usages if usage.item == rule.limited) / MILLION
            if quota is not None and rate and limited:
                cell = analysed.measured.plan.treatment(result.treatment).cell
                yield QuotaUse(cell, result.treatment, way, limited * rate, quota.per_s)
