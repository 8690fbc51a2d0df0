"""What a reader must know before trusting the figures: the run's check of itself, and its warnings in a line each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.finding import (
    FASTER,
    SLOWER,
    AuditWarning,
    Finding,
    Severity,
    bias_shown,
    excludes_known_cost,
    finds_known_cost,
    scale_error,
    takes_verdicts,
)
from sectax.model.plan import Plan, nominal_cost
from sectax.reports import units
from sectax.reports.diagnostics import all_warnings
from sectax.reports.notes import empty_loops
from sectax.reports.words import claims, names
from sectax.text.printable import printable

# Of the same thing measured twice.
_DIFFERS = SLOWER | FASTER


# So many doubts stand on a page; of the others it says which they are.
_MOST_DOUBTS = 2


def distrust(analysed: Analysed, shown: frozenset[str]) -> Iterator[str]:
    """What a reader must know before trusting the figures: a line for a check that found something in what is shown."""
    plan = analysed.measured.plan
    if analysed.controls and all(map(passed, analysed.controls)):
        yield "self-check passed: equal things came out equal, and a known cost was found"
    if "empty loop" in plan.words:
        yield from empty_loops(analysed)
    unseen = {each.comparison.id for each in analysed.findings} - shown
    by_check: dict[str, list[AuditWarning]] = {}
    for each in all_warnings(analysed):
        if each.severity is not Severity.NOTE and each.subject not in unseen:
            by_check.setdefault(each.check, []).append(each)
    for same in [*by_check.values()][:_MOST_DOUBTS]:
        first = same[0]
        about = [*dict.fromkeys(names.subject(plan, each.subject) for each in same if each.subject != "run")]
        more = f" and {len(about) - 2} more" if len(about) > 2 else ""
        whose = f"{', '.join(about[:2])}{more}: " if about else ""
        hint = f"; {printable(first.advice)}" if first.advice and first.severity is Severity.FATAL else ""
        yield f"{printable(first.check)}: {whose}{printable(first.saw)}{hint}"
    if left := [printable(check) for check in by_check][_MOST_DOUBTS:]:
        yield f"and in all details: {', '.join(left)}"


def self_check(plan: Plan, controls: Sequence[FamilyControls]) -> Iterator[str]:
    """What the run's controls of itself say against it: what a reader must know first."""
    undetected: list[tuple[str, float]] = []
    for family in controls:
        negative, positive = family.negative, family.positive
        name = printable(family.family)
        if negative and negative.effect and (negative.withheld or negative.verdict) in _DIFFERS:
            yield f"self-check of {name} failed: {'; '.join(_negative(family))}"
        if positive is None or positive.effect is None or not claims.is_known(positive.effect):
            continue
        added = _added(plan, family, positive)
        if excludes_known_cost(positive.effect):
            wider = units.share(math.expm1(scale_error(positive.effect)))
            yield (
                f"self-check of {name} failed: a cost of {added} that was added on purpose was measured as "
                f"{claims.interval(positive.effect)}; all intervals are made wider by {wider}"
            )
        elif not finds_known_cost(positive.effect):
            undetected.append((f"{name} {added}", family.smallest_seen or 0.0))
    if undetected:
        least = max(smallest for _, smallest in undetected)
        trust = f"; do not trust differences under {units.share(least)}" if least else ""
        yield f"self-check: an added cost went undetected ({', '.join(text for text, _ in undetected)}){trust}"


def _added(plan: Plan, family: FamilyControls, positive: Finding) -> str:
    extra = family.known_cost or nominal_cost(plan, plan.treatment(positive.comparison.treatment))
    return units.margin(round(extra, 4))


def control_line(plan: Plan, controls: FamilyControls) -> str:
    """How the run's controls of itself came out, in one line."""
    parts = [*_negative(controls), _positive(plan, controls)]
    return f"{printable(controls.family)}: {'; '.join(parts)}"


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
        between = f"{same} {claims.interval(negative.effect)}, which is wrong"
        wider = f"all intervals are made wider by {units.share(math.expm1(bias_shown(negative.effect, verdict)))}"
        seen = f"{between}, so {'no verdict stands' if takes_verdicts(negative.effect, verdict) else wider}"
    else:
        seen = f"{same} no difference seen"
    floor = [] if controls.noise_floor is None else [f"noise of {units.share(controls.noise_floor)}"]
    return [seen, *floor]


def _positive(plan: Plan, controls: FamilyControls) -> str:
    positive = controls.positive
    if positive is None:
        return "no cost was added on purpose"
    if positive.effect is None:
        seen = "not measured"
    elif not claims.is_known(positive.effect):
        seen = "no interval yet"
    elif finds_known_cost(positive.effect):
        seen = f"found ({claims.interval(positive.effect)})"
    elif excludes_known_cost(positive.effect):
        wider = units.share(math.expm1(scale_error(positive.effect)))
        seen = f"wrong ({claims.interval(positive.effect)}), so all intervals are made wider by {wider}"
    else:
        seen = f"missed ({claims.interval(positive.effect)})"
        if controls.smallest_seen is not None:
            seen += f"; this run could not see a cost below {units.share(controls.smallest_seen)}"
    return f"a cost of {_added(plan, controls, positive)} added on purpose: {seen}"
