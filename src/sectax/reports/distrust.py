"""What a reader must know before trusting the figures: the run's check of itself, and its warnings in a line each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.finding import FASTER, SLOWER, Severity, bias_shown, takes_verdicts
from sectax.model.plan import Plan, nominal_cost
from sectax.model.printable import printable
from sectax.reports import units
from sectax.reports.diagnostics import alike, all_warnings
from sectax.reports.notes import empty_loops
from sectax.reports.words import claims, names

# Of the same thing measured twice.
_DIFFERS = SLOWER | FASTER


def distrust(analysed: Analysed, shown: frozenset[str]) -> Iterator[str]:
    """What a reader must know before trusting the figures: a line for each warning that touches what is shown."""
    plan = analysed.measured.plan
    yield from _self_check(plan, analysed.controls)
    if "empty loop" in plan.words:
        yield from empty_loops(analysed)
    unseen = {each.comparison.id for each in analysed.findings} - shown
    for first, same in alike(each for each in all_warnings(analysed) if each.subject not in unseen):
        if first.severity is Severity.NOTE:
            continue
        about = [*dict.fromkeys(names.subject(plan, each.subject) for each in same if each.subject != "run")]
        more = f" and {len(about) - 2} more" if len(about) > 2 else ""
        whose = f"{', '.join(about[:2])}{more}: " if about else ""
        hint = f"; {printable(first.advice)}" if first.advice and first.severity is Severity.FATAL else ""
        yield f"{printable(first.check)}: {whose}{printable(first.saw)}{hint}"


def _self_check(plan: Plan, controls: Sequence[FamilyControls]) -> Iterator[str]:
    """What the run's controls of itself say against it, or that they say nothing."""
    if controls and all(map(passed, controls)):
        yield "self-check passed: equal things came out equal, and a known cost was found"
        return
    blind = []
    for each in controls:
        negative, positive = each.negative, each.positive
        if negative and negative.effect and (negative.withheld or negative.verdict) in _DIFFERS:
            yield f"self-check of {printable(each.family)} failed: {'; '.join(_negative(each))}"
        missed = positive is not None and positive.effect is not None and claims.is_known(positive.effect)
        if positive and missed and (positive.withheld or positive.verdict) not in SLOWER:
            least = "" if each.smallest_seen is None else f" below {units.share(each.smallest_seen)}"
            extra = each.known_cost or nominal_cost(plan, plan.treatment(positive.comparison.treatment))
            blind.append(f"{printable(each.family)}{least} (it missed one of {units.margin(round(extra, 3))})")
    if blind:
        yield f"self-check: this run could not see costs in {', '.join(blind)}"


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
    return quiet and claims.is_known(negative.effect) and (positive.withheld or positive.verdict) in SLOWER


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
    extra = controls.known_cost
    if extra is None:
        extra = nominal_cost(plan, plan.treatment(positive.comparison.treatment))
    if positive.effect is None:
        seen = "not measured"
    elif not claims.is_known(positive.effect):
        seen = "no interval yet"
    elif (positive.withheld or positive.verdict) in SLOWER:
        seen = f"found ({claims.interval(positive.effect)})"
    else:
        seen = f"missed ({claims.interval(positive.effect)})"
        if controls.smallest_seen is not None:
            seen += f"; this run could not see a cost below {units.share(controls.smallest_seen)}"
    return f"a cost of {units.margin(round(extra, 4))} added on purpose: {seen}"
