"""The document of advice. Seconds and bytes; money in the currency that each bill names."""

from __future__ import annotations

from typing import Annotated

from sectax.reports.json.findings import Estimate
from sectax.reports.json.parts import Levels, Object, WithGaps, doc, null

_NO_ENDS = "one of the figures behind it has no interval"


class Row(WithGaps, frozen=True):
    """One figure of the experiment's own advice."""

    group: Annotated[str, doc("The title of its table.")]
    levels: Levels
    name: Annotated[str, doc("What the figure is; empty if the title says it.")]
    value: Annotated[Estimate | None, null("undecided, or not known")]
    sentence: Annotated[str, doc("What to make of it, for people; may be empty.")]


class Prices(Object, frozen=True):
    """The price list."""

    day: str
    place: str
    source: str


_Total = Annotated[float, doc(at="bill.total")]
_Currency = Annotated[str, doc(at="bill.currency")]
_Prices = Annotated[Prices, doc(at="bill")]


class Between(WithGaps, frozen=True):
    """A figure with the ends that the intervals of what it is made of allow."""

    point: Annotated[float | None, null("undecided")]
    low: Annotated[float | None, null(_NO_ENDS)]
    high: Annotated[float | None, null(_NO_ENDS)]


class Turn(Object, frozen=True):
    """Where another level becomes the cheapest."""

    then: str
    at: Annotated[Between, doc("So many of the second operation to one of the first.")]


class Cheapest(Object, frozen=True):
    """The cheapest level of the control at the levels of all other factors."""

    levels: Levels
    level: str
    turns: tuple[Turn, ...]
    tied: Annotated[tuple[str, ...], doc("Levels that cannot be told apart from it.")]


class Outlay(WithGaps, frozen=True):
    """What a million operations cost with one level of the control."""

    levels: Levels
    level: str
    way: Annotated[str | None, null("there is only one", "How the service is set up.", when="")]
    total: _Total
    least: Annotated[float, doc("At the lower end of the interval of what is billed.")]
    most: Annotated[float, doc("At its upper end.")]
    months: Annotated[float, doc("How many millions there are in a month at the rate.")]
    currency: _Currency
    prices: _Prices


class Surprise(WithGaps, frozen=True):
    """A treatment that does more than its baseline, and costs less."""

    comparison: Annotated[str, doc(at="finding.comparison.id")]
    cause: Annotated[str | None, null("nothing in the record shows why", when="")]


class Decision(Object, frozen=True):
    """What to do."""

    cheapest: Annotated[tuple[Cheapest, ...], doc("Where the levels are alternatives.")]
    at_mix: Annotated[tuple[Cheapest, ...], doc("The same at the mix that was asked for; empty without one.")]
    outlays: tuple[Outlay, ...]
    surprises: tuple[Surprise, ...]
    mix: Annotated[dict[str, float], doc("How many of each operation there are; empty where there is one.")]
    rate_s: Annotated[float, doc("Operations a second.")]


class Advice(WithGaps, frozen=True, tag_field="schema", tag="sectax/advice/2"):
    """What to do after a run, and the experiment's own figures."""

    run: Annotated[str, doc(at="run_id")]
    decision: Annotated[Decision | None, null("there is nothing to decide")]
    rows: tuple[Row, ...]
