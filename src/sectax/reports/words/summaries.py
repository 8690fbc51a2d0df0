"""The summary in words that ends a report: one sentence for every comparison that answers the question."""

from __future__ import annotations

import math
from collections import Counter

from sectax.model.analysed import Analysed
from sectax.model.finding import FASTER, SLOWER, Finding, Severity, VerdictId
from sectax.model.plan import last_look
from sectax.model.printable import printable
from sectax.model.treatment import Standing
from sectax.reports import units
from sectax.reports.words import claims, names

# More sentences than this are not read: then the verdicts are counted and the largest effects named.
_MOST_SENTENCES = 12
_NAMED_OF_MANY = 3
# An interval narrower than this share of its ratio is given by its point: '2.6 times faster'.
_NARROW = 0.1

_WITHOUT = {
    VerdictId.INVALID: "invalid",
    VerdictId.WITHDRAWN: "withdrawn",
    VerdictId.NOT_MEASURED: "not measured",
}


def summary(analysed: Analysed) -> list[str]:
    """What the run found, as sentences; of the primary comparisons, or of all where none is primary."""
    headline = [each for each in analysed.findings if each.comparison.standing is Standing.PRIMARY]
    reported = headline or [each for each in analysed.findings if each.comparison.standing is Standing.SECONDARY]
    lines = _state(analysed)
    if not reported:
        return [*lines, "Nothing was compared."]
    spoken = [each for each in reported if each.verdict not in _WITHOUT]
    if len(spoken) > _MOST_SENTENCES:
        lines += _digest(analysed, spoken)
    else:
        lines += [_sentence(analysed, each) for each in spoken]
    silent = [each for each in reported if each.verdict in _WITHOUT]
    if silent:
        lines.append(_silence(silent, len(reported)))
    if not headline:
        # An error level of its own for each; with --simultaneous it is smaller.
        level = f"{100 * (1 - max(each.comparison.alpha for each in reported)):.4g} %"
        lines.append(f"None of these comparisons was declared primary: each stands at {level} by itself.")
    return lines


def _silence(silent: list[Finding], reported: int) -> str:
    """How many comparisons have no verdict, and why: '2 of 4 comparisons without a verdict: 2 withdrawn (timer).'"""
    reasons: Counter[str] = Counter()
    for each in silent:
        fatal = sorted({printable(warning.check) for warning in each.warnings if warning.severity is Severity.FATAL})
        reasons[_WITHOUT[each.verdict] + (f" ({', '.join(fatal)})" if fatal else "")] += 1
    counts = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
    if len(silent) == reported:
        return f"No comparison has a verdict: {counts}."
    return f"{len(silent)} of {reported} comparisons without a verdict: {counts}."


def _state(analysed: Analysed) -> list[str]:
    measured = analysed.measured
    if measured.state == "finished":
        return []
    word = "was interrupted" if measured.state == "interrupted" else "has not finished"
    number = len(measured.blocks)
    limit = "" if measured.calibrated is None else f" of at most {last_look(measured.plan, measured.calibrated)}"
    return [f"The run {word} after {number}{limit} blocks."]


def _sentence(analysed: Analysed, finding: Finding) -> str:
    plan = analysed.measured.plan
    comparison = finding.comparison
    metric = plan.metric(comparison.metric)
    treatment = names.spoken_treatment(plan, comparison.treatment)
    baseline = names.spoken_treatment(plan, comparison.baseline)
    place, verb, manner = names.spoken_cell(plan, plan.cell(comparison.cell))
    if comparison.metric != plan.metrics[0].name:
        manner = f", in {names.metric(plan, comparison.metric)}{manner}"
    seen = finding.effect
    if finding.verdict is VerdictId.EQUIVALENT or seen is None:
        equal = "fast" if claims.direction(1.0, metric) == "slower" else "costly"
        words = f"{treatment} {verb or 'is'} as {equal} as {baseline}, within ± {units.margin(finding.margin)}"
        return f"{place}{words}{manner}."
    if finding.verdict is VerdictId.INCONCLUSIVE:
        better, worse = claims.direction(-1.0, metric), claims.direction(1.0, metric)
        needed = claims.blocks_needed(finding)
        undecided = f"{place}it is undecided" if place else "It is undecided"
        doubt = f"{undecided} whether {treatment} {verb or 'is'} {better} or {worse} than {baseline}{manner}"
        return f"{doubt}: {needed}." if needed else f"{doubt}."
    words = f"{treatment} {verb or 'is'} {_extent(finding)} {claims.direction(seen.low, metric)} than {baseline}"
    return f"{place}{words}{manner}{_grade(finding)}."


def _extent(finding: Finding) -> str:
    seen = finding.effect
    if seen is None:
        return ""
    size, ratio = claims.size(seen)
    if not ratio:
        return size
    if seen.high - seen.low > _NARROW:
        return f"{size} times"
    point = math.exp(abs(seen.log_ratio))
    places = 1 - math.floor(math.log10(point))
    return f"{units.fixed(point, places)} times"


def _grade(finding: Finding) -> str:
    margin = units.margin(finding.margin)
    if finding.verdict in {VerdictId.SLOWER_WITHIN_MARGIN, VerdictId.FASTER_WITHIN_MARGIN}:
        return f", which is within the margin of {margin}"
    if finding.verdict in {VerdictId.SLOWER_MATERIALITY_OPEN, VerdictId.FASTER_MATERIALITY_OPEN}:
        return f"; whether that passes the margin of {margin} is open"
    return ""


def _digest(analysed: Analysed, findings: list[Finding]) -> list[str]:
    counts = Counter(
        "slower" if each.verdict in SLOWER else "faster" if each.verdict in FASTER else each.verdict.value
        for each in findings
    )
    lines = [f"Of {len(findings)} comparisons: {', '.join(f'{number} {word}' for word, number in counts.items())}."]
    directed = [each for each in findings if each.verdict in SLOWER | FASTER and each.effect is not None]
    ranked = sorted(directed, key=lambda each: each.effect.log_ratio if each.effect else 0.0)
    gains = [each for each in ranked[:_NAMED_OF_MANY] if each.verdict in FASTER]
    costs = [each for each in ranked[::-1][:_NAMED_OF_MANY] if each.verdict in SLOWER]
    for title, chosen in (("The largest costs", costs), ("The largest gains", gains)):
        if chosen:
            lines.append(f"{title}:")
            lines += [_sentence(analysed, each) for each in chosen]
    return lines
