"""What advice says of rates of calls: which way is fastest, and which cheapest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sectax.model.advice import Advice, AtRate, Between, Rate, RateAdvice
from sectax.model.plan import Plan
from sectax.reports.document import Block, Table, grid, lines
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

_NOT_TOLD_APART = " (the next, {},cannot be told apart from it)"


def rates(advice: Advice) -> Iterator[Block]:
    """The answers at every rate, and a table of what a million invocations cost."""
    rule, advised = advice.rules.by_rate, advice.rates
    if rule is None or not advised.at:
        return
    plan = advice.plan
    groups: dict[tuple[tuple[str, str], ...], list[AtRate]] = {}
    for member in advised.at:
        fixed_levels = tuple((name, level) for name, level in member.levels.items() if name != plan.control)
        groups.setdefault(fixed_levels, []).append(member)
    for fixed_levels, members in groups.items():
        where = _place_words(advice, dict(fixed_levels))
        yield from lines(_answers(plan, where, members), long=True)
        yield _table(plan, where, members)
    yield from lines(_assumes(advice, advised), long=True)


def _answers(plan: Plan, where: str, members: list[AtRate]) -> Iterator[str]:
    ttls = sorted({member.rate.ttl_s for member in members})
    usual = ttls[len(ttls) // 2]  # the middle one of the table
    for rate in dict.fromkeys(member.rate for member in members if member.rate.ttl_s == usual):
        here = [member for member in members if member.rate == rate]
        fastest = _least(plan, here, lambda member: member.seconds)
        cheapest = _least(plan, here, lambda member: member.money)
        at = f"{where}{', ' if where else ''}{_rate(rate)}"
        currency = printable(here[0].currency)
        yield (
            f"{at}: fastest {fastest[0]}, {_between(fastest[1], 1e3)} ms an invocation{fastest[2]}; cheapest "
            f"{cheapest[0]}, {_between(cheapest[1], 1)} {currency} a million invocations{cheapest[2]}"
        )


def _least(plan: Plan, here: list[AtRate], figure: Callable[[AtRate], Between]) -> tuple[str, Between, str]:
    """The name of the least, its figure, and the doubt."""
    ordered = sorted(here, key=lambda member: figure(member).point)
    first = figure(ordered[0])
    doubt = ""
    if len(ordered) > 1:
        low = figure(ordered[1]).low
        if first.high is None or low is None or low <= first.high:
            doubt = _NOT_TOLD_APART.format(_name(plan, ordered[1].levels))
    return _name(plan, ordered[0].levels), first, doubt


def _table(plan: Plan, where: str, members: list[AtRate]) -> Table:
    """Money for a million invocations, by way and TTL down and calls across."""
    calls = list(dict.fromkeys(member.rate.calls for member in members))
    by_way: dict[str, dict[float, dict[int, AtRate]]] = {}
    for member in members:
        by_way.setdefault(_name(plan, member.levels), {}).setdefault(member.rate.ttl_s, {})[member.rate.calls] = member
    rows: list[tuple[str, str, dict[int, AtRate]]] = []
    for name, by_ttl in by_way.items():
        costs = {tuple(by_calls[count].money for count in calls) for by_calls in by_ttl.values()}
        if len(costs) == 1 < len(by_ttl):  # it keeps nothing that a TTL could be over for
            rows.append((name, "any", next(iter(by_ttl.values()))))
        else:
            rows += [(name, f"{ttl_s:g} s", by_calls) for ttl_s, by_calls in by_ttl.items()]
    heads = (plan.control, "TTL", *(units.count(number, "call") for number in calls))
    title = f"{printable(members[0].currency)} a million invocations{f', {where}' if where else ''}"
    cells = (
        (name, ttl, *(units.roughly(by_calls[count].money.point) for count in calls)) for name, ttl, by_calls in rows
    )
    return grid(title, map(printable, heads), cells)


def _assumes(advice: Advice, advised: RateAdvice) -> Iterator[str]:
    rule = advice.rules.by_rate
    assert rule is not None, "there are rates of a rule"
    if advised.instead:
        yield (
            "fetching again was not measured in every way: the first access of an instance stands for it "
            f"(sectax run {printable(advice.plan.experiment)} --level {printable(rule.factor)}="
            f"{','.join((rule.again, *rule.fetching))} measures it)"
        )
    for treatment in advised.lacking:
        yield f"{names.subject(advice.plan, treatment)}: nothing is said of it at a rate, since it lacks a situation"
    yield f"this counts {printable(rule.assumes)}"


def _rate(rate: Rate) -> str:
    invocations = "one invocation" if rate.per_s == 1 else f"{rate.per_s:g} invocations"
    calls = units.count(rate.calls, "call")
    return f"{calls} per invocation, a TTL of {rate.ttl_s:g} s, {invocations} of an instance a second"


def _place_words(advice: Advice, levels: Mapping[str, str]) -> str:
    fixed = names.varying_factors(advice.plan)
    memory = advice.rules.by_rate.memory if advice.rules.by_rate else ""
    own = {factor: level for factor, level in levels.items() if factor in fixed}
    words = (f"{level} MB" if factor == memory else names.level(factor, level) for factor, level in own.items())
    return printable(" · ".join(words))


def _name(plan: Plan, levels: Mapping[str, str]) -> str:
    level = levels[plan.control]
    return printable(plan.words.get(level, level))


def _between(turn: Between, times: float) -> str:
    """`18 to 21`; the point alone where there is no interval."""
    if turn.low is None or turn.high is None:
        return f"about {_number(times * turn.point)}"
    return units.span(times * turn.low, times * turn.high)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
