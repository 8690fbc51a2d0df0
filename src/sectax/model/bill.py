"""What a run would use of services that are paid for, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from sectax.model.errors import WrongUse

_BILLING_MS = 1  # Lambda bills whole ones, rounded up


@dataclass(frozen=True)
class Usage:
    """So much of one thing that has a price: `item` is its name in the price list (`lambda.requests`)."""

    item: str
    amount: float


def processor_hours(operations: float, seconds: float, *_: object) -> tuple[Usage, ...]:
    """What operations of so many seconds of CPU time each use of a rented processor."""
    return (Usage("vcpu.hours", operations * seconds / 3600),)


def one_way(uses: Callable[..., tuple[Usage, ...]]) -> Callable[..., dict[str, tuple[Usage, ...]]]:
    """What uses nothing else however it is set up."""
    return lambda *given: {"": uses(*given)}


@dataclass(frozen=True)
class Charge:
    """One line of a bill: what it is, how much of it, in which unit, and what that costs."""

    words: str
    amount: float
    unit: str
    cost: float


@dataclass(frozen=True)
class Bill:
    """An estimate before tax and free allowances.

    Attributes:
        day: of the prices, as YYYY-MM-DD. source: where they come from. place: where they hold.
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
    """The seconds that Lambda bills for a duration: whole milliseconds, rounded up, and at least one.

    Args:
        duration_s: seconds, known to the nanosecond at best: what is a whole millisecond but for its binary image is
            not billed as one more.
    Source: https://aws.amazon.com/lambda/pricing/, "rounded up to the nearest 1 ms".
    """
    return max(1, math.ceil(round(duration_s * 1e3 / _BILLING_MS, 6))) * _BILLING_MS / 1e3


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that has a price: `price` in the list's currency for `per` of the unit."""

    words: str
    unit: str
    price: float
    per: float


class PriceList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices of one day in one place; `items` by their names."""

    day: str
    place: str
    currency: str
    source: str
    items: dict[str, Item]

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
            hint = f"add it to the file, or take one of: {', '.join(self.items)}"
            raise WrongUse(f"the price list of {self.day} has no price for {', '.join(missing)}", hint)
        charges = []
        for name, amount in amounts.items():
            item = self.items[name]
            charges.append(Charge(item.words, amount, item.unit, amount / item.per * item.price))
        return Bill(tuple(charges), self.currency, self.day, self.source, self.place)
