"""Dated price lists, built in or the user's own, by item name."""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from sectax.formats import toml_text
from sectax.formats.bad_input import BadInput
from sectax.model.bill import PriceList
from sectax.model.errors import WrongUse

_BUILT_IN = "us-east-1.toml"


def load(path: Path | None = None) -> PriceList:
    """Load the price list at *path*, or the built-in one.

    Raises:
        WrongUse: it cannot be read, or is not a price list.
    """
    if path is None:
        return _price_list(toml_text.parse((files("sectax.prices") / _BUILT_IN).read_text(encoding="utf-8")))
    try:
        return _price_list(toml_text.read(path))
    except OSError as error:
        raise WrongUse(f"--prices {path} cannot be read: {error.strerror}", "name a file with prices") from error
    except (BadInput, msgspec.ValidationError) as error:
        example = files("sectax.prices") / _BUILT_IN
        raise WrongUse(f"{path} is not a price list: {error}", f"{example} is one") from error


def _price_list(document: dict[str, Any]) -> PriceList:
    prices = msgspec.convert(document, PriceList)
    for name, item in prices.items.items():
        if not (math.isfinite(item.price) and item.price >= 0 and math.isfinite(item.per) and item.per > 0):
            raise msgspec.ValidationError(f"the price of {name} is {item.price} for {item.per}")
    return prices
