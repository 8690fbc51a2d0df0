"""What a reader must know before trusting the figures: the run's check of itself, and its warnings in a line each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.environment import FLAW
from sectax.model.finding import FASTER, SLOWER, Effect, Finding, Severity, VerdictId
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports.diagnostics import alike, all_warnings, failed, skipped
from sectax.reports.notes import empty_loops
from sectax.reports.result_tables import WARNED_MARK
from sectax.reports.words import names
from sectax.stats.run_controls import bias_shown, excludes_known_cost, finds_known_cost, scale_error, takes_verdicts
from sectax.text import claims, units
from sectax.text.printable import printable

# Of the same thing measured twice.
_DIFFERS = SLOWER | FASTER
# The checks of the audit that say what the run's controls of itself do not show.
_OF_CONTROLS = {"negative-control", "positive-control"}
# So many characters of doubts stand on a page, two lines or three; of the others it says which they are.
_ROOM = 200


def distrust(analysed: Analysed, shown: frozenset[str]) -> tuple[list[str], list[str]]:
    """What a reader must know before trusting the figures, the worst first, in about two lines; and what else there is.

    Args:
        shown: the comparisons that it is about.
    """
    doubts = [(name, text) for _, name, text in sorted(_doubts(analysed, shown), key=lambda doubt: doubt[0])]
    lengths = itertools.accumulate(len(text) for _, text in doubts)
    shown_count = max(1, sum(length <= _ROOM for length in lengths))
    return [text for _, text in doubts[:shown_count]], [*dict.fromkeys(name for name, _ in doubts[shown_count:])]


def _doubts(analysed: Analysed, shown: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """The self-check, warnings of what is shown, what failed or was skipped: how bad, what it is called, its words."""
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
    named = names.in_texts(plan)
    heeded = (warning for warning in all_warnings(analysed) if warning.severity is not Severity.NOTE)
    for first, same in alike(warning for warning in heeded if warning.subject not in unseen):
        about = [*dict.fromkeys(names.subject(plan, warning.subject) for warning in same if warning.subject != "run")]
        name, saw = printable(first.check), named(first.saw)
        # The others may have shown other figures.
        whose, more = f"{about[0]}: " if about else "", f"; {len(about) - 1} more like it" if len(about) > 1 else ""
        if first.severity is Severity.FATAL:
            advice = f"; {printable(first.advice)}" if first.advice else ""
            yield 0, name, f"{name}: {whose}{saw}{advice}{more}"
        else:
            rank = 4 if leading.intersection(warning.subject for warning in same) else 5
            yield rank, f"{WARNED_MARK} {name}", f"{WARNED_MARK} {whose}{saw} ({name}{more})"


def self_check(plan: Plan, controls: Sequence[FamilyControls]) -> Iterator[str]:
    """What the run's controls of itself say against it: what a reader must know first."""
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
                f"self-check of {name} failed: a cost of {added} that was added on purpose was measured as "
                f"{claims.interval(positive.effect)}; {_wider(scale_error(positive.effect))}"
            )
        elif not finds_known_cost(positive.effect):
            least = units.share(_least_trusted(plan, family, positive, positive.effect))
            alike = names.metric(plan, positive.comparison.metric), added, least
            undetected.setdefault(alike, []).append(printable(family.family))
    named = {
        alike: ("; " if any("," in family for family in families) else ", ").join(families)
        for alike, families in undetected.items()
    }
    if len(named) > 1:
        metrics = " or ".join(dict.fromkeys(by for by, _, _ in named))
        limits = (f"{least} in {families} (which missed {cost})" for (_, cost, least), families in named.items())
        yield f"known costs in {metrics} were not found; trust no difference under {', '.join(limits)}"
    for (by, cost, least), families in named.items() if len(named) == 1 else ():
        yield f"{families}: a cost of {cost} in {by} was not found; trust no difference under {least}"


def self_checked(analysed: Analysed, shown: frozenset[str]) -> str:
    """What to say of a self-check that saw nothing wrong: that it passed, what of it there was, or what fell beside it.

    Args:
        shown: the comparisons that it is about.
    """
    withdrawn = (finding for finding in analysed.findings if finding.verdict is VerdictId.WITHDRAWN)
    if fallen := sum(finding.comparison.id in shown for finding in withdrawn):
        return f"{units.count(fallen, 'verdict')} withdrawn"
    controls = analysed.controls
    unproven = any(warning.check in _OF_CONTROLS for warning in all_warnings(analysed))
    if controls and all(map(passed, controls)) and not unproven:
        return "self-check passed"
    if not any(family.negative or family.positive for family in controls):
        return "without a self-check"
    missing = "" if any(family.positive for family in controls) else ": no cost was added on purpose"
    return f"self-check incomplete{missing}"


def _known_cost(plan: Plan, family: FamilyControls, positive: Finding) -> float:
    return family.known_cost or plan.nominal_cost(plan.treatment(positive.comparison.treatment))


def _least_trusted(plan: Plan, family: FamilyControls, positive: Finding, effect: Effect) -> float:
    """The share under which a difference may have escaped a run that missed its known cost: the farther end of it."""
    return max(math.expm1(max(abs(effect.low), abs(effect.high))), _known_cost(plan, family, positive))


def _added(plan: Plan, family: FamilyControls, positive: Finding) -> str:
    return units.known_cost(_known_cost(plan, family, positive))


def _wider(log_ratio: float) -> str:
    return f"all intervals are made wider by {units.share(math.expm1(log_ratio))}"


def control_line(plan: Plan, controls: FamilyControls) -> str:
    """How the run's controls of itself came out, in one line."""
    own = (
        control
        for control in (controls.negative, controls.positive)
        if control and control.verdict is VerdictId.WITHDRAWN
    )
    withdrawn = dict.fromkeys(claims.answer(control) for control in own)
    parts = [*_negative(controls), _positive(plan, controls), *withdrawn]
    return f"{_family_name(plan, controls)}: {'; '.join(parts)}"


def _family_name(plan: Plan, controls: FamilyControls) -> str:
    """The family and, where a run compares several metrics, the one that its controls are shown in."""
    control = controls.negative or controls.positive
    several = sum(metric.compared for metric in plan.metrics) > 1
    by = f", {names.metric(plan, control.comparison.metric)}" if several and control is not None else ""
    return f"{printable(controls.family)}{by}"


def passed(controls: FamilyControls) -> bool:
    """Whether the run's check of itself saw nothing wrong in this family, and lacked nothing."""
    negative, positive = controls.negative, controls.positive
    if negative is None or positive is None or negative.effect is None or positive.effect is None:
        return False
    quiet = (negative.withheld or negative.verdict) not in _DIFFERS
    return quiet and claims.is_known(negative.effect) and finds_known_cost(positive.effect)


def _negative(controls: FamilyControls) -> list[str]:
    negative = controls.negative
    if negative is None:
        return ["nothing was compared with itself"]
    verdict = negative.withheld or negative.verdict
    same = "the same thing measured twice:"
    if negative.effect is None:
        return [f"{same} not measured"]
    if not claims.is_known(negative.effect):
        return [f"{same} no interval yet"]
    if verdict in _DIFFERS:
        fallen = takes_verdicts(negative.effect, verdict)
        so = "no verdict stands" if fallen else _wider(bias_shown(negative.effect, verdict))
        verdict_words = f"{same} {claims.interval(negative.effect)}, which is wrong, so {so}"
    else:
        verdict_words = f"{same} no difference seen"
    floor = [] if controls.noise_floor is None else [f"noise of {units.share(controls.noise_floor)}"]
    return [verdict_words, *floor]


def _positive(plan: Plan, controls: FamilyControls) -> str:
    positive = controls.positive
    if positive is None:
        return "no cost was added on purpose"
    if positive.effect is None:
        verdict_words = "not measured"
    elif not claims.is_known(positive.effect):
        verdict_words = "no interval yet"
    elif finds_known_cost(positive.effect):
        verdict_words = f"found ({claims.interval(positive.effect)})"
    elif excludes_known_cost(positive.effect):
        verdict_words = f"wrong ({claims.interval(positive.effect)}), so {_wider(scale_error(positive.effect))}"
    else:
        least = units.share(_least_trusted(plan, controls, positive, positive.effect))
        verdict_words = f"missed ({claims.interval(positive.effect)}); distrust differences under {least}"
    return f"a cost of {_added(plan, controls, positive)} added on purpose: {verdict_words}"
