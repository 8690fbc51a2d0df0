"""Which access is cheapest and which is fastest, at a rate of calls and a TTL.

With a cache, an invocation of N calls takes m·fetching + (N - m)·hit, where m is the share of invocations that find
the TTL expired. Without a cache it takes N times one access.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from sectax.experiments.secrets import levels as secrets
from sectax.model.advice import MILLION, AdviceRow, UserWorkload
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, Usage
from sectax.model.finding import Estimate, TreatmentResult, alike
from sectax.text import units

ACCESS, FIRST = "access", "first_access"  # metrics
_CALLS, _TTL_S, _PER_S = (1, 10, 100), 300.0, 1.0
_FIRST = "no miss was measured: the first access of an instance is used instead"

Uses = Callable[[float, float, TreatmentResult], tuple[Usage, ...]]


class _Access(NamedTuple):
    """An access at the other factors' levels, with its service calls.

    `fetching` is None without a cache.
    """

    result: TreatmentResult
    again: tuple[Estimate, int]
    fetching: tuple[Estimate, int] | None = None
    note: str = ""


class _Cost(NamedTuple):
    levels: Mapping[str, str]
    seconds: Estimate
    money: Estimate
    note: str


def rate_rows(analysed: Analysed, prices: PriceList, asked: UserWorkload, uses: Uses) -> Iterator[AdviceRow]:
    """Yield costs of a million invocations and times, best first.

    Args:
        uses: (seconds, calls to the service, treatment) -> usage.
    Raises:
        WrongUse: the price list lacks an item.
    """
    accesses = list(_accesses(analysed))
    for calls in (asked.calls,) if asked.calls else _CALLS:
        ttl_s, per_s = asked.ttl_s or _TTL_S, asked.rate_s or _PER_S
        expired = min(1.0, 1.0 / (per_s * ttl_s))
        costs = [_cost(access, calls, expired, prices, uses) for access in accesses]
        at = f"{units.count(calls, 'call')} per invocation, TTL {ttl_s:g} s, {units.count(per_s, 'invocation')}/s"
        figures: dict[str, Callable[[_Cost], Estimate]] = {
            f"Cheapest access for a million invocations: {at}": lambda cost: cost.money,
            f"Fastest access: {at}": lambda cost: cost.seconds,
        }
        for title, figure in figures.items():
            for cost, tied in _ranked(costs, figure):
                yield AdviceRow(title, cost.levels, "", figure(cost), "; ".join(filter(None, (tied, cost.note))))


def _accesses(analysed: Analysed) -> Iterator[_Access]:
    """Yield the accesses with figures for both situations."""
    measured = (result for result in analysed.treatments if ACCESS in result.estimates)
    for members in alike(measured, "situation").values():
        hit = members.get(secrets.HIT)
        fetching = members.get(secrets.REFRESH) or members.get(secrets.MISS)
        result = hit or fetching
        assert result is not None, "a group has a member"
        calls = secrets.ACCESS[result.levels["access"]].calls
        if calls[secrets.HIT]:
            yield _Access(result, (result.estimates[ACCESS], calls[secrets.HIT]))
        elif hit is not None and fetching is not None:
            fetched = (fetching.estimates[ACCESS], calls[fetching.levels["situation"]])
            yield _Access(hit, (hit.estimates[ACCESS], 0), fetched)
        elif hit is not None and FIRST in hit.estimates:
            yield _Access(hit, (hit.estimates[ACCESS], 0), (hit.estimates[FIRST], calls[secrets.MISS]), _FIRST)


def _cost(access: _Access, calls: int, expired: float, prices: PriceList, uses: Uses) -> _Cost:
    (again, asks), (fetching, asks_again) = access.again, access.fetching or access.again
    fetches = expired if access.fetching else 0.0
    requests = fetches * asks_again + (calls - fetches) * asks

    def seconds(first: float, then: float) -> float:
        # The interval of a mean may reach below zero; a time cannot.
        return fetches * max(0.0, first) + (calls - fetches) * max(0.0, then)

    def money(length: float) -> float:
        return prices.bill(uses(MILLION * length, MILLION * requests, access.result)).total

    def estimate(unit: str, convert: Callable[[float], float]) -> Estimate:
        ends = ((fetching.low, again.low), (fetching.high, again.high))
        low, high = (None if first is None or then is None else convert(seconds(first, then)) for first, then in ends)
        point = convert(seconds(fetching.point, again.point))
        return Estimate(point, low, high, again.level, again.method, again.count, unit)

    levels = {factor: level for factor, level in access.result.levels.items() if factor != "situation"}
    return _Cost(levels, estimate("s", lambda length: length), estimate(prices.currency, money), access.note)


def _ranked(costs: list[_Cost], figure: Callable[[_Cost], Estimate]) -> Iterator[tuple[_Cost, str]]:
    """Sort by the figure at the same levels, and note overlapping intervals."""
    groups: dict[tuple[str, ...], list[_Cost]] = defaultdict(list)
    for cost in costs:
        groups[tuple(level for factor, level in cost.levels.items() if factor != "access")].append(cost)
    for members in groups.values():
        first, *others = sorted(members, key=lambda cost: figure(cost).point)
        yield first, ""
        for other in others:
            high, low = figure(first).high, figure(other).low
            tied = high is None or low is None or low <= high
            yield other, "no clear difference from the first" if tied else ""
