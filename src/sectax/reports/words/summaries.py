"""The summary that ends a report: one sentence for every main comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

from sectax.model.analysed import Analysed
from sectax.model.finding import FASTER, SLOWER, Finding, VerdictId, is_answered, is_decided
from sectax.model.plan import Until
from sectax.model.treatment import Role, Standing
from sectax.reports.words import names
from sectax.text import claims, units
from sectax.text.printable import printable

# With more comparisons than this, verdicts are counted and only the largest effects named.
_MOST_SENTENCES = 12
_NAMED_OF_MANY = 3

_WITHOUT = {VerdictId.WITHDRAWN: "withdrawn", VerdictId.NOT_MEASURED: "not measured"}


def summary(analysed: Analysed) -> list[str]:
    """Sentences on the primary comparisons, or on all if none is primary."""
    headline = [finding for finding in analysed.findings if finding.comparison.standing is Standing.PRIMARY]
    reported = headline or [
        finding for finding in analysed.findings if finding.comparison.standing is Standing.SECONDARY
    ]
    lines = run_state(analysed)
    if not reported:
        return [*lines, "Nothing was compared."]
    judged = [finding for finding in reported if finding.verdict not in _WITHOUT]
    lines += part_sentences(analysed)
    if len(judged) > _MOST_SENTENCES:
        lines += _digest(analysed, judged)
    else:
        lines += [_sentence(analysed, finding) for finding in judged]
    lines += next_step(analysed, reported)
    silent = [finding for finding in reported if finding.verdict in _WITHOUT]
    if silent:
        lines.append(silence(silent, len(reported)))
    if not headline:
        chance = units.margin(float(f"{max(finding.comparison.alpha for finding in reported):.2g}"))
        lines.append(f"These are secondary comparisons ({chance} chance of error each).")
    return [*dict.fromkeys(lines)]


def answer_sentence(analysed: Analysed, finding: Finding) -> str:
    """The verdict of one comparison as a sentence."""
    return silence([finding], 1) if finding.verdict in _WITHOUT else _sentence(analysed, finding)


def silence(silent: list[Finding], reported: int) -> str:
    """'2 of 4 comparisons have no verdict: withdrawn (timer).'"""
    reasons: Counter[str] = Counter()
    for finding in silent:
        fatal = claims.withdrawing_checks(finding)
        reasons[_WITHOUT[finding.verdict] + (f" ({fatal})" if fatal else "")] += 1
    why = ", ".join(f"{number} {reason}" if len(reasons) > 1 else reason for reason, number in reasons.items())
    if len(silent) == reported:
        return f"{'The' if reported == 1 else 'No'} comparison has {'no' if reported == 1 else 'a'} verdict: {why}."
    return f"{len(silent)} of {reported} comparisons {'has' if len(silent) == 1 else 'have'} no verdict: {why}."


def run_state(analysed: Analysed) -> list[str]:
    measured = analysed.measured
    if measured.state == "finished":
        return []
    word = "was interrupted" if measured.state == "interrupted" else "has not finished"
    number = len(measured.blocks)
    limit = "" if measured.calibrated is None else f" of at most {measured.plan.last_look(measured.calibrated)}"
    return [f"The run {word} after {number}{limit} blocks."]


def _sentence(analysed: Analysed, finding: Finding) -> str:
    """'put · size 10KB: sse-s3 is 1 to 24 % slower than none.'"""
    plan, comparison, effect = analysed.measured.plan, finding.comparison, finding.effect
    metric = plan.metric(comparison.metric)
    place = comparison_context(analysed, finding)
    treatment, baseline = (names.treatment(plan, arm) for arm in (comparison.treatment, comparison.baseline))
    if finding.verdict is VerdictId.EQUIVALENT or effect is None:
        words = f"{treatment} and {baseline} are equal within ± {units.margin(finding.margin)}"
    elif claims.is_pending(finding):
        words = f"{treatment} is {claims.interval(effect, metric)} than {baseline} so far"
    elif finding.verdict is VerdictId.INCONCLUSIVE:
        words = f"undecided for {treatment}: {claims.interval(effect, metric)} than {baseline}"
        if not claims.is_known(effect) or claims.is_noisy(effect):
            words = f"undecided for {treatment}"
    else:
        grade = claims.grade(finding.verdict, finding.margin)
        words = f"{treatment} is {claims.interval(effect, metric)} than {baseline}{grade}"
    if place or words.startswith(treatment):  # names keep their case
        return f"{place}: {words}." if place else f"{words}."
    return f"{words[0].upper()}{words[1:]}."


def comparison_context(analysed: Analysed, finding: Finding) -> str:
    """The cell of a comparison, and its metric unless that is the first."""
    plan, comparison = analysed.measured.plan, finding.comparison
    second = comparison.metric != plan.metrics[0].name or plan.metric(comparison.metric).part_of
    metric = names.metric(plan, comparison.metric) if second else ""
    return ", ".join(filter(None, (names.cell(plan, comparison.cell), metric)))


def part_sentences(analysed: Analysed) -> list[str]:
    """The time of a part of the operation, if the plan wants it shown.

    'payload 1MiB, published: the check itself takes 4.1 to 4.3 ms, about 41 % of the whole operation's Duration.'
    """
    plan = analysed.measured.plan
    results = {result.treatment: result.estimates for result in analysed.treatments}
    lines = []
    for metric in plan.metrics:
        if metric.compared or not metric.part_of or metric.name not in plan.beside:
            continue
        with_interval = [
            (treatment, estimate, estimate.low, estimate.high)
            for treatment in plan.treatments
            if treatment.role is Role.TREATMENT and (estimate := results.get(treatment.id, {}).get(metric.name))
            if estimate.low is not None and estimate.high is not None
        ]
        for treatment, estimate, least, most in with_interval:
            column = units.scale(metric.unit, [estimate.point])
            whole = results[treatment.id].get(metric.part_of)
            share = ""
            if whole is not None and whole.point > 0:
                share = f", about {units.roughly(100 * estimate.point / whole.point)} % of the whole operation's "
                share += names.metric(plan, metric.part_of)
            lows = [low for part, _, low, _ in with_interval if part.cell == treatment.cell and part is not treatment]
            rank = ", less than any other" if lows and most < min(lows) else ""
            where = names.cell(plan, treatment.cell)
            words = f"{names.treatment(plan, treatment.id)}: {names.metric(plan, metric.name)}, takes"
            amount = f"{units.span(least / column.size, most / column.size)} {printable(column.unit)}"
            lines.append(f"{f'{where}, ' if where else ''}{words} {amount}{rank}{share}.")
    return lines


def next_step(analysed: Analysed, findings: list[Finding], explained: Collection[str] = ()) -> list[str]:
    """How many comparisons are decided, and what to do about the undecided ones.

    Args:
        explained: treatments that a longer run does not help, since something else is known to be wrong with them.
    """
    until = analysed.measured.plan.stopping.until
    decided = [text] if (text := count_decided(analysed, findings)) else []
    undecided = [
        finding
        for finding in findings
        if finding.verdict not in _WITHOUT
        and not is_answered(finding, until)
        and not {finding.comparison.treatment, finding.comparison.baseline}.intersection(explained)
    ]
    # A run with limits answers those only.
    if not undecided or until is Until.CONDITIONS:
        return decided if undecided or explained else []
    if analysed.measured.state != "finished":
        more = (analysed.measured.plan.stopping.fixed_blocks or 0) - len(analysed.measured.blocks)
        return decided if more <= 0 else [f"The number of blocks is fixed: verdicts come after {more} more."]
    needs = [finding.seconds_needed[1] for finding in undecided if finding.seconds_needed is not None]
    spent_s = analysed.measured.blocks_s
    if spent_s is not None:
        # If the budget ended the run, the time before the first block was spent too.
        spent_s = max(spent_s, analysed.measured.plan.stopping.budget_s or 0.0)
    if not needs or spent_s is None:
        longer = "a longer --budget"
        if analysed.measured.plan.stopping.fixed_blocks:
            longer = f"more --{'runs' if 'runs' in analysed.measured.plan.options else 'blocks'}"
        elif spent_s is not None:
            longer += f" (--budget {_budget(4 * spent_s)} about halves the intervals)"
        return [*decided, f"Use {longer} or a quieter machine."]
    some = f"{len(needs)} more of them" if len(needs) < len(undecided) else "the rest"
    which = some if len(findings) > 1 else "it"
    return [*decided, f"--budget {_budget(spent_s + max(needs))} would probably decide {which}."]


def count_decided(analysed: Analysed, findings: Sequence[Finding]) -> str:
    """'2 of 12 comparisons are decided.', or a single answer; empty if all are."""
    until = analysed.measured.plan.stopping.until
    number, directed = sum(is_answered(finding, until) for finding in findings), any(map(is_decided, findings))
    if until is Until.CONDITIONS:
        return "" if directed else "The run ended when its limits were decided; no other comparison was decided."
    if number == len(findings):
        return ""
    if len(findings) == 1:
        return answer_sentence(analysed, findings[0])
    if number:
        return f"{number} of {len(findings)} comparisons {'is' if number == 1 else 'are'} decided."
    none = "Neither" if len(findings) == 2 else "None"
    return f"{none} of the {len(findings)} comparisons is {'fully ' if directed else ''}decided."


def _budget(seconds: float) -> str:
    """A value for --budget, rounded up to two digits."""
    value, unit = (seconds, "s") if seconds < 300 else (seconds / 60, "m")
    step = 10.0 ** max(0, math.floor(math.log10(max(value, 1.0))) - 1)
    return f"{math.ceil(value / step) * step:.0f}{unit}"


def _digest(analysed: Analysed, findings: list[Finding]) -> list[str]:
    kinds = {"slower": SLOWER, "faster": FASTER, "equal within the margin": {VerdictId.EQUIVALENT}}
    kind_words = (next((word for word, which in kinds.items() if finding.verdict in which), "") for finding in findings)
    counts = Counter(word or "undecided" for word in kind_words)
    lines = [f"Of {len(findings)} comparisons: {', '.join(f'{number} {word}' for word, number in counts.items())}."]
    directed = [finding for finding in findings if finding.verdict in SLOWER | FASTER and finding.effect is not None]
    ranked = sorted(directed, key=lambda finding: finding.effect.log_ratio if finding.effect else 0.0)
    gains = [finding for finding in ranked[:_NAMED_OF_MANY] if finding.verdict in FASTER]
    costs = [finding for finding in ranked[::-1][:_NAMED_OF_MANY] if finding.verdict in SLOWER]
    for title, chosen in (("The largest costs", costs), ("The largest gains", gains)):
        if chosen:
            lines.append(f"{title}:")
            lines += [_sentence(analysed, finding) for finding in chosen]
    return lines
