"""What to do, in a paragraph: the answer, from when on another, what a month costs, what else to weigh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from sectax.model.advice import Between, Cheapest, Decision
from sectax.model.analysed import Analysed
from sectax.model.finding import FASTER, NO_CLAIM, SLOWER, Finding, VerdictId, is_decided
from sectax.model.plan import Plan
from sectax.reports import units
from sectax.reports.words import claims, names
from sectax.reports.words.summaries import run_state, silence, to_answer
from sectax.text.printable import printable

# What is named of more.
_NAMED = 2


def decision(analysed: Analysed, given: Decision) -> list[str]:
    """The paragraph as sentences, the answer first."""
    plan, choice = analysed.measured.plan, given.choice
    lines = [*run_state(analysed), *to_answer(analysed, list(given.findings)), *answers(plan, given)]
    for each in given.surprises:
        why = f"since {printable(each.cause)}" if each.cause else "unexplained: nothing in the record shows why"
        lines.append(f"Not expected: {_finding(plan, each.finding)}; {why}.")
    lines += _month(plan, given)
    silent = [each for each in given.findings if each.verdict in NO_CLAIM]
    lines += [silence(silent, len(given.findings))] if silent else []
    open_ = [each for each in given.findings if each.verdict is VerdictId.INCONCLUSIVE]
    if 0 < len(open_) < len(given.findings) and choice.picks:
        lines.append(f"Not decided: {_some([names.subject(plan, each.comparison.treatment) for each in open_], 4)}.")
    changes = f"it may change with {choice.changes}" if choice.changes and any(map(is_decided, given.findings)) else ""
    if more := "; ".join(filter(None, (choice.weigh, changes))):
        lines.append(f"Also weigh: {printable(more)}.")
    return lines


def answers(plan: Plan, given: Decision) -> list[str]:
    """What to take, or what every level costs, in a sentence each; nothing where nothing is decided."""
    return list(_picks(plan, given) if given.choice.picks else _costs(plan, given.findings))


def _picks(plan: Plan, given: Decision) -> Iterator[str]:
    """Which level to take, in a sentence for each place in which that is another."""
    places: dict[str, list[str]] = defaultdict(list)
    varying = names.varying_factors(plan)
    for _, same in groupby(given.cheapest, key=lambda each: each.levels):
        first, *apart = same
        if not first.decided:
            continue
        words = _pick(plan, given, first)
        caveats = given.choice.caveats
        reasons = [caveats[each] for each in dict.fromkeys((first.level, *_then(first))) if each in caveats]
        if reasons:
            words += f", but {printable('; '.join(reasons))}"
        if apart:
            other = (
                _pick(plan, given, apart[0]).removeprefix("take ") if len(apart[0].operations) > 1 else apart[0].level
            )
            words += f"; otherwise {printable(other)}"
        where = [
            plan.words.get(level, names.level(factor, level))
            for factor, level in first.levels.items()
            if factor in varying
        ]
        places[words].append(printable(" · ".join(where)))
    for words, where in places.items():
        # One sentence for all places names none.
        at = f"{', '.join(where)}: " if len(places) > 1 and any(where) else ""
        yield f"{at}{words if at else words[0].upper() + words[1:]}."


def _then(given: Cheapest) -> list[str]:
    return [turn.then for turn in given.turns]


def _pick(plan: Plan, given: Decision, best: Cheapest) -> str:
    control = plan.control
    level = names.level(control, best.level)
    found = {
        plan.treatment(each.comparison.treatment).levels[control]: each
        for each in given.findings
        if best.levels.items() <= plan.treatment(each.comparison.treatment).levels.items()
    }
    if len(best.operations) == 2:
        one, two = (given.choice.nouns.get(each, each) for each in best.operations)
        words = f"take {level}"
        if not best.turns:
            return f"{words}: cheapest however many {two}s there are"
        for turn in best.turns:
            words += f" up to {_between(turn.at)} {two}s a {one}, then {names.level(control, turn.then)}"
        return words
    if best.level in found:
        equal = found[best.level].verdict is VerdictId.EQUIVALENT
    else:
        equal = any(is_decided(each) and each.verdict not in SLOWER for each in found.values())
    tied = [names.level(control, each) for each in best.tied]
    if equal:
        margin = units.margin(plan.stopping.margin)
        return f"take either of {', '.join([level, *tied])}: they cost the same within ± {margin}"
    also = f" ({', '.join(tied)} cannot be told apart from it)" if tied else ""
    if best.level == best.baseline:
        dearer = [each for each in found.values() if each.verdict in SLOWER]
        return f"keep {level}{also}: {_some([f'{_own(plan, each)} is {_effect(plan, each)}' for each in dearer])}"
    finding = found[best.level]
    return f"take {level}{also}: {_effect(plan, finding)} than {names.treatment(plan, finding.comparison.baseline)}"


def _costs(plan: Plan, findings: Iterable[Finding]) -> Iterator[str]:
    """What every level of the control costs: where most, where nothing that matters, where that is not decided."""
    levels: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        levels[plan.treatment(each.comparison.treatment).levels[plan.control]].append(each)
    sentences: dict[str, list[str]] = defaultdict(list)
    for level, same in levels.items():
        sentences["; ".join(_cost(plan, same))].append(names.level(plan.control, printable(level)))
    for sentence, about in sentences.items():
        if sentence:
            yield f"{', '.join(about)}: {sentence}."


def _cost(plan: Plan, same: list[Finding]) -> Iterator[str]:
    for directed in (SLOWER, FASTER):
        here = [each for each in same if each.verdict in directed and each.effect is not None]
        here.sort(key=lambda each: -abs(each.effect.log_ratio) if each.effect else 0.0)
        if here:
            yield _some([_finding(plan, each, level=False) for each in here])
    equal = [names.cell(plan, each.comparison.cell) for each in same if each.verdict is VerdictId.EQUIVALENT]
    if equal:
        where = f" in {_some(equal, 4)}" if any(equal) else ""
        yield f"no cost that matters (within ± {units.margin(plan.stopping.margin)}){where}"
    open_ = sum(each.verdict is VerdictId.INCONCLUSIVE for each in same)
    if open_:
        yield f"not decided in {open_} of {len(same)}" if len(same) > 1 else "not decided"


def _finding(plan: Plan, finding: Finding, *, level: bool = True) -> str:
    where = names.cell(plan, finding.comparison.cell)
    return " ".join(part for part in (where, _own(plan, finding) if level else "", _effect(plan, finding)) if part)


def _own(plan: Plan, finding: Finding) -> str:
    return names.treatment(plan, finding.comparison.treatment)


def _effect(plan: Plan, finding: Finding) -> str:
    return "" if finding.effect is None else claims.effect(finding.effect, plan.metric(finding.comparison.metric))


def _month(plan: Plan, given: Decision) -> Iterator[str]:
    """What a month costs with every level; of a control, how much more than without it."""
    more, nouns = not given.choice.picks, given.choice.nouns
    base = {tuple(each.levels.items()): each.bill.total for each in given.outlays if each.is_baseline and more}
    ends: dict[str, list[float]] = defaultdict(list)
    for each in given.outlays:
        if not (more and each.is_baseline):
            less = base.get(tuple(each.levels.items()), 0.0)
            ends[each.level] += [(end - less) * each.months for end in (each.least, each.most)]
    if len(ends) + more < 2:
        return
    bill = given.outlays[0].bill
    sums = ", ".join(f"{printable(level)} {_money(found, more=more)}" for level, found in ends.items())
    mix = " to ".join(units.count(number, nouns.get(name, name)) for name, number in given.mix.items())
    yield (
        f"At {given.rate_s:,.6g} {printable(given.choice.what)}/s{f' ({mix})' if mix else ''} a month costs "
        f"{sums} {printable(bill.currency)}{' more' if more else ''} (prices of {printable(bill.day)})."
    )


def _money(ends: list[float], *, more: bool) -> str:
    low, high = min(ends), max(ends)
    first, last = units.outward(low, high)
    words = first if first == last else f"{first} to {last}"
    return f"{words} (undecided)" if more and low < 0 < high else words


def _between(at: Between) -> str:
    point = units.roughly(at.point)
    if at.low is None or at.high is None:
        return f"about {point}"
    low, high = units.outward(at.low, at.high)
    return f"{point} ({low} to {high})"


def _some(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"
