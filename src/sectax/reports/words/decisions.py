"""The decision as a paragraph, the answer first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from sectax.model.advice import Cheapest, Decision, Outlay
from sectax.model.analysed import Analysed
from sectax.model.finding import (
    FASTER,
    NO_CLAIM,
    SLOWER,
    UNSETTLED,
    AuditWarning,
    Finding,
    VerdictId,
    is_answered,
    is_decided,
)
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports.diagnostics import all_warnings
from sectax.reports.words import names
from sectax.reports.words.summaries import next_step, part_sentences, run_state, silence
from sectax.text import claims, units
from sectax.text.printable import printable

# An undecided interval (log ratio) within this is reported as no difference.
_SMALL = math.log1p(0.1)
# How many examples of a longer list are named.
_NAMED = 2
_IN_GENERAL = "in general"
_EVERY_MIX = " for every mix"
# Up to this many settings, each has its own figures.
_LISTED = 6


def decision(analysed: Analysed, decision: Decision) -> list[str]:
    """The paragraph as sentences, the answer first."""
    plan, choice = analysed.measured.plan, decision.choice
    causes = _known_causes(analysed)
    explained = {subject for subjects in causes.values() for subject in subjects}
    lines = [*run_state(analysed), *answers(plan, decision), *_by_cpu_time(analysed, decision)]
    lines += [*map(_cause_words(analysed), causes.items()), *next_step(analysed, list(decision.findings), explained)]
    lines += [*part_sentences(analysed), *_surprises(plan, decision), *_month(plan, decision)]
    silent = [finding for finding in decision.findings if finding.verdict in NO_CLAIM]
    lines += [silence(silent, len(decision.findings))] if silent else []
    changes = choice.changes and any(map(is_decided, decision.findings))
    more = [printable(choice.weigh), f"another {printable(choice.changes)} may change this" if changes else ""]
    weigh = " ".join(f"{text[0].upper()}{text[1:]}." for text in more if text)
    return [*lines, weigh] if weigh else lines


def _known_causes(analysed: Analysed) -> dict[str, dict[str, AuditWarning]]:
    """What to do about waits whose cause the experiment knows -> the treatments that have them."""
    contents = analysed.measured.plan.contents
    known = set() if contents is None else {*contents.waits.values()}
    causes: dict[str, dict[str, AuditWarning]] = defaultdict(dict)
    for warning in all_warnings(analysed):
        if warning.advice in known:
            causes[warning.advice].setdefault(warning.subject, warning)
    return causes


def _cause_words(analysed: Analysed) -> Callable[[tuple[str, dict[str, AuditWarning]]], str]:
    """'kept · a takes 143 to 150 times as long as new, which does more: set TCP_NODELAY …'."""
    plan = analysed.measured.plan
    label = names.plan_labeller(plan)

    def words(cause: tuple[str, dict[str, AuditWarning]]) -> str:
        advice, warnings = cause
        (subject, first), *others = warnings.items()
        more = f" (and {_first_few([names.subject(plan, other) for other, _ in others])})" if others else ""
        return f"{names.subject(plan, subject)}{more} {label(first.saw)}: {printable(advice)}."

    return words


def _by_cpu_time(analysed: Analysed, decision: Decision) -> Iterator[str]:
    """Effects on CPU time that are decided where those on the main metric are not."""
    plan = analysed.measured.plan
    undecided = {
        finding.comparison.treatment: finding
        for finding in decision.findings
        if finding.verdict is VerdictId.INCONCLUSIVE and not plan.metric(finding.comparison.metric).cpu
    }
    by_metric: dict[str, list[Finding]] = defaultdict(list)
    for finding in analysed.findings:
        compared = finding.comparison
        if (
            compared.treatment in undecided
            and compared.standing is Standing.SECONDARY
            and plan.metric(compared.metric).cpu
            and finding.verdict in (SLOWER | FASTER) - UNSETTLED
        ):
            by_metric[compared.metric].append(finding)
    for name, findings in by_metric.items():
        main = names.metric(plan, undecided[findings[0].comparison.treatment].comparison.metric)
        about = [
            f"{names.subject(plan, finding.comparison.treatment)} is {_effects(plan, [finding])}"
            for finding in findings
        ]
        yield f"Undecided in {main}, but not in {names.metric(plan, name)}: {_first_few(about)}."


def _surprises(plan: Plan, decision: Decision) -> Iterator[str]:
    by_cause: dict[str, list[str]] = defaultdict(list)
    for surprise in decision.surprises:
        level = plan.treatment(surprise.finding.comparison.treatment).levels[plan.control]
        where = names.cell(plan, surprise.finding.comparison.cell)
        effect = f"{printable(level)} is {_effects(plan, [surprise.finding])}"
        by_cause[surprise.cause].append(f"{where}: {effect}" if where else effect)
    for cause, surprises in by_cause.items():
        why = f", since {printable(cause)}" if cause else "; the record does not show why"
        yield f"Unexpected: {', '.join(surprises)}{why}."


def answers(plan: Plan, decision: Decision) -> list[str]:
    """Which level to take, or the cost of every level; empty if undecided."""
    if not decision.choice.picks:
        return list(_costs(plan, decision))
    if not decision.at_mix:
        return list(_picks(plan, decision, decision.cheapest))
    at_mix = _picks(plan, decision, decision.at_mix, f"for {_ratio(decision)}")
    return [*at_mix, *_picks(plan, decision, decision.cheapest, _IN_GENERAL)]


def _picks(plan: Plan, decision: Decision, cheapest: tuple[Cheapest, ...], when: str = "") -> Iterator[str]:
    """Which level to take, one sentence for settings with the same answer.

    Args:
        when: the mix of operations.
    """
    same_answer: dict[tuple[str, ...], list[list[Cheapest]]] = defaultdict(list)
    everywhere, mixed = True, bool(when) or any(len(best.operations) == 2 for best in cheapest)
    for _, same in groupby(cheapest, key=lambda best: best.levels):
        first, *rest = same
        everywhere = everywhere and first.decided
        if first.decided:
            mix = _mix(decision, first) if mixed else first.baseline
            same_answer[first.level, mix, *first.tied].append([first, *rest])
    for places in same_answer.values():
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
            by_place = (f"{', '.join(where)}: {level}" for level, where in otherwise.items())
            words += f"; {instead} {'; '.join(by_place)}"
        # One sentence for all settings names none of them.
        whole = everywhere and len(same_answer) == 1
        at = ", ".join([*filter(None, [when]), *(_place(plan, best) for best, *_ in places if not whole)])
        text = f"{at}: {words}." if at else f"{words}."
        yield f"{text[0].upper()}{text[1:]}" if when or not at else text


def _place(plan: Plan, best: Cheapest | Outlay) -> str:
    varying = names.varying_factors(plan)
    levels = ((factor, level) for factor, level in best.levels.items() if factor in varying)
    return printable(" · ".join(plan.words.get(level, names.level(factor, level)) for factor, level in levels))


def _mix(decision: Decision, best: Cheapest, *, explained: bool = True) -> str:
    """The cheapest level of a mix, and where that changes."""
    nouns = decision.choice.nouns
    words = printable(best.level)
    if len(best.operations) < 2:
        tied = ", ".join(map(printable, best.tied))
        return f"{words} (tied with {tied})" if tied and best in decision.at_mix else words
    first, second = (nouns.get(operation, operation) for operation in best.operations)
    for number, turn in enumerate(best.turns):
        unit = f" {second}s per {first}" if explained and not number else ""
        point, low, high = units.roughly(turn.at.point), turn.at.low, turn.at.high
        limit = f"about {point}" if low is None or high is None else f"{point} ({units.span(low, high)})"
        words += f" up to {limit}{unit}, then {printable(turn.then)}"
    return words if best.turns else f"{words}{_EVERY_MIX}"


def _pick(plan: Plan, decision: Decision, places: list[list[Cheapest]]) -> str:
    """The cheapest level of one operation, and the cost of the others."""
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
        return f"take either of {', '.join([level, *tied])}: equal within ± {margin}"
    also = f" (tied with {', '.join(tied)})" if tied else ""
    if best.level == best.baseline:
        dearer = {name: [finding for finding in same if finding.verdict in SLOWER] for name, same in by_level.items()}
        dearer_levels = [
            f"{names.level(plan.control, printable(name))} is {_effects(plan, same)}"
            for name, same in dearer.items()
            if same
        ]
        return f"keep {level}{also}: {_first_few(dearer_levels)}"
    if best.level not in by_level:  # a baseline of another setting, compared with nothing there
        return f"take {level}{also}"
    baseline = names.treatment(plan, by_level[best.level][0].comparison.baseline)
    return f"take {level}{also}: {_effects(plan, by_level[best.level])} than {baseline}"


def _effects(plan: Plan, findings: list[Finding]) -> str:
    effects = [finding.effect for finding in findings if finding.effect is not None]
    return claims.over_all(effects, plan.metric(findings[0].comparison.metric))


def _costs(plan: Plan, decision: Decision) -> Iterator[str]:
    """The cost of every level of the control."""
    levels: dict[str, list[Finding]] = defaultdict(list)
    for finding in decision.findings:
        levels[plan.treatment(finding.comparison.treatment).levels[plan.control]].append(finding)
    metric = plan.metric(decision.findings[0].comparison.metric)
    by = f" in {names.metric(plan, metric.name)}" if metric.cpu and metric.unit == "s" else ""
    sentences: dict[str, list[str]] = defaultdict(list)
    for level, same in levels.items():
        cost = "; ".join(_cost(plan, decision, same))
        parts = [f"{cost}{by}" if cost else "", printable(decision.choice.caveats.get(level, ""))]
        sentences["; ".join(filter(None, parts))].append(names.level(plan.control, printable(level)))
    for sentence, about in sentences.items():
        if sentence:
            yield f"{', '.join(about)}: {sentence}."


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
        yield f"equal within ± {units.margin(plan.stopping.margin)}{where}"
    unclear = [finding.effect for finding in same if finding.effect and finding.verdict is VerdictId.INCONCLUSIVE]
    small = [effect for effect in unclear if claims.is_known(effect) and max(-effect.low, effect.high) <= _SMALL]
    # The interval of a single comparison is given already.
    if len(small) == len(same) and len(decision.findings) > 1:
        most = max(unclear, key=lambda effect: effect.high)
        yield f"no difference detected: at most {claims.farthest(most, plan.metric(same[0].comparison.metric))}"


def _finding(plan: Plan, finding: Finding, *, in_time: bool = False) -> str:
    effect = finding.effect
    added = effect.absolute if effect is not None and (in_time or claims.is_meaningless_ratio(effect)) else None
    if added is not None and added.low is not None and added.high is not None and added.low * added.high > 0:
        return f"{names.cell(plan, finding.comparison.cell)} {units.more(added)}".strip()
    return f"{names.cell(plan, finding.comparison.cell)} {_effects(plan, [finding])}".strip()


def _month(plan: Plan, decision: Decision) -> Iterator[str]:
    """The cost of a month with every level, or the extra cost of a control."""
    more = not decision.choice.picks
    places: dict[str, list[Outlay]] = defaultdict(list)
    for outlay in decision.outlays:
        places[_place(plan, outlay)].append(outlay)
    places_by_sums: dict[str, list[str]] = defaultdict(list)
    for place, outlays in places.items():
        places_by_sums[_sums([outlays], more=more)].append(place)
    order = "" if more else ", cheapest first"
    if len(places_by_sums) > _NAMED and (more or len(places) > _LISTED):
        places_by_sums, order = {f"{_sums(places.values(), more=more)}, over {len(places)} settings": []}, ""
    elif len(places_by_sums) > _NAMED:
        places_by_sums = {_sums([outlays], more=more, most=_NAMED): [place] for place, outlays in places.items()}
        if max(map(len, places.values())) > _NAMED:
            order = f", the {_NAMED} cheapest"
    all_sums = "; ".join(
        f"{', '.join(where)}: {sums}" if len(places_by_sums) > 1 and any(where) else sums
        for sums, where in places_by_sums.items()
        if sums
    )
    if not all_sums:
        return
    bill = decision.outlays[0].bill
    charged = dict.fromkeys(charge.unit for charge in bill.charges)
    mix = _ratio(decision)
    rate = f"{decision.rate_s:,.6g} {printable(decision.choice.what)}/s{f' ({mix})' if mix else ''}"
    yield (
        f"A month at {rate}{order}: {all_sums}{'' if more else f' {printable(bill.currency)}'}"
        f" ({printable(', '.join(charged))}, prices of {printable(bill.day)})."
    )


def _ratio(decision: Decision) -> str:
    """'1 signature per 20 verifications', or nothing for a single operation."""
    nouns = decision.choice.nouns
    counts = {nouns.get(name, name): number for name, number in decision.mix.items() if number}
    if len(counts) == 1 < len(decision.mix):
        return f"{next(iter(counts))}s only"
    return " per ".join(units.count(number, noun) for noun, number in counts.items())


def _sums(places: Iterable[list[Outlay]], *, more: bool, most: int | None = None) -> str:
    """'RS256 2.1, EdDSA 1.6 to 2.1', or, as extra costs, 'sse-kms 12 to 14 USD more'.

    Args:
        places: outlays by setting; the range is over all of them.
        most: the number of levels named; None for all.
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
    # Ranked like the choice itself, so that the first is the level to take.
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


def _first_few(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"
