"""From usages to a bill."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.model.bill import Bill, Charge, Usage
from sectax.model.errors import WrongUse
from sectax.prices.price_list import PriceList


def bill(usages: Iterable[Usage], prices: PriceList) -> Bill:
    """What the usages cost; those of one item are one line.

    Raises:
        WrongUse: the price list lacks an item.
    """
    amounts: dict[str, float] = {}
    for usage in usages:
        amounts[usage.item] = amounts.get(usage.item, 0.0) + usage.amount
    missing = sorted(amounts.keys() - prices.items.keys())
    if missing:
        raise WrongUse(f"the price list of {prices.day} has no price for {', '.join(missing)}", "add it to the file")
    charges = []
    for name, amount in amounts.items():
        item = prices.items[name]
        charges.append(Charge(item.words, amount, item.unit, amount / item.per * item.price))
    return Bill(tuple(charges), prices.currency, prices.day, prices.source, prices.place)
