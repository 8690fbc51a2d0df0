"""The JSON document of advice, in seconds and bytes; each bill names its currency."""

from __future__ import annotations

from typing import Annotated

from sectax.reports.json.findings import Estimate
from sectax.reports.json.parts import Levels, Object, WithMissing, doc, null

_NO_ENDS = "an input has no interval"


class Row(WithMissing, frozen=True):
    """One figure of the experiment's own advice."""

    group: Annotated[str, doc("The title of its table.")]
    levels: Levels
    name: Annotated[str, doc("What the figure is; empty if the title says it.")]
    value: Annotated[Estimate | None, null("undecided or unknown")]
    sentence: Annotated[str, doc("An explanation; may be empty.")]


class Prices(Object, frozen=True):
    """The price list."""

    day: str
    place: str
    source: str


_Total = Annotated[float, doc(at="bill.total")]
_Currency = Annotated[str, doc(at="bill.currency")]
_Prices = Annotated[Prices, doc(at="bill")]


class Between(WithMissing, frozen=True):
    """A figure with the range that the intervals of its inputs allow."""

    point: Annotated[float | None, null("undecided")]
    low: Annotated[float | None, null(_NO_ENDS)]
    high: Annotated[float | None, null(_NO_ENDS)]


class Turn(Object, frozen=True):
    """The point at which another level becomes the cheapest."""

    then: str
    at: Annotated[Between, doc("Number of the second operation per first operation.")]


class Cheapest(Object, frozen=True):
    """The cheapest level of the control at the levels of all other factors."""

    levels: Levels
    level: str
    turns: tuple[Turn, ...]
    tied: Annotated[tuple[str, ...], doc("Levels whose cost is not distinguishable from it.")]


class Outlay(WithMissing, frozen=True):
    """The price of a million operations with one level of the control."""

    levels: Levels
    level: str
    way: Annotated[str | None, null("there is only one", "The setup of the service.", when="")]
    total: _Total
    least: Annotated[float, doc("The total at the lower end of the billed interval.")]
    most: Annotated[float, doc("The total at its upper end.")]
    months: Annotated[float, doc("Millions of operations per month at the rate.")]
    currency: _Currency
    prices: _Prices


class Surprise(WithMissing, frozen=True):
    """A treatment that does more than its baseline but costs less."""

    comparison: Annotated[str, doc(at="finding.comparison.id")]
    cause: Annotated[str | None, null("the record does not show why", when="")]


class Decision(Object, frozen=True):
    """What to do."""

    cheapest: Annotated[tuple[Cheapest, ...], doc("The cheapest levels, if the levels are alternatives.")]
    at_mix: Annotated[tuple[Cheapest, ...], doc("The same for the given mix; empty without one.")]
    outlays: tuple[Outlay, ...]
    surprises: tuple[Surprise, ...]
    mix: Annotated[dict[str, float], doc("Relative number of each operation; empty for a single operation.")]
    rate_s: Annotated[float, doc("Operations per second.")]


class Advice(WithMissing, frozen=True, tag_field="schema", tag="sectax/advice/2"):
    """What to do after a run, and the experiment's own figures."""

    run: Annotated[str, doc(at="run_id")]
    decision: Annotated[Decision | None, null("there is nothing to decide")]
    rows: tuple[Row, ...]
