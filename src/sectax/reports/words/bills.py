"""An estimated bill in words."""

from __future__ import annotations

from sectax.model.bill import Bill
from sectax.model.printable import printable


def bill(given: Bill) -> list[str]:
    """One line for each charge, then the total and where the prices come from."""
    lines = [
        f"{printable(each.words)}: {each.amount:,.0f} {printable(each.unit)}, {_money(each.cost, given.currency)}"
        for each in given.charges
    ]
    total = f"estimated bill: about {_money(given.total, given.currency)}, before tax and free allowances"
    return [*lines, total, f"prices of {printable(given.day)} for {printable(given.place)}: {printable(given.source)}"]


def _money(amount: float, currency: str) -> str:
    return f"{amount:,.2f} {currency}" if amount >= 1 or amount == 0 else f"{amount:.2g} {currency}"
