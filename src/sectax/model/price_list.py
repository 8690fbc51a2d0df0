"""Prices of one day in one place, and what usages cost by them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from sectax.model.bill import Bill, Charge, Usage
from sectax.model.errors import WrongUse


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that has a price: `price` in the list's currency for `per` of the unit."""

    words: str
    unit: str
    price: float
    per: float


class Quota(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many requests a second a service takes from an account; what it is elsewhere, in words."""

    per_s: float
    elsewhere: str = ""


class PriceList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices of one day in one place; `items` by their names, and the `quotas` of some of them."""

    day: str
    place: str
    currency: str
    source: str
    items: dict[str, Item]
    quotas: dict[str, Quota] = {}

    def bill(self, usages: Iterable[Usage]) -> Bill:
        """What the usages cost; those of one item are one line.

        Raises:
            WrongUse: the price list lacks an item.
        """
        amounts: dict[str, float] = {}
        for usage in usages:
            amounts[usage.item] = amounts.get(usage.item, 0.0) + usage.amount
        missing = sorted(amounts.keys() - self.items.keys())
        if missing:
            known = f"add it to the file, or take one of: {', '.join(self.items)}"
            raise WrongUse(f"the price list of {self.day} has no price for {', '.join(missing)}", known)
        charges = []
        for name, amount in amounts.items():
            item = self.items[name]
            charges.append(Charge(item.words, amount, item.unit, amount / item.per * item.price))
        return Bill(tuple(charges), self.currency, self.day, self.source, self.place)
