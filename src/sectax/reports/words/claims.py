"""What may be claimed of one comparison, in words.

A per cent is always of the faster of the two: 'slower by 4 %' takes 4 % more time for the same work, 'faster by 4 %'
does 4 % more work in the same time. So it mirrors, as the margin does, and 'by 2 %' means the same distance both ways.
"""

from __future__ import annotations

import math

from sectax.model.finding import FASTER, SLOWER, Effect, Finding, Severity, VerdictId
from sectax.model.metric import Metric
from sectax.model.plan import FIRST_LOOK
from sectax.reports import units

# From here on a ratio reads better than a per cent: 'twice as slow', not 'slower by 100 %'.
_RATIO_FROM = 2.0
# A margin or an interval (as a ratio of its ends) past these tells nobody anything.
_LARGEST_MARGIN = 10.0
_WIDEST = math.log(1000.0)

_GRADES = {
    VerdictId.SLOWER_MATERIAL: "material",
    VerdictId.FASTER_MATERIAL: "material",
    VerdictId.SLOWER_WITHIN_MARGIN: "within the margin",
    VerdictId.FASTER_WITHIN_MARGIN: "within the margin",
    VerdictId.SLOWER_MATERIALITY_OPEN: "materiality open",
    VerdictId.FASTER_MATERIALITY_OPEN: "materiality open",
}


def verdict(finding: Finding, metric: Metric | None = None) -> str:
    """The verdict of a finding in words: 'slower by 3.1 to 4.4 %, material'.

    Args:
        finding: one comparison judged.
        metric: what was compared; decides between 'slower' and 'costlier'. None reads as a time.
    """
    effect_seen = finding.effect
    if finding.verdict in SLOWER | FASTER and effect_seen is not None:
        words = f"{_directed(effect_seen, metric)}, {_GRADES[finding.verdict]}"
        needed = blocks_needed(finding)
        return f"{words}; {needed} to settle it" if needed and "open" in words else words
    match finding.verdict:
        case VerdictId.EQUIVALENT:
            return f"equivalent within ± {units.margin(finding.margin)}"
        case VerdictId.INCONCLUSIVE:
            return _inconclusive(finding)
        case VerdictId.INVALID:
            return "invalid: the blocks contradict each other, so no interval holds"
        case VerdictId.WITHDRAWN:
            checks = sorted({warning.check for warning in finding.warnings if warning.severity is Severity.FATAL})
            return f"withdrawn: {', '.join(checks)}" if checks else "withdrawn"
        case VerdictId.NOT_MEASURED:
            return "not measured"
    return finding.verdict.value


def effect(seen: Effect, metric: Metric | None = None) -> str:
    """The point of an effect: '3.7 % slower', '2.58 times faster', or with its sign where the direction is open."""
    width = seen.high - seen.low
    if not math.isfinite(width):
        ratio, word = math.exp(abs(seen.log_ratio)), direction(seen.log_ratio, metric)
        if ratio >= _RATIO_FROM:
            return f"{units.roughly(ratio)} times {word}"
        return f"{units.roughly((ratio - 1) * 100)} % {word}"
    if seen.low <= 0 <= seen.high:
        if abs(seen.log_ratio) >= math.log(_RATIO_FROM):
            return f"{units.number(math.exp(seen.log_ratio))} times the cost"
        return f"{units.signed(units.number(_mirrored(seen.log_ratio) * 100, width * 100))} %"
    size = math.exp(abs(seen.log_ratio))
    word = direction(seen.log_ratio, metric)
    # The interval's width on the scale on which it is printed.
    printed = size * width
    if size >= _RATIO_FROM:
        return f"{units.number(size, printed)} times {word}"
    return f"{units.number((size - 1) * 100, printed * 100)} % {word}"


def interval(seen: Effect) -> str:
    """The interval with its signs, positive always costlier: '−1.2 to +3.4 %'."""
    if not (math.isfinite(seen.low) and math.isfinite(seen.high)):
        return "no interval yet"
    if seen.high - seen.low > _WIDEST:
        return "the interval is too wide to tell anything"
    if max(abs(seen.low), abs(seen.high)) >= math.log(_RATIO_FROM):
        low, high = units.outward(math.exp(seen.low), math.exp(seen.high), nothing=1.0)
        return f"{low} to {high} times the cost"
    low, high = units.outward(_mirrored(seen.low) * 100, _mirrored(seen.high) * 100)
    return f"{units.signed(low)} to {units.signed(high)} %"


def direction(log_ratio: float, metric: Metric | None) -> str:
    """'slower' or 'faster', and where no time is meant 'costlier' or 'cheaper'."""
    if metric is None or metric.unit in {"s"} or metric.unit.endswith("/s"):
        return "slower" if log_ratio > 0 else "faster"
    return "costlier" if log_ratio > 0 else "cheaper"


def size(seen: Effect) -> tuple[str, bool]:
    """How large an effect of known direction is: ('3.1 to 4.4 %', False) or ('2.55 to 2.62', True) for a ratio."""
    near, far = sorted((abs(seen.low), abs(seen.high)))
    if not math.isfinite(far):
        return (f"at least {units.number((math.exp(near) - 1) * 100)} %", False)
    ratio = math.exp(far) >= _RATIO_FROM
    bounds = (math.exp(near), math.exp(far)) if ratio else (math.expm1(near) * 100, math.expm1(far) * 100)
    low, high = units.outward(*bounds, nothing=1.0 if ratio else 0.0)
    if ratio:
        return (low if low == high else f"{low} to {high}", True)
    return (f"{low} %" if low == high else f"{low} to {high} %", False)


def blocks_needed(finding: Finding) -> str:
    """'12 to 30 blocks (about 40 to 100 s) more', or nothing where that is not known."""
    if finding.effect is None or finding.effect.blocks_needed is None:
        return ""
    low, high = finding.effect.blocks_needed
    count = f"{low}" if low == high else f"{low} to {high}"
    blocks = f"{count} block{'' if high == 1 else 's'}"
    if finding.seconds_needed is None:
        return f"{blocks} more"
    return f"{blocks} (about {units.seconds_range(*finding.seconds_needed)}) more"


def _directed(seen: Effect, metric: Metric | None) -> str:
    word = direction(seen.log_ratio if seen.low <= 0 <= seen.high else seen.low, metric)
    extent, ratio = size(seen)
    return f"{extent} times {word}" if ratio else f"{word} by {extent}"


def _inconclusive(finding: Finding) -> str:
    seen = finding.effect
    if seen is None:
        return "inconclusive"
    margin, reach = (
        None if each is None or each > _LARGEST_MARGIN else each for each in (seen.margin_needed, seen.margin_in_reach)
    )
    if margin is None and seen.margin_needed is not None:
        return "inconclusive: how much these blocks resolve is not known"
    smallest = ""
    if margin is not None:
        smallest = f"± {units.share(margin)} is the smallest margin these blocks resolve"
        if reach is not None:
            smallest += f", about {units.share(reach)} the whole budget"
    elif reach is not None:
        smallest = f"about ± {units.share(reach)} is the smallest margin that the whole budget resolves"
    needed = blocks_needed(finding)
    if not needed and seen.blocks < FIRST_LOOK:
        more = FIRST_LOOK - seen.blocks
        needed = f"at least {more} block{'' if more == 1 else 's'} more for an interval"
    reasons = "; ".join(part for part in (needed, smallest) if part)
    return f"inconclusive: {reasons}" if reasons else "inconclusive"


def _mirrored(log_ratio: float) -> float:
    return math.copysign(math.expm1(abs(log_ratio)), log_ratio)
