"""What a run would use of services that are paid for, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """So much of one thing that has a price: `item` is its name in the price list (`lambda.requests`)."""

    item: str
    amount: float


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
