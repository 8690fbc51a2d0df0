"""What a million operations cost that are paid by the request, and which quota they meet."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.advice.results import results
from sectax.model import advice as model
from sectax.model.advice_rules import Requests
from sectax.model.analysed import Analysed
from sectax.model.price_list import PriceList


def requested(
    analysed: Analysed, metric: str, rule: Requests, prices: PriceList, rate_s: float | None
) -> Iterator[model.Requested]:
    for result in results(analysed, metric):
        cell, rate = analysed.measured.plan.treatment(result.treatment).cell, rate_s or rule.rate(result)
        for way, usages in rule.uses(model.MILLION, result.levels).items():
            limited = sum(usage.amount for usage in usages if usage.item == rule.limited) / model.MILLION
            yield model.Requested(
                cell,
                result.treatment,
                way,
                prices.bill(usages),
                limited_s=limited * rate if rate and limited else None,
                quota_s=prices.quotas[rule.limited].per_s if limited and rule.limited in prices.quotas else None,
            )
