"""Usage of paid services, and its cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from sectax.model.errors import WrongUse

_BILLING_MS = 1  # Lambda's billing unit


@dataclass(frozen=True)
class Usage:
    """An amount of one item of the price list (such as `lambda.requests`)."""

    item: str
    amount: float


def processor_hours(operations: float, seconds: float, *_: object) -> tuple[Usage, ...]:
    """The usage of a rented processor by operations of *seconds* CPU time each."""
    return (Usage("vcpu.hours", operations * seconds / 3600),)


def one_way(uses: Callable[..., tuple[Usage, ...]]) -> Callable[..., dict[str, tuple[Usage, ...]]]:
    """Wrap usages that do not depend on a setup, under the empty name."""
    return lambda *given: {"": uses(*given)}


@dataclass(frozen=True)
class Charge:
    """One line of a bill."""

    words: str
    amount: float
    unit: str
    cost: float


@dataclass(frozen=True)
class Bill:
    """An estimate before tax and free allowances.

    Attributes:
        day: date of the prices, YYYY-MM-DD.
        source: where the prices come from.
        place: region of the prices.
    """

    charges: tuple[Charge, ...]
    currency: str
    day: str
    source: str
    place: str

    @property
    def total(self) -> float:
        return sum(charge.cost for charge in self.charges)


def billed_s(duration_s: float) -> float:
    """The seconds that Lambda bills: rounded up to whole milliseconds, at least one.

    Source: https://aws.amazon.com/lambda/pricing/, "rounded up to the nearest 1 ms".
    """
    # Rounded to nanoseconds first, so that floating point does not add a millisecond.
    return max(1, math.ceil(round(duration_s * 1e3 / _BILLING_MS, 6))) * _BILLING_MS / 1e3


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A priced item: `price` in the list's currency for `per` units."""

    words: str
    unit: str
    price: float
    per: float


class Quota(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requests per second that a service accepts from an account in a region."""

    per_s: float
    elsewhere: str = ""


class PriceList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices of one day in one region, by item."""

    day: str
    place: str
    currency: str
    source: str
    items: dict[str, Item]

    def bill(self, usages: Iterable[Usage]) -> Bill:
        """The cost of usages, one line per item.

        Raises:
            WrongUse: the price list lacks an item.
        """
        amounts: dict[str, float] = {}
        for usage in usages:
            amounts[usage.item] = amounts.get(usage.item, 0.0) + usage.amount
        missing = sorted(amounts.keys() - self.items.keys())
        if missing:
            hint = f"add it to the file, or use one of: {', '.join(self.items)}"
            raise WrongUse(f"the price list of {self.day} has no price for {', '.join(missing)}", hint)
        charges = []
        for name, amount in amounts.items():
            item = self.items[name]
            charges.append(Charge(item.words, amount, item.unit, amount / item.per * item.price))
        return Bill(tuple(charges), self.currency, self.day, self.source, self.place)
