"""Caveats of a report: the run's self-check, and warnings in a line each."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.environment import FLAW
from sectax.model.finding import FASTER, SLOWER, AuditWarning, Effect, Finding, Severity, VerdictId
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports.diagnostics import all_warnings, failed, group_warnings, skipped
from sectax.reports.notes import empty_loops
from sectax.reports.result_tables import WARNED_MARK
from sectax.reports.words import names
from sectax.stats.run_controls import bias_shown, excludes_known_cost, finds_known_cost, scale_error, withdraws_verdicts
from sectax.text import claims, units
from sectax.text.printable import printable

# The baseline and its copy must not differ.
_DIFFERS = SLOWER | FASTER
# The checks of the audit on negative and positive controls.
_OF_CONTROLS = {"negative-control", "positive-control"}
# The rank of caveats that are smaller than the intervals beside them.
_ONLY_NAMED = 6
_SIZE = re.compile(r"may change it by (\d+(?:\.\d+)?) %")
_SMALL = 0.1  # a share of the interval's half-width
# Characters for caveats in the one-screen report, about two lines; the others are only named.
_ROOM = 200


def distrust(analysed: Analysed, shown: frozenset[str]) -> tuple[list[str], list[str]]:
    """The worst caveats in about two lines, and the names of the others."""
    doubts = [(name, text) for _, name, text in sorted(_doubts(analysed, shown), key=lambda doubt: doubt[0])]
    lengths = itertools.accumulate(len(text) for _, text in doubts)
    shown_count = max(1, sum(length <= _ROOM for length in lengths))
    shown_count = min(shown_count, sum(bool(text) for _, text in doubts))  # those without a text are last
    return [text for _, text in doubts[:shown_count]], [*dict.fromkeys(name for name, _ in doubts[shown_count:])]


def _doubts(analysed: Analysed, shown: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """Caveats, each with its rank (0 is worst), name and text."""
    plan = analysed.measured.plan
    for text in analysed.measured.circumstances(FLAW):
        yield 0, "proof", f"not sound: {printable(text)}"
    for text in self_check(plan, analysed.controls):
        yield 2, "self-check", text
    if "empty loop" in plan.words:
        for text in empty_loops(analysed):
            yield 3, "notes", text
    for rank, name, missing in ((1, "failed", failed(analysed, False)), (3, "skipped", skipped(analysed, False))):
        for absent in missing:
            hint = f" ({absent.why.hint})" if absent.why.hint else ""
            yield rank, name, f"{name}: {', '.join(absent.what)}: {absent.why.reason}{hint}"
    compared = [finding.comparison for finding in analysed.findings]
    unseen = {comparison.id for comparison in compared} - shown
    unseen |= {comparison.metric for comparison in compared} - {
        comparison.metric for comparison in compared if comparison.id in shown
    }
    leading = {
        about
        for comparison in compared
        if comparison.standing is Standing.PRIMARY
        for about in (comparison.id, comparison.treatment, comparison.baseline)
    }
    label = names.plan_labeller(plan)
    serious = (warning for warning in all_warnings(analysed) if warning.severity is not Severity.NOTE)
    for first, group in group_warnings(warning for warning in serious if warning.subject not in unseen):
        about = [*dict.fromkeys(names.subject(plan, warning.subject) for warning in group if warning.subject != "run")]
        name, saw = printable(first.check), label(first.saw)
        # The figures of the others may differ.
        subject_label = f"{about[0]}: " if about else ""
        more = f"; also in {len(about) - 1} more" if len(about) > 1 else ""
        if first.severity is Severity.FATAL:
            advice = f"; {printable(first.advice)}" if first.advice else ""
            yield 0, name, f"{name}: {subject_label}{saw}{advice}{more}"
        else:
            rank = 4 if leading.intersection(warning.subject for warning in group) else 5
            if all(_is_small_beside(analysed, warning) for warning in group):
                yield _ONLY_NAMED, f"{WARNED_MARK} {name}", ""
                continue
            yield rank, f"{WARNED_MARK} {name}", f"{WARNED_MARK} {subject_label}{saw} ({name}{more})"


def _is_small_beside(analysed: Analysed, warning: AuditWarning) -> bool:
    """Whether what a warning may change is small beside the intervals of its comparisons."""
    match = _SIZE.search(warning.meaning)
    effects = [
        finding.effect
        for finding in analysed.findings
        if finding.effect is not None
        and claims.is_known(finding.effect)
        and warning.subject in {finding.comparison.id, finding.comparison.treatment, finding.comparison.baseline}
    ]
    if match is None or not effects:
        return False
    return float(match[1]) / 100 < _SMALL * min(effect.high - effect.low for effect in effects) / 2


def self_check(plan: Plan, controls: Sequence[FamilyControls]) -> Iterator[str]:
    """Failures of the run's own negative and positive controls, as sentences."""
    undetected: dict[tuple[str, str, str], list[str]] = {}
    for family in controls:
        negative, positive = family.negative, family.positive
        name = _family_name(plan, family)
        if negative and negative.effect and (negative.withheld or negative.verdict) in _DIFFERS:
            yield f"self-check of {name} failed: {'; '.join(_negative(family))}"
        if positive is None or positive.effect is None or not claims.is_known(positive.effect):
            continue
        added = _added(plan, family, positive)
        if excludes_known_cost(positive.effect):
            yield (
                f"self-check of {name} failed: an added cost of {added} was measured as "
                f"{claims.interval(positive.effect)}; {_wider(scale_error(positive.effect))}"
            )
        elif not finds_known_cost(positive.effect):
            least = units.share(_least_trusted(plan, family, positive, positive.effect))
            limit = names.metric(plan, positive.comparison.metric), added, least
            undetected.setdefault(limit, []).append(_place(plan, family))
    joined = {
        limit: ("; " if any("," in family for family in families) else ", ").join(families)
        for limit, families in undetected.items()
    }
    if len(joined) > 1:
        metrics = " or ".join(dict.fromkeys(by for by, _, _ in joined))
        limits = (f"{least} in {families} (which missed {cost})" for (_, cost, least), families in joined.items())
        yield f"added costs in {metrics} missed; so may be differences under {', '.join(limits)}"
    for (by, cost, least), families in joined.items() if len(joined) == 1 else ():
        yield f"{families}: added cost of {cost} in {by} missed; so may be differences under {least}"


def self_checked(analysed: Analysed, shown: frozenset[str]) -> str:
    """The state of a self-check without failures, or the withdrawn verdicts."""
    withdrawn = (finding for finding in analysed.findings if finding.verdict is VerdictId.WITHDRAWN)
    if number := sum(finding.comparison.id in shown for finding in withdrawn):
        return f"{units.count(number, 'verdict')} withdrawn"
    controls = analysed.controls
    unproven = any(warning.check in _OF_CONTROLS for warning in all_warnings(analysed))
    if controls and all(map(passed, controls)) and not unproven:
        return "self-check passed"
    if not any(family.negative or family.positive for family in controls):
        return "without a self-check"
    missing = "" if any(family.positive for family in controls) else ": no added cost"
    return f"self-check incomplete{missing}"


def _known_cost(plan: Plan, family: FamilyControls, positive: Finding) -> float:
    return family.known_cost or plan.nominal_cost(plan.treatment(positive.comparison.treatment))


def _least_trusted(plan: Plan, family: FamilyControls, positive: Finding, effect: Effect) -> float:
    """The share under which a run with a missed added cost may miss differences."""
    return max(math.expm1(max(abs(effect.low), abs(effect.high))), _known_cost(plan, family, positive))


def _added(plan: Plan, family: FamilyControls, positive: Finding) -> str:
    return units.known_cost(_known_cost(plan, family, positive))


def _wider(log_ratio: float) -> str:
    return f"all intervals are widened by {units.share(math.expm1(log_ratio))}"


def control_line(plan: Plan, controls: FamilyControls) -> str:
    """The result of the self-check of one family, in one line."""
    withdrawn_controls = (
        control
        for control in (controls.negative, controls.positive)
        if control and control.verdict is VerdictId.WITHDRAWN
    )
    withdrawn = dict.fromkeys(claims.answer(control) for control in withdrawn_controls)
    parts = [*_negative(controls), _positive(plan, controls), *withdrawn]
    return f"{_family_name(plan, controls)}: {'; '.join(parts)}"


def _family_name(plan: Plan, controls: FamilyControls) -> str:
    """The family, and the metric of its controls if the run compares several."""
    control = controls.negative or controls.positive
    several = sum(metric.compared for metric in plan.metrics) > 1
    by = f", {names.metric(plan, control.comparison.metric)}" if several and control is not None else ""
    return f"{_place(plan, controls)}{by}"


def _place(plan: Plan, controls: FamilyControls) -> str:
    """The family, and the cell of its controls if it has several: their noise is not that of the others."""
    cells = [cell.id for cell in plan.cells if cell.family == controls.family]
    control = controls.negative or controls.positive
    name = printable(controls.family)
    if len(cells) < 2 or control is None:
        return name
    title = names.cell(plan, control.comparison.cell)
    return title if name in title.split(" · ") else f"{name} ({title})"


def passed(controls: FamilyControls) -> bool:
    """Return whether the self-check of this family is complete and passed."""
    negative, positive = controls.negative, controls.positive
    if negative is None or positive is None or negative.effect is None or positive.effect is None:
        return False
    differs = (negative.withheld or negative.verdict) in _DIFFERS
    return not differs and claims.is_known(negative.effect) and finds_known_cost(positive.effect)


def _negative(controls: FamilyControls) -> list[str]:
    negative = controls.negative
    if negative is None:
        return ["baseline not compared with its copy"]
    verdict = negative.withheld or negative.verdict
    label = "baseline against its copy:"
    if negative.effect is None:
        return [f"{label} not measured"]
    if not claims.is_known(negative.effect):
        return [f"{label} no interval yet"]
    if verdict in _DIFFERS:
        withdrawn = withdraws_verdicts(negative.effect, verdict)
        consequence = "all verdicts are withdrawn" if withdrawn else _wider(bias_shown(negative.effect, verdict))
        verdict_words = f"{label} {claims.interval(negative.effect)}, which is wrong, so {consequence}"
    else:
        verdict_words = f"{label} no difference detected"
    floor = [] if controls.noise_floor is None else [f"noise floor {units.share(controls.noise_floor)}"]
    return [verdict_words, *floor]


def _positive(plan: Plan, controls: FamilyControls) -> str:
    positive = controls.positive
    if positive is None:
        return "no added cost"
    if positive.effect is None:
        verdict_words = "not measured"
    elif not claims.is_known(positive.effect):
        verdict_words = "no interval yet"
    elif finds_known_cost(positive.effect):
        verdict_words = f"detected ({claims.interval(positive.effect)})"
    elif excludes_known_cost(positive.effect):
        verdict_words = f"wrong ({claims.interval(positive.effect)}), so {_wider(scale_error(positive.effect))}"
    else:
        least = units.share(_least_trusted(plan, controls, positive, positive.effect))
        verdict_words = f"missed ({claims.interval(positive.effect)}); so may be differences under {least}"
    return f"added cost of {_added(plan, controls, positive)}: {verdict_words}"
