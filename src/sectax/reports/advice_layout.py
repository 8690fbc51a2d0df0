"""What advice says, as sections of sentences."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping

from sectax.model.advice import (
    Advice,
    Anatomy,
    Growth,
    Placed,
    Throttled,
    Worth,
)
from sectax.model.finding import Effect, Estimate
from sectax.model.plan import Plan
from sectax.reports.document import Block, Document, Section, Text, grid, lines, sections
from sectax.reports.rate_words import rates
from sectax.reports.words import connections, decisions, names, plans
from sectax.text import claims, units
from sectax.text.printable import printable

_MILLI, _NANO = 1e-3, 1e9
_WIDEST_SHARE = 0.5
# So many pairs of machines make a general claim.
_GENERAL = 5


def advice_report(advice: Advice) -> Document:
    """Lay out advice; a section without anything to say is left out."""
    plan, longer = advice.plan, advice.rules.longer
    todo = decisions.decision(advice.analysed, advice.decision) if advice.decision and advice.analysed else []
    advised = sections(
        Section("What to do", lines(todo, long=True)),
        Section("What a million of them cost", tuple(_million(advice, plan))),
        Section(
            "What a connection costs",
            tuple(connections.tables(plan, advice.decision.connections if advice.decision else ())),
        ),
        Section("What all pairs say together", _sentences(_pooled(advice))),
        Section(
            f"Where the time goes: {names.metric(plan, advice.rules.metric)}",
            _sentences(_anatomy(anatomy, advice) for anatomy in advice.anatomies),
        ),
        Section(
            "Where the cost sits, beyond the baseline", _sentences(_placement(placed, plan) for placed in advice.placed)
        ),
        Section(
            printable(longer.title) if longer else "", _sentences(_worth(worth, advice) for worth in advice.worths)
        ),
        Section("How it grows with the size", _sentences(_growth(growth, advice) for growth in advice.growths)),
        Section("How often the CPU quota was used up", _sentences(_quota(advice, plan))),
        Section("Which is fastest and cheapest at your rate of calls", tuple(rates(advice))),
        Section("Which quota they meet", _sentences(_quotas(advice, plan))),
    )
    if advised and plan.transfers:
        advised = (*advised, Section("What holds elsewhere", _sentences((printable(plan.transfers),))))
    nothing = () if advised else (Text("There is no advice for this run: nothing that can be chosen was decided."),)
    return Document(f"advice from run {printable(advice.run_id)}: {printable(plan.question)}", nothing, advised)


def _million(advice: Advice, plan: Plan) -> Iterator[Block]:
    """A table of what a million operations, and a month of them, cost with every decided level, unless bills say it."""
    decision = advice.decision
    if decision is None or not decision.outlays:
        return
    bill = decision.outlays[0].bill
    varying = {*names.varying_factors(plan), plan.control}
    heads = (printable(plan.control), f"{printable(bill.currency)} a million", f"a month at {decision.rate_s:,.6g}/s")
    rows = (
        (
            ", ".join(filter(None, (_levels(dict(outlay.levels) | {plan.control: outlay.level}, varying), outlay.way))),
            units.span(outlay.least, outlay.most),
            units.span(outlay.months * outlay.least, outlay.months * outlay.most),
        )
        for outlay in decision.outlays
    )
    yield grid("", heads, rows)
    yield from _sentences((plans.prices(bill),))


def _sentences(texts: Iterable[str]) -> tuple[Block, ...]:
    return lines(texts, long=True)


def _pooled(advice: Advice) -> Iterator[str]:
    for ratio in advice.pooled:
        yield f"{_levels(ratio.levels)} · {printable(ratio.words)}: {_ratio(ratio.ratio)}"
    fewest = min((ratio.ratio.count for ratio in advice.pooled), default=_GENERAL)
    if advice.pooled:
        yield "every pair counts once, so this is about the kind of machine, not about these machines"
    if fewest < _GENERAL:
        yield f"{fewest} pairs are few: a general claim takes {_GENERAL}"


def _ratio(ratio: Estimate) -> str:
    """A ratio of times, in the words that effects have."""
    has_interval = ratio.low is not None and ratio.high is not None
    low, high = (math.log(ratio.low or 1.0), math.log(ratio.high or 1.0)) if has_interval else (-math.inf, math.inf)
    effect = Effect(math.log(ratio.point), low, high, ratio.level, ratio.count, ratio.method, 0.0, 0.0)
    return claims.effect(effect)


def _anatomy(anatomy: Anatomy, advice: Advice) -> str:
    """The parts with their shares, the last first; and the quota that all of them may have waited for."""
    parts = (
        f"{part.words} {percent(part.share)}{f' ({milliseconds(part.seconds)})' if is_between(part.share) else ''}"
        if is_known(part.share)
        else f"{part.words}: too noisy, run longer"
        for part in anatomy.parts[::-1]
    )
    held = (held for held in advice.throttled if held.treatment == anatomy.treatment and held.throttled_periods)
    waited = "".join(f"; {_quota_use(held, advice.plan)}, and each part includes waiting for it" for held in held)
    return f"{names.in_cell(advice.plan, anatomy.cell, anatomy.treatment)}: {printable('; '.join(parts))}{waited}"


def _quota_use(held: Throttled, plan: Plan) -> str:
    quota = plan.treatment(held.treatment).declares.get("cpu_quota")
    of_processor = f" of {units.roughly(100 * float(quota))} % of a processor" if quota else ""
    share = 100 * held.throttled_periods / held.periods
    return f"its CPU quota{of_processor} was used up in {share:.0f} % of {units.count(held.periods, 'period')}"


def _placement(placed: Placed, plan: Plan) -> str:
    parts = (f"{printable(words)} {'undecided' if more is None else units.more(more)}" for words, more in placed.parts)
    return f"{names.in_cell(plan, placed.cell, placed.treatment)}: {'; '.join(parts) or 'withdrawn'}"


def _worth(worth: Worth, advice: Advice) -> str:
    rule, times = advice.rules.longer, worth.times
    assert rule is not None, "it is made by a rule"
    if times.low is None or times.high is None:
        return f"{names.in_cell(advice.plan, worth.cell, worth.treatment)}: undecided"
    who, noun = names.in_cell(advice.plan, worth.cell, worth.treatment), printable(rule.words)
    shorter = times.high < 1
    ends = sorted(1 / end if shorter else end for end in (times.low, times.point, times.high))
    point = f"{units.number(ends[1], ends[2] - ends[0])} ({units.span(ends[0], ends[2])})"
    if shorter:
        return f"{who}: shorter; a {noun} takes {point} times as long"
    first, _, rest = noun.partition(" ")
    return f"{who}: as long as {point} {first}s {rest}"


def _growth(growth: Growth, advice: Advice) -> str:
    plan, rule = advice.plan, advice.rules.growth
    varying = {*names.varying_factors(plan), plan.control}
    whose = f", {printable(growth.step)}" if growth.step else ""
    who = f"{_levels(growth.levels, varying)}{whose}"
    if growth.missed:
        size, ratio = max(growth.missed, key=lambda missed: abs(math.log(missed[1].point)))
        return f"{who}: not along a line; {printable(size)} takes {ratio.point:.2g} times what the best line says"
    words = f"{who}: {milliseconds(growth.fixed)} + {_nanoseconds(growth.per_byte)} per byte"
    if growth.extra_per_byte is not None and rule is not None:
        extra = growth.extra_per_byte
        decided = extra.low is not None and extra.high is not None and (extra.low > 0 or extra.high < 0)
        words += f", of which {printable(rule.control)} {_nanoseconds(extra) if decided else 'undecided'}"
    return words


def _quota(advice: Advice, plan: Plan) -> Iterator[str]:
    """How often the quota was used up, where that does not stand beside the parts."""
    often = [held for held in advice.throttled if held.throttled_periods]
    beside = {anatomy.treatment for anatomy in advice.anatomies}
    for held in often:
        if held.treatment not in beside:
            yield f"{names.in_cell(plan, held.cell, held.treatment)}: {_quota_use(held, plan)}"
    if advice.throttled and not often:
        yield f"never, in {units.count(sum(held.periods for held in advice.throttled), 'period')}"


def _quotas(advice: Advice, plan: Plan) -> Iterator[str]:
    """One line for each treatment that asks a service with a quota, however it is set up."""
    asking: dict[str, list[str]] = {}  # who -> its ways
    for use in advice.quotas:
        way = f"{printable(use.way)}: " if use.way else ""
        share, clients = 100 * use.limited_s / use.quota_s, max(1, int(use.quota_s // use.limited_s))
        asking.setdefault(names.in_cell(plan, use.cell, use.treatment), []).append(
            f"{way}{units.roughly(use.limited_s)} requests/s, {units.roughly(share)} % of it "
            f"({clients:,} such clients meet it)"
        )
    for who, loads in asking.items():
        quota = units.number(advice.quotas[0].quota_s)
        yield f"{who}, at {_rate_meant(advice)}, against a quota of {quota} requests/s: {'; '.join(loads)}"
    if asking and advice.rules.requests is not None:
        yield printable(advice.rules.requests.assumes)


def _rate_meant(advice: Advice) -> str:
    rate_s = advice.asked_rate_s
    return "the measured rate" if rate_s is None else f"{rate_s:,.6g} operations/s"


def _levels(levels: Mapping[str, str], varying: Container[str] | None = None) -> str:
    """Those of the factors that vary; all where nobody says which do."""
    shown = (item for item in levels.items() if varying is None or item[0] in varying)
    return printable(" · ".join(names.level(*item) for item in shown))


def is_known(share: Estimate) -> bool:
    """Whether a share is known to within a half of the whole."""
    return share.low is None or share.high is None or share.high - share.low <= _WIDEST_SHARE


def is_between(share: Estimate) -> bool:
    """Whether both ends of a share are shares that there are."""
    return share.low is None or share.high is None or (share.low > 0 and share.high < 1)


def percent(share: Estimate) -> str:
    """'27 % (12 to 42)', or 'at most 9 %' and 'at least 91 %' where the other end is no share."""
    if share.low is None or share.high is None:
        return f"{_whole_percent(share.point)} %"
    if is_between(share):
        return f"{_whole_percent(share.point)} % ({_whole_percent(share.low)} to {_whole_percent(share.high)})"
    if share.low > 0:
        return f"at least {_whole_percent(share.low)} %"
    return f"at most {_whole_percent(share.high)} %" if share.high < 1 else "not known"


def _whole_percent(share: float) -> str:
    percent = 100 * share
    text = f"{percent:.0f}" if abs(percent) >= 10 else f"{percent:.2g}"
    return text.replace("-", "−")


def milliseconds(seconds: Estimate) -> str:
    """'0.12 ms'; what is far below is said in microseconds."""
    size, unit = (1e3, "ms") if abs(seconds.point) >= _MILLI / 10 else (1e6, "µs")
    # What is less than a nanosecond is nothing that a clock tells.
    value = seconds.point if abs(seconds.point) >= 1 / _NANO else 0.0
    return f"{size * value:.3g} {unit}".replace("-", "−")


def _nanoseconds(seconds: Estimate) -> str:
    half = f" ± {_NANO * (seconds.high - seconds.point):.1g}" if seconds.high is not None else ""
    return f"{_NANO * seconds.point:.3g}{half} ns".replace("-", "−")
