"""The document of a dry run."""

from __future__ import annotations

from typing import Annotated

from sectax.model import bill as model
from sectax.reports.json.parts import Object, said


class Bill(Object, frozen=True):
    """An estimate before tax and free allowances."""

    charges: tuple[model.Charge, ...]
    currency: str
    day: Annotated[str, said("Of the prices, as YYYY-MM-DD.")]
    source: str
    place: str
    total: float


class DryRun(Object, frozen=True, tag_field="schema", tag="sectax/dry-run/1"):
    """What a run would do and what it would cost."""

    plan: Annotated[tuple[str, ...], said("In words, a line each.")]
    bill: Annotated[Bill | None, said("Null where nothing has a price.")]
    assumes: Annotated[str, said("What the bill supposes.")]
