"""Dated prices, those that come with sectax or the user's own, and the bill that they make of usages.

It knows no experiment: usages come in by the names of their items.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import msgspec

from sectax.model.bill import Bill, Charge, Usage
from sectax.model.errors import WrongUse

_BUILT_IN = "us-east-1.toml"


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


def load(path: Path | None = None) -> PriceList:
    """The price list at *path*, or the built-in one.

    Raises:
        WrongUse: it cannot be read, or is not a price list.
    """
    if path is None:
        return _read((files("sectax.prices") / _BUILT_IN).read_text(encoding="utf-8"))
    try:
        return _read(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"--prices {path} cannot be read: {error.strerror}", "name a file with prices") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"{path} is not a price list: {error}", "src/sectax/prices/us-east-1.toml is one") from error


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


def _read(text: str) -> PriceList:
    prices = msgspec.convert(tomllib.loads(text), PriceList)
    for name, item in prices.items.items():
        if not (math.isfinite(item.price) and item.price >= 0 and math.isfinite(item.per) and item.per > 0):
            raise msgspec.ValidationError(f"the price of {name} is {item.price} for {item.per}")
    for name, quota in prices.quotas.items():
        if not (math.isfinite(quota.per_s) and quota.per_s > 0):
            raise msgspec.ValidationError(f"the quota of {name} is {quota.per_s} a second")
    return prices
