"""The document of advice. Seconds and bytes; money in the currency that each bill names."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from sectax.model import advice as model
from sectax.reports.json.findings import Estimate, estimate
from sectax.reports.json.parts import NOT_ASKED, Levels, Missing, Object, OfTreatment, WithGaps, fill, known
from sectax.reports.words.claims import of_kind


class Part(Object, frozen=True):
    """One part of an operation."""

    words: str
    seconds: Estimate
    share: Estimate


class Anatomy(OfTreatment, frozen=True):
    """Where the time of a treatment goes."""

    parts: tuple[Part, ...]


class Missed(Object, frozen=True):
    """A size that a fitted line misses."""

    level: str
    times: Annotated[Estimate, Meta(description="What it takes, as a ratio to what the line says.")]


class Growth(WithGaps, frozen=True):
    """An operation, or one of its steps, as fixed seconds and seconds for every byte."""

    levels: Levels
    step: str | None
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Annotated[Estimate | None, Meta(description="What of it the baseline does not take.")]
    missed: Annotated[
        tuple[Missed, ...],
        Meta(description="Sizes that surely take other than the line says; with one of them it is no law."),
    ]


class EventSize(Object, frozen=True):
    """How large the event of a size is."""

    level: str
    bytes: int
    times: Annotated[float, Meta(description="Times the payload.")]


class Throttled(OfTreatment, frozen=True):
    """How many periods of its quota a treatment ran out of."""

    throttled_periods: int
    periods: int


class Prices(Object, frozen=True):
    """The price list."""

    day: str
    place: str
    source: str


class Bill(OfTreatment, frozen=True):
    """What a number of requests costs."""

    memory_mb: int
    billed_s: float
    requests: int
    total: float
    least: Annotated[float, Meta(description="At the lower end of the interval of what is billed.")]
    most: Annotated[float, Meta(description="At its upper end.")]
    currency: str
    prices: Prices


class Place(Object, frozen=True):
    """How much more than its baseline a treatment takes of one thing."""

    words: str
    more: Estimate


class Placed(OfTreatment, frozen=True):
    """Where the cost of a treatment sits."""

    parts: tuple[Place, ...]


class Charge(Object, frozen=True):
    """One line of a bill."""

    words: str
    amount: float
    unit: str
    cost: float


class Requested(WithGaps, frozen=True):
    """What a million operations cost that are paid by the request."""

    cell: str
    treatment: str
    way: Annotated[str | None, Meta(description="How the service is set up.")]
    operations: int
    charges: tuple[Charge, ...]
    total: float
    currency: str
    prices: Prices
    limited_s: Annotated[
        float | None, Meta(description="Requests per second, at the measured rate, that a quota limits.")
    ]
    quota_s: float | None


class Unknown(Object, frozen=True):
    """A memory size of which it cannot be said."""

    memory_mb: int
    estimate: Estimate
    failed_blocks: int


class Found(WithGaps, frozen=True):
    """The smallest memory under the limit at one combination of the other levels."""

    levels: Levels
    memory_mb: int | None
    unknown: tuple[Unknown, ...]


class Smallest(WithGaps, frozen=True):
    """The limit that was asked for, and the answers."""

    under_s: float | None
    statistic: str | None
    found: tuple[Found, ...]


class Kind(Object, frozen=True):
    """What a treatment makes of one kind of work."""

    words: str
    comparisons: Annotated[tuple[str, ...], Meta(description="Ids of the findings that tell it.")]
    answer: str


class Profile(Object, frozen=True):
    """What a treatment makes of every kind of work that was measured."""

    levels: Levels
    kinds: tuple[Kind, ...]


class Mixed(WithGaps, frozen=True):
    """What a treatment makes of the mix that was asked for: its time over the baseline's."""

    levels: Levels
    ratio: Estimate | None


class Pooled(Object, frozen=True):
    """What all pairs say together of one level; `count` of the ratio counts pairs."""

    levels: Levels
    words: str
    ratio: Estimate


class Rented(Object, frozen=True):
    """What the work of one hour on the baseline's machine costs on a treatment's."""

    levels: Levels
    baseline: float
    total: float
    least: Annotated[float, Meta(description="At the lower end of the interval of the mix.")]
    most: Annotated[float, Meta(description="At its upper end.")]
    currency: str
    prices: Prices


class Starving(WithGaps, frozen=True):
    """One operation at a small and at the largest memory, at the levels of all other factors."""

    levels: Levels
    small: int
    large: int
    at_small: Estimate
    at_large: Estimate
    improvement: Annotated[float, Meta(description="Seconds from the small to the large one.")]
    held_small: Annotated[float | None, Meta(description="Share of the quota's periods in which it ran out.")]
    held_large: float | None
    starved: Annotated[bool, Meta(description="Whether it takes longer because the quota runs out.")]


class Between(WithGaps, frozen=True):
    """A figure with the ends that the intervals of what it is made of allow."""

    point: float
    low: float | None
    high: float | None


class AtRate(Object, frozen=True):
    """What a treatment takes of an invocation at a rate of calls."""

    levels: Levels
    calls: Annotated[int, Meta(description="In each invocation.")]
    ttl_s: float
    invocations_per_s: Annotated[float, Meta(description="Of one instance.")]
    seconds: Between
    money: Annotated[Between, Meta(description="For a million invocations.")]
    currency: str


class BreakEven(WithGaps, frozen=True):
    """From how many calls per invocation on it is faster, or cheaper, to keep what was fetched."""

    levels: Levels
    against: str
    anew: Annotated[float, Meta(description="Share of invocations that find the TTL over.")]
    faster: Between | None
    cheaper: Between | None


class Advice(Object, frozen=True, tag_field="schema", tag="sectax/advice/1"):
    """What a run says to whoever must decide."""

    run: str
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    events: tuple[EventSize, ...]
    held: tuple[Throttled, ...]
    lacking: Annotated[tuple[str, ...], Meta(description="Metrics that were asked for and that no treatment has.")]
    bills: tuple[Bill, ...]
    smallest: Smallest
    profiles: tuple[Profile, ...]
    mix: Annotated[dict[str, float], Meta(description="Kind of work -> its share; empty where nobody asked.")]
    mixes: tuple[Mixed, ...]
    pooled: tuple[Pooled, ...]
    rents: tuple[Rented, ...]
    starving: tuple[Starving, ...]
    rates: tuple[AtRate, ...]
    break_evens: tuple[BreakEven, ...]
    places: tuple[Placed, ...]
    requested: tuple[Requested, ...]


def structure(result: model.Advice) -> Advice:
    """The document of advice."""
    asked = {name: known(result.limit and getattr(result.limit, name), NOT_ASKED) for name in ("under_s", "statistic")}
    return fill(
        Advice,
        result,
        run=result.run_id,
        anatomies=tuple(fill(Anatomy, each, parts=tuple(map(_part, each.parts))) for each in result.anatomies),
        growths=tuple(map(_growth, result.growths)),
        events=tuple(fill(EventSize, each, bytes=each.event_bytes) for each in result.event_sizes),
        held=tuple(fill(Throttled, each) for each in result.throttled),
        bills=tuple(map(_bill, result.priced)),
        smallest=fill(Smallest, found=tuple(map(_found, result.smallest)), **asked),
        profiles=tuple(
            fill(Profile, levels=dict(each.levels), kinds=tuple(map(_kind, each.kinds))) for each in result.profiles
        ),
        mix=dict(result.mix),
        mixes=tuple(map(_mixed, result.mixes)),
        pooled=tuple(
            fill(Pooled, each, levels=dict(each.levels), ratio=estimate(each.ratio)) for each in result.pooled
        ),
        rents=tuple(map(_rented, result.rents)),
        starving=tuple(map(_starving, result.starving)),
        rates=tuple(map(_at_rate, result.rates.at)) if result.rates else (),
        break_evens=tuple(map(_break_even, result.rates.break_evens)) if result.rates else (),
        places=tuple(
            fill(Placed, each, parts=tuple(Place(words, estimate(more)) for words, more in each.parts))
            for each in result.placed
        ),
        requested=tuple(map(_requested, result.requested)),
    )


def _kind(kind: model.Kind) -> Kind:
    return Kind(kind.words, tuple(each.comparison.id for each in kind.findings), of_kind(kind))


def _mixed(mixed: model.Mixed) -> Mixed:
    ratio = Missing(mixed.missing) if mixed.ratio is None else estimate(mixed.ratio)
    return fill(Mixed, levels=dict(mixed.levels), ratio=ratio)


def _rented(rented: model.Rented) -> Rented:
    bill = rented.bill
    return fill(
        Rented,
        rented,
        levels=dict(rented.levels),
        baseline=rented.baseline.total,
        total=bill.total,
        currency=bill.currency,
        prices=fill(Prices, bill),
    )


def _requested(requested: model.Requested) -> Requested:
    bill = requested.bill
    return fill(
        Requested,
        requested,
        way=known(requested.way or None, "there is only one"),
        operations=1_000_000,
        charges=tuple(fill(Charge, each) for each in bill.charges),
        total=bill.total,
        currency=bill.currency,
        prices=fill(Prices, bill),
        limited_s=known(requested.limited_s, "it asks no service with a quota"),
        quota_s=known(requested.quota_s, "it asks no service with a quota"),
    )


def _part(part: model.Part) -> Part:
    return Part(part.words, estimate(part.seconds), estimate(part.share))


def _growth(growth: model.Growth) -> Growth:
    extra = growth.extra_per_byte
    why = "it is the baseline, a stage or a step, or there are fewer than three sizes"
    return fill(
        Growth,
        levels=dict(growth.levels),
        step=known(growth.step or None, "it is the whole operation"),
        fixed=estimate(growth.fixed),
        per_byte=estimate(growth.per_byte),
        extra_per_byte=Missing(why) if extra is None else estimate(extra),
        missed=tuple(Missed(size, estimate(ratio)) for size, ratio in growth.missed),
    )


def _bill(priced: model.Priced) -> Bill:
    bill = priced.bill
    return fill(Bill, priced, requests=1_000_000, total=bill.total, currency=bill.currency, prices=fill(Prices, bill))


def _starving(each: model.Starving) -> Starving:
    held = {name: known(getattr(each, name), "the service does not report it") for name in ("held_small", "held_large")}
    return fill(
        Starving,
        levels=dict(each.levels),
        small=each.small,
        large=each.large,
        at_small=estimate(each.at_small),
        at_large=estimate(each.at_large),
        improvement=each.improvement,
        starved=each.is_starved,
        **held,
    )


def _between(given: model.Between) -> Between:
    ends = {end: known(getattr(given, end), "one of the figures behind it has no interval") for end in ("low", "high")}
    return fill(Between, point=given.point, **ends)


def _at_rate(each: model.AtRate) -> AtRate:
    return AtRate(
        dict(each.levels),
        each.rate.calls,
        each.rate.ttl_s,
        each.rate.per_s,
        _between(each.seconds),
        _between(each.money),
        each.currency,
    )


def _break_even(each: model.BreakEven) -> BreakEven:
    def calls(found: model.Between | None) -> Between | Missing:
        return Missing("it never is") if found is None else _between(found)

    return fill(
        BreakEven,
        levels=dict(each.levels),
        against=each.against,
        anew=each.anew,
        faster=calls(each.faster),
        cheaper=calls(each.cheaper),
    )


def _found(found: model.Smallest) -> Found:
    return fill(
        Found,
        levels=dict(found.levels),
        memory_mb=known(found.memory_mb, "none that was measured, as far as it is known"),
        unknown=tuple(
            Unknown(memory_mb, estimate(seen.estimate), seen.failed_blocks) for memory_mb, seen in found.unknown.items()
        ),
    )
