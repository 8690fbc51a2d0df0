"""What to do, in a paragraph: the answer, from when on another, what a month costs, what else to weigh."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from sectax.model.advice import Between, Cheapest, Decision, Outlay
from sectax.model.analysed import Analysed
from sectax.model.finding import FASTER, NO_CLAIM, SLOWER, Effect, Finding, VerdictId, is_answered, is_decided
from sectax.model.plan import Plan
from sectax.reports.words import names
from sectax.reports.words.summaries import of_parts, run_state, silence, to_answer
from sectax.text import claims, units
from sectax.text.printable import printable

# An interval within this, a log ratio, is called no difference.
_SMALL = math.log1p(0.1)
# What is named of more.
_NAMED = 2
# What holds beside the mix that somebody asked for.
_IN_GENERAL = "in general"
_EVERY_MIX = " for every mix"
# So many settings have their own figures.
_LISTED = 6


def decision(analysed: Analysed, decision: Decision) -> list[str]:
    """The paragraph as sentences, the answer first."""
    plan, choice = analysed.measured.plan, decision.choice
    lines = [*run_state(analysed), *to_answer(analysed, list(decision.findings)), *answers(plan, decision)]
    lines += of_parts(analysed)
    lines += _surprises(plan, decision)
    lines += _month(plan, decision)
    silent = [finding for finding in decision.findings if finding.verdict in NO_CLAIM]
    lines += [silence(silent, len(decision.findings))] if silent else []
    changes = choice.changes and any(map(is_decided, decision.findings))
    more = [printable(choice.weigh), f"another {printable(choice.changes)} may change this" if changes else ""]
    weigh = " ".join(f"{text[0].upper()}{text[1:]}." for text in more if text)
    return [*lines, weigh] if weigh else lines


def _surprises(plan: Plan, decision: Decision) -> Iterator[str]:
    """A sentence for each cause."""
    by_cause: dict[str, list[str]] = defaultdict(list)
    for surprise in decision.surprises:
        level = plan.treatment(surprise.finding.comparison.treatment).levels[plan.control]
        where = names.cell(plan, surprise.finding.comparison.cell)
        effect = f"{printable(level)} is {_effects(plan, [surprise.finding])}"
        by_cause[surprise.cause].append(f"{where}: {effect}" if where else effect)
    for cause, surprises in by_cause.items():
        why = f", since {printable(cause)}" if cause else "; unexplained: nothing in the record shows why"
        yield f"Not expected: {', '.join(surprises)}{why}."


def answers(plan: Plan, decision: Decision) -> list[str]:
    """What to take, or what every level costs, in a sentence each; nothing where nothing is decided."""
    if not decision.choice.picks:
        return list(_costs(plan, decision))
    if not decision.at_mix:
        return list(_picks(plan, decision, decision.cheapest))
    at_mix = _picks(plan, decision, decision.at_mix, f"for {_ratio(decision)}")
    return [*at_mix, *_picks(plan, decision, decision.cheapest, _IN_GENERAL)]


def _picks(plan: Plan, decision: Decision, cheapest: tuple[Cheapest, ...], when: str = "") -> Iterator[str]:
    """Which level to take: a sentence for all places in which it is the same, then what to take otherwise.

    Args:
        when: what mix of operations it is about.
    """
    alike: dict[tuple[str, ...], list[list[Cheapest]]] = defaultdict(list)
    everywhere, mixed = True, bool(when) or any(len(best.operations) == 2 for best in cheapest)
    for _, same in groupby(cheapest, key=lambda best: best.levels):
        first, *rest = same
        everywhere = everywhere and first.decided
        if first.decided:
            mix = _mix(decision, first) if mixed else first.baseline
            alike[first.level, mix, *first.tied].append([first, *rest])
    for places in alike.values():
        first = places[0][0]
        words = f"take {_mix(decision, first)}" if mixed else _pick(plan, decision, places)
        caveats = decision.choice.caveats if when != _IN_GENERAL else {}
        levels = dict.fromkeys((first.level, *(turn.then for turn in first.turns)))
        reasons = [caveats[level] for level in levels if level in caveats]
        if reasons:
            words += f", but {printable('; '.join(reasons))}"
        otherwise: dict[str, list[str]] = defaultdict(list)
        for number, (best, *rest) in enumerate(places):
            alternative = _mix(decision, rest[0], explained=not number).removesuffix(_EVERY_MIX) if rest else ""
            otherwise[alternative].append(_place(plan, best))
        instead = "if that matters," if reasons else "otherwise"
        if len(otherwise) == 1:
            words += "".join(f"; {instead} {level}" for level in otherwise if level)
        else:
            apart = (f"{', '.join(where)}: {level}" for level, where in otherwise.items())
            words += f"; {instead} {'; '.join(apart)}"
        # One sentence for all places names none.
        whole = everywhere and len(alike) == 1
        at = ", ".join([*filter(None, [when]), *(_place(plan, best) for best, *_ in places if not whole)])
        text = f"{at}: {words}." if at else f"{words}."
        yield f"{text[0].upper()}{text[1:]}" if when or not at else text


def _place(plan: Plan, best: Cheapest | Outlay) -> str:
    varying = names.varying_factors(plan)
    levels = ((factor, level) for factor, level in best.levels.items() if factor in varying)
    return printable(" · ".join(plan.words.get(level, names.level(factor, level)) for factor, level in levels))


def _mix(decision: Decision, best: Cheapest, *, explained: bool = True) -> str:
    """The cheapest of a mix of two operations, and from when on another; `explained` says what is counted."""
    nouns = decision.choice.nouns
    words = printable(best.level)
    if len(best.operations) < 2:
        tied = ", ".join(map(printable, best.tied))
        return f"{words} ({tied} cannot be told apart from it)" if tied and best in decision.at_mix else words
    first, second = (nouns.get(operation, operation) for operation in best.operations)
    for number, turn in enumerate(best.turns):
        unit = f" {second}s a {first}" if explained and not number else ""
        words += f" up to {_between(turn.at)}{unit}, then {printable(turn.then)}"
    return words if best.turns else f"{words}{_EVERY_MIX}"


def _pick(plan: Plan, decision: Decision, places: list[list[Cheapest]]) -> str:
    """The cheapest of one operation, with what the others cost; over several places the range of that."""
    best = places[0][0]
    level = names.level(plan.control, printable(best.level))
    by_level: dict[str, list[Finding]] = defaultdict(list)
    for finding in decision.findings:
        levels = plan.treatment(finding.comparison.treatment).levels
        if any(first.levels.items() <= levels.items() for first, *_ in places):
            by_level[levels[plan.control]].append(finding)
    if best.level in by_level:
        equal = {finding.verdict for finding in by_level[best.level]} == {VerdictId.EQUIVALENT}
    else:
        judged = (finding for same in by_level.values() for finding in same if is_decided(finding))
        equal = any(finding.verdict not in SLOWER for finding in judged)
    tied = [names.level(plan.control, printable(tie)) for tie in best.tied]
    if equal:
        margin = units.margin(plan.stopping.margin)
        return f"take either of {', '.join([level, *tied])}: they cost the same within ± {margin}"
    also = f" ({', '.join(tied)} cannot be told apart from it)" if tied else ""
    if best.level == best.baseline:
        dearer = {name: [finding for finding in same if finding.verdict in SLOWER] for name, same in by_level.items()}
        dearer_levels = [
            f"{names.level(plan.control, printable(name))} is {_effects(plan, same)}"
            for name, same in dearer.items()
            if same
        ]
        return f"keep {level}{also}: {_first_few(dearer_levels)}"
    if best.level not in by_level:  # a baseline of another place, which nothing is compared with there
        return f"take {level}{also}"
    baseline = names.treatment(plan, by_level[best.level][0].comparison.baseline)
    return f"take {level}{also}: {_effects(plan, by_level[best.level])} than {baseline}"


def _effects(plan: Plan, findings: list[Finding]) -> str:
    effects = [finding.effect for finding in findings if finding.effect is not None]
    return claims.over_all(effects, plan.metric(findings[0].comparison.metric))


def _costs(plan: Plan, decision: Decision) -> Iterator[str]:
    """What every level of the control costs: where most, and where nothing that matters."""
    levels: dict[str, list[Finding]] = defaultdict(list)
    for finding in decision.findings:
        levels[plan.treatment(finding.comparison.treatment).levels[plan.control]].append(finding)
    sentences: dict[str, list[str]] = defaultdict(list)
    for level, same in levels.items():
        sentences["; ".join(_cost(plan, decision, same))].append(names.level(plan.control, printable(level)))
    metric = plan.metric(decision.findings[0].comparison.metric)
    by = f" in {names.metric(plan, metric.name)}" if metric.cpu and metric.unit == "s" else ""
    for sentence, about in sentences.items():
        if sentence:
            yield f"{', '.join(about)}: {sentence}{by}."


def _cost(plan: Plan, decision: Decision, same: list[Finding]) -> Iterator[str]:
    until = plan.stopping.until
    for directed in (SLOWER, FASTER):
        here = [finding for finding in same if finding.verdict in directed and is_answered(finding, until)]
        here.sort(key=lambda finding: -abs(finding.effect.log_ratio) if finding.effect else 0.0)
        if here:
            yield _first_few([_finding(plan, finding, in_time=decision.choice.in_time) for finding in here])
    equal = [names.cell(plan, finding.comparison.cell) for finding in same if finding.verdict is VerdictId.EQUIVALENT]
    if equal:
        where = f" in {_first_few(equal, 4)}" if any(equal) else ""
        yield f"no cost that matters (within ± {units.margin(plan.stopping.margin)}){where}"
    unclear = [finding.effect for finding in same if finding.effect and finding.verdict is VerdictId.INCONCLUSIVE]
    # Of a single comparison its interval is said already.
    if len(unclear) == len(same) and len(decision.findings) > 1 and all(map(_is_bounded, unclear)):
        most = max(unclear, key=lambda effect: effect.high)
        yield f"no difference found, and at most {claims.farthest(most, plan.metric(same[0].comparison.metric))}"


def _is_bounded(effect: Effect) -> bool:
    """Whether the interval is narrow enough to be an answer without a verdict."""
    return claims.is_known(effect) and max(-effect.low, effect.high) <= _SMALL


def _finding(plan: Plan, finding: Finding, *, in_time: bool = False) -> str:
    added = finding.effect.absolute if finding.effect is not None and in_time else None
    if added is not None and added.low is not None and added.high is not None and added.low * added.high > 0:
        return f"{names.cell(plan, finding.comparison.cell)} {units.more(added)}".strip()
    return f"{names.cell(plan, finding.comparison.cell)} {_effects(plan, [finding])}".strip()


def _month(plan: Plan, decision: Decision) -> Iterator[str]:
    """What a month costs with every level, the cheapest first; of a control, how much more than without it."""
    more = not decision.choice.picks
    places: dict[str, list[Outlay]] = defaultdict(list)
    for outlay in decision.outlays:
        places[_place(plan, outlay)].append(outlay)
    alike: dict[str, list[str]] = defaultdict(list)
    for place, outlays in places.items():
        alike[_sums([outlays], more=more)].append(place)
    order = "" if more else ", cheapest first"
    if len(alike) > _NAMED and (more or len(places) > _LISTED):
        alike, order = {f"{_sums(places.values(), more=more)}, over {len(places)} settings": []}, ""
    elif len(alike) > _NAMED:
        alike = {_sums([outlays], more=more, most=_NAMED): [place] for place, outlays in places.items()}
        order = f", the {_NAMED} cheapest"
    sums_of = "; ".join(
        f"{', '.join(where)}: {sums}" if len(alike) > 1 and any(where) else sums
        for sums, where in alike.items()
        if sums
    )
    if not sums_of:
        return
    bill = decision.outlays[0].bill
    charged = dict.fromkeys(charge.unit for charge in bill.charges)
    mix = _ratio(decision)
    rate = f"{decision.rate_s:,.6g} {printable(decision.choice.what)}/s{f' ({mix})' if mix else ''}"
    yield (
        f"A month at {rate}{order}: {sums_of}{'' if more else f' {printable(bill.currency)}'}"
        f" ({printable(', '.join(charged))}, prices of {printable(bill.day)})."
    )


def _ratio(decision: Decision) -> str:
    """'1 signature per 20 verifications', 'verifications alone'; empty where there is one operation."""
    nouns = decision.choice.nouns
    counts = {nouns.get(name, name): number for name, number in decision.mix.items() if number}
    if len(counts) == 1 < len(decision.mix):
        return f"{next(iter(counts))}s alone"
    return " per ".join(units.count(number, noun) for noun, number in counts.items())


def _sums(places: Iterable[list[Outlay]], *, more: bool, most: int | None = None) -> str:
    """'RS256 2.1, EdDSA 1.6 to 2.1': of several places from the least to the most of all; the first `most` of them.

    Beside a baseline: 'sse-s3 costs the same, sse-kms 12 to 14 USD more'.
    """
    ends: dict[str, list[float]] = defaultdict(list)
    points: dict[str, float] = defaultdict(float)
    currency = ""
    for outlays in places:
        low, high = next(((outlay.least, outlay.most) for outlay in outlays if more and outlay.is_baseline), (0.0, 0.0))
        for outlay in outlays:
            currency = printable(outlay.bill.currency)
            if not (more and outlay.is_baseline):
                level = f"{outlay.level} {outlay.way}".strip()
                ends[level] += [(outlay.least - high) * outlay.months, (outlay.most - low) * outlay.months]
                points[level] += outlay.bill.total
    if len(ends) + more < 2:
        return ""
    # By what the choice goes by, so that the first is the one that is chosen.
    ranked = sorted(ends.items(), key=lambda entry: 0.0 if more else points[entry[0]] / len(entry[1]))
    sums = (
        (level, _extra_cost(totals, currency) if more else units.span(min(totals), max(totals)))
        for level, totals in ranked
    )
    return ", ".join(f"{printable(level)} {money}" for level, money in list(sums)[:most])


def _extra_cost(ends: list[float], currency: str) -> str:
    low, high = min(ends), max(ends)
    if low == high == 0:
        return "costs the same"
    if low < 0 < high:
        return f"at most {units.upward(high)} {currency} more"
    return f"{units.span(low, high)} {currency} more" if low >= 0 else f"{units.span(-high, -low)} {currency} less"


def _between(at: Between) -> str:
    point = units.roughly(at.point)
    if at.low is None or at.high is None:
        return f"about {point}"
    return f"{point} ({units.span(at.low, at.high)})"


def _first_few(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"
