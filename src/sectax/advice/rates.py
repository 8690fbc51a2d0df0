"""Which way is fastest and cheapest at a rate of calls.

An invocation of N calls takes a treatment that keeps what it has m·fetching + (N - m)·again, where m is the share of
invocations that find the TTL over; one that keeps nothing takes N·again. Both are straight lines in N.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sectax.model.advice import MILLION, AtRate, Between, Rate, RateAdvice
from sectax.model.advice_rules import ByRate
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.finding import Estimate, TreatmentResult, alike

_CALLS = (1, 10, 100)
_TTLS_S = (60.0, 300.0, 3600.0)
_PER_S = 1.0


@dataclass(frozen=True)
class AskedRate:
    """What somebody says of their own rate; None where they do not. As in `Rate`."""

    calls: int | None = None
    ttl_s: float | None = None
    per_s: float | None = None


NOT_ASKED = AskedRate()


@dataclass(frozen=True)
class _Way:
    """A treatment in both situations: seconds of a call as its (point, low, high), and calls of the service.

    `fetching` is None for one that keeps nothing.
    """

    levels: Mapping[str, str]
    result: TreatmentResult
    again: tuple[Estimate, int]
    fetching: tuple[Estimate, int] | None
    instead: bool

    def seconds(self, rate: Rate, end: str) -> float | None:
        again = _end(self.again[0], end)
        if self.fetching is None or again is None:
            return None if again is None else rate.calls * again
        fetching = _end(self.fetching[0], end)
        return None if fetching is None else rate.expired * fetching + (rate.calls - rate.expired) * again

    def asks(self, rate: Rate) -> float:
        """Calls of the service in an invocation."""
        if self.fetching is None:
            return rate.calls * self.again[1]
        return rate.expired * self.fetching[1] + (rate.calls - rate.expired) * self.again[1]


def rate_advice(analysed: Analysed, metric: str, rule: ByRate, prices: PriceList, asked: AskedRate) -> RateAdvice:
    """All that a run says of rates.

    Raises:
        WrongUse: the price list lacks an item.
    """
    ways = list(_ways(analysed, metric, rule))
    complete = [way for way in ways if isinstance(way, _Way)]
    rates = [
        Rate(calls, ttl_s, asked.per_s or _PER_S)
        for ttl_s in ((asked.ttl_s,) if asked.ttl_s else _TTLS_S)
        for calls in ((asked.calls,) if asked.calls else _CALLS)
    ]
    return RateAdvice(
        at=tuple(_cost_at_rate(way, rate, rule, prices) for way in complete for rate in rates),
        instead=tuple(way.result.treatment for way in complete if way.instead),
        lacking=tuple(way for way in ways if isinstance(way, str)),
    )


def _ways(analysed: Analysed, metric: str, rule: ByRate) -> Iterator[_Way | str]:
    """Every treatment of which both situations are known in some way; the id of one that lacks a figure."""
    measured = (treatment for treatment in analysed.treatments if metric in treatment.estimates)
    for fixed_levels, by_situation in alike(measured, rule.factor).items():
        levels = dict(fixed_levels)
        requests = rule.asks(levels | {rule.factor: rule.again})
        again = by_situation.get(rule.again)
        fetching = next((by_situation[level] for level in rule.fetching if level in by_situation), None)
        if requests:  # it keeps nothing: its figure is the same in all situations
            either = again or fetching
            assert either is not None, "a group has a member"
            yield _Way(levels, either, (either.estimates[metric], requests), None, instead=False)
        elif again is None:
            yield next(iter(by_situation.values())).treatment
        else:
            fetched = fetching.estimates[metric] if fetching is not None else again.estimates.get(rule.first)
            if fetched is None:
                yield again.treatment
                continue
            situation = rule.fetching[-1] if fetching is None else fetching.levels[rule.factor]
            calls = rule.asks(levels | {rule.factor: situation})
            yield _Way(levels, again, (again.estimates[metric], 0), (fetched, calls), instead=fetching is None)


def _end(estimate: Estimate, end: str) -> float | None:
    value: float | None = getattr(estimate, end)
    # The interval of a plain mean may reach below zero, which no time does.
    return None if value is None else max(0.0, value)


def _cost_at_rate(way: _Way, rate: Rate, rule: ByRate, prices: PriceList) -> AtRate:
    ends = [way.seconds(rate, end) for end in ("point", "low", "high")]
    assert ends[0] is not None, "an estimate has a point"
    bills = [
        None if seconds is None else prices.bill(rule.uses(MILLION * seconds, MILLION * way.asks(rate), way.result))
        for seconds in ends
    ]
    assert bills[0] is not None, "as there are seconds"
    totals = [None if bill is None else bill.total for bill in bills]
    return AtRate(
        way.levels,
        rate,
        Between(ends[0], ends[1], ends[2]),
        Between(bills[0].total, totals[1], totals[2]),
        bills[0].currency,
    )
