"""The document of advice. Seconds and bytes; money in the currency that each bill names."""

from __future__ import annotations

from typing import Annotated

from sectax.model import advice as model
from sectax.reports.json.findings import Estimate
from sectax.reports.json.parts import Levels, Object, OfTreatment, WithGaps, doc, null

_NO_ENDS = "one of the figures behind it has no interval"


class AnatomyPart(Object, frozen=True):
    """One part of an operation."""

    words: str
    seconds: Estimate
    share: Estimate


class Anatomy(OfTreatment, frozen=True):
    """Where the time of a treatment goes."""

    parts: tuple[AnatomyPart, ...]


class Missed(Object, frozen=True):
    """A size that a fitted line misses."""

    level: str
    times: Annotated[Estimate, doc("What it takes, as a ratio to what the line says.")]


class Growth(WithGaps, frozen=True):
    """An operation, or one of its steps, as fixed seconds and seconds for every byte."""

    levels: Levels
    step: Annotated[str | None, null("it is the whole operation", when="")]
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Annotated[
        Estimate | None,
        null(
            "it is the baseline, a stage or a step, or there are fewer than three sizes",
            "What of it the baseline does not take.",
        ),
    ]
    missed: Annotated[
        tuple[Missed, ...],
        doc("Sizes that surely take other than the line says; with one of them it is no law."),
    ]


class Prices(Object, frozen=True):
    """The price list."""

    day: str
    place: str
    source: str


_Total = Annotated[float, doc(at="bill.total")]
_Currency = Annotated[str, doc(at="bill.currency")]
_Prices = Annotated[Prices, doc(at="bill")]


class Place(WithGaps, frozen=True):
    """How much more than its baseline a treatment takes of one thing."""

    words: str
    more: Annotated[Estimate | None, null("undecided")]


class Placed(OfTreatment, frozen=True):
    """Where the cost of a treatment sits; no parts where all that was found of it is withdrawn."""

    parts: tuple[Place, ...]


class Worth(OfTreatment, frozen=True):
    """How many of another level of a factor, as requests over a kept connection, are as long as one of a treatment."""

    times: Estimate


class Pooled(Object, frozen=True):
    """What all pairs say together of one level; `count` of the ratio counts pairs."""

    levels: Levels
    words: str
    ratio: Estimate


class Between(WithGaps, frozen=True):
    """A figure with the ends that the intervals of what it is made of allow."""

    point: Annotated[float | None, null("undecided")]
    low: Annotated[float | None, null(_NO_ENDS)]
    high: Annotated[float | None, null(_NO_ENDS)]


class AtRate(Object, frozen=True):
    """What a treatment takes of an invocation at a rate of calls."""

    levels: Levels
    calls: Annotated[int, doc("In each invocation.", at="rate.calls")]
    ttl_s: Annotated[float, doc(at="rate.ttl_s")]
    invocations_per_s: Annotated[float, doc("Of one instance.", at="rate.per_s")]
    seconds: Between
    money: Annotated[Between, doc("For a million invocations.")]
    currency: str


class QuotaUse(WithGaps, frozen=True):
    """How much of a service's quota a treatment takes."""

    cell: str
    treatment: str
    way: Annotated[str | None, null("there is only one", "How the service is set up.", when="")]
    limited_s: Annotated[float, doc("Requests per second, at the rate asked for or else measured.")]
    quota_s: float


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


class Connection(OfTreatment, frozen=True):
    """What a new connection of a treatment costs."""

    new: Annotated[Estimate, doc("Seconds until its first answer begins.")]
    requests: Annotated[
        Estimate | None, null("none were sent beside", "So many requests over an open connection take as long.")
    ]
    client_cpu: Annotated[Estimate, doc("Seconds of CPU time of the client.")]
    server_cpu: Annotated[Estimate, doc("Seconds of CPU time of the server.")]
    sent: Annotated[Estimate | None, null("nothing is sent to set it up", "Bytes until it is set up.")]
    received: Annotated[Estimate | None, null("nothing comes to set it up", "Bytes until it is set up.")]


class Decision(Object, frozen=True):
    """What to do."""

    cheapest: Annotated[tuple[Cheapest, ...], doc("Where the levels are alternatives.")]
    at_mix: Annotated[tuple[Cheapest, ...], doc("The same at the mix that was asked for; empty without one.")]
    outlays: tuple[Outlay, ...]
    surprises: tuple[Surprise, ...]
    mix: Annotated[dict[str, float], doc("How many of each operation there are; empty where there is one.")]
    rate_s: Annotated[float, doc("Operations a second.")]
    connections: Annotated[tuple[Connection, ...], doc("Empty where none are set up.")]


class Advice(WithGaps, frozen=True, tag_field="schema", tag="sectax/advice/1"):
    """What a run says to whoever must decide."""

    run: Annotated[str, doc(at="run_id")]
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    held: Annotated[tuple[model.Throttled, ...], doc(at="throttled")]
    pooled: tuple[Pooled, ...]
    rates: Annotated[tuple[AtRate, ...], doc(at="rates.at")]
    places: Annotated[tuple[Placed, ...], doc(at="placed")]
    worths: tuple[Worth, ...]
    quotas: tuple[QuotaUse, ...]
    decision: Annotated[Decision | None, null("there is nothing to decide")]
