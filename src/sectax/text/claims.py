"""Claims about one comparison, in words.

One form for all: '46 % faster (26 to 69 %)', and '1.2 % faster to 3.4 % slower' where the direction is open. No signs.

A per cent is always of the faster of the two: '4 % slower' takes 4 % more time for the same work, '4 % faster' does 4 %
more work in the same time. So it is symmetric, as the margin is, and 2 % means the same distance both ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sectax.model.finding import FASTER, NO_CLAIM, SLOWER, Effect, Finding, Severity, VerdictId
from sectax.model.metric import Metric
from sectax.model.plan import FIRST_LOOK
from sectax.text import units
from sectax.text.printable import printable

# From this ratio on, a ratio reads better than a per cent: 'twice as slow', not 'slower by 100 %'.
_RATIO_FROM = 2.0
# From this ratio on, the added amount is what matters: a baseline of nearly nothing makes any cost thousands of times.
_AMOUNT_FROM = 100.0
# Beyond these the figures are useless: an open effect that may be three times either way, and a known direction whose
# far end is more than ten times its near one.
_NOISY_OPEN = math.log(3.0)
_NOISY_DIRECTED = math.log(10.0)

_WITHIN, _PERHAPS = ", within the margin", ", perhaps within the margin"
_GRADES = {
    VerdictId.SLOWER_WITHIN_MARGIN: _WITHIN,
    VerdictId.FASTER_WITHIN_MARGIN: _WITHIN,
    VerdictId.SLOWER_MATERIALITY_OPEN: _PERHAPS,
    VerdictId.FASTER_MATERIALITY_OPEN: _PERHAPS,
}


def verdict(finding: Finding, metric: Metric | None = None) -> str:
    """A finding in words: '3.7 % slower (3.1 to 4.4 %)', with its caveats.

    Args:
        finding: one comparison judged.
        metric: what was compared; decides between 'slower' and 'costlier'. None reads as a time.
    """
    observed, needed = finding.effect, still_needed(finding)
    if finding.verdict is VerdictId.INCONCLUSIVE and not is_pending(finding):
        legible = observed is not None and is_known(observed) and not is_noisy(observed)
        return (
            f"{answer(finding, metric)}; {effect(observed, metric)}"
            if observed and legible
            else answer(finding, metric)
        )
    if observed is None or finding.verdict not in SLOWER | FASTER:
        return in_short(finding, metric)
    words = claimed(finding.verdict, observed, metric)
    return f"{words}: {needed} would decide" if needed and grade(finding.verdict) == _PERHAPS else words


def in_short(finding: Finding, metric: Metric | None = None) -> str:
    """A finding for a table column: its interval, where no caveat is needed."""
    observed = finding.effect
    if observed is None or finding.verdict in {*NO_CLAIM, VerdictId.EQUIVALENT}:
        return answer(finding, metric)
    if is_pending(finding):
        return f"{effect(observed, metric)} so far, {_judged_after(finding)}"
    if words := grade(finding.verdict):
        return f"{interval(observed, metric)}{words}"
    if finding.verdict is not VerdictId.INCONCLUSIVE:
        return effect(observed, metric)
    return f"undecided: {effect(observed, metric)}" if is_known(observed) else effect(observed, metric)


def claimed(verdict: VerdictId, observed: Effect, metric: Metric | None = None) -> str:
    """An effect as a claim: '1.2 % slower (0.4 to 2.1 %), perhaps within the margin'."""
    return f"{effect(observed, metric)}{grade(verdict)}"


def grade(verdict: VerdictId, margin: float | None = None) -> str:
    """The margin part of a verdict; empty where the effect is beyond it."""
    words = _GRADES.get(verdict, "")
    return f"{words} of {units.margin(margin)}" if words and margin is not None else words


def is_pending(finding: Finding) -> bool:
    """Whether a direction is seen before the fixed number of blocks is reached."""
    return finding.verdict is VerdictId.INCONCLUSIVE and finding.effect is not None and _directed(finding.effect)


def answer(finding: Finding, metric: Metric | None = None) -> str:
    """The verdict without figures: 'slower', 'equal within ± 2 %', 'undecided'."""
    observed = finding.effect
    if finding.verdict in SLOWER | FASTER and observed is not None:
        words = direction(observed.low + observed.high, metric) + grade(finding.verdict)
        needed = still_needed(finding)
        return f"{words}: {needed} would decide" if needed and grade(finding.verdict) == _PERHAPS else words
    if is_pending(finding) and observed is not None:
        return f"{direction(observed.low + observed.high, metric)} so far, {_judged_after(finding)}"
    match finding.verdict:
        case VerdictId.EQUIVALENT:
            return f"equal within ± {units.margin(finding.margin)}"
        case VerdictId.INCONCLUSIVE:
            return _undecided(finding)
        case VerdictId.WITHDRAWN:
            checks = withdrawing_checks(finding)
            return f"withdrawn: {checks}" if checks else "withdrawn"
        case VerdictId.NOT_MEASURED:
            return "not measured"
    return finding.verdict.value


def withdrawing_checks(finding: Finding) -> str:
    """The checks that withdrew the verdict."""
    return printable(
        ", ".join(sorted({warning.check for warning in finding.warnings if warning.severity is Severity.FATAL}))
    )


def effect(observed: Effect, metric: Metric | None = None, limit: float | None = None) -> str:
    """An effect with its interval: '46 % faster (26 to 69 %)'.

    Args:
        limit: a share, positive costlier, that no end is rounded to or beyond: 0.05 is 'slower by 5 %'.
    """
    if not is_known(observed) and not _directed(observed):
        return f"{point(observed, metric)} so far"
    if is_noisy(observed) or not _directed(observed):
        return interval(observed, metric, limit)
    return (
        f"{point(observed, metric)} ({units.between(*_bounds(observed, limit))}{'' if _is_ratio(observed) else ' %'})"
    )


def beside_limit(observed: Effect, metric: Metric, limit: float) -> str:
    """As `effect`, with more digits where rounding hides the side of a limit."""
    rounded, exact = effect(observed, metric), effect(observed, metric, limit)
    if is_noisy(observed):  # a wide interval, too, lies on one side of a limit, or on both
        return exact
    return rounded if exact == rounded else f"{rounded}; more exactly {interval(observed, metric, limit)}"


def point(observed: Effect, metric: Metric | None = None) -> str:
    """The middle of an effect: '3.7 % slower', '2.58 times faster', 'no difference'."""
    size = math.exp(abs(observed.log_ratio))
    word = direction(observed.log_ratio, metric)
    # The interval's width on the scale on which it is printed; without an interval about two digits.
    printed = size * (observed.high - observed.low) if is_known(observed) else None
    if _is_ratio(observed):
        number = units.roughly(size) if printed is None else units.number(size, printed)
        return f"{number} times {word}"
    share = (size - 1) * 100
    number = units.roughly(share) if printed is None else units.number(share, printed * 100)
    if number.strip("0."):
        return f"{number} % {word}"
    return f"{units.roughly(share)} % {word}" if _directed(observed) else "no difference"


def interval(observed: Effect, metric: Metric | None = None, limit: float | None = None) -> str:
    """The interval only: '2 to 9 % slower', '1.2 % faster to 3.4 % slower'."""
    if not is_known(observed) and not _directed(observed):
        return "no interval yet"
    if is_noisy(observed) and _directed(observed):
        return f"at least {_nearest(observed)} {direction(observed.low + observed.high, metric)}"
    if is_noisy(observed) and limit is None:
        return "too noisy"
    if not _directed(observed):
        return units.between(_end(observed.low, observed, metric, limit), _end(observed.high, observed, metric, limit))
    return _range_in_words(*_bounds(observed, limit), observed, metric)


def _range_in_words(near: str, far: str, observed: Effect, metric: Metric | None) -> str:
    unit, word = "times" if _is_ratio(observed) else "%", direction(observed.low + observed.high, metric)
    return f"{units.between(near, far)} {unit} {word}"


def farthest(observed: Effect, metric: Metric | None = None) -> str:
    """The costlier end of an interval that contains 0: '3.4 % slower'."""
    return _end(observed.high, observed, metric, None)


def over_all(effects: Sequence[Effect], metric: Metric | None = None) -> str:
    """One effect, or the range of several, each end as printed for its own effect."""
    if len(effects) == 1:
        return effect(effects[0], metric)
    points = [observed.log_ratio for observed in effects]
    least, most = min(effects, key=lambda observed: observed.low), max(effects, key=lambda observed: observed.high)
    whole = replace(effects[0], log_ratio=sum(points) / len(points), low=least.low, high=most.high)
    alike = all(_directed(observed) and _is_ratio(observed) == _is_ratio(whole) for observed in (least, most))
    if is_noisy(whole) or not _directed(whole) or not alike:
        return interval(whole, metric)
    near, far = (least, most) if whole.low > 0 else (most, least)
    return _range_in_words(_bounds(near, None)[0], _bounds(far, None)[1], whole, metric)


def is_known(observed: Effect) -> bool:
    """Whether there is an interval."""
    return math.isfinite(observed.low) and math.isfinite(observed.high)


def is_noisy(observed: Effect) -> bool:
    """Whether the interval is too wide for its figures to be useful."""
    return is_too_wide(observed.low, observed.high)


def is_too_wide(low: float, high: float) -> bool:
    """As `is_noisy`, from the ends of an interval as logarithms."""
    return high - low > _NOISY_DIRECTED if low > 0 or high < 0 else max(abs(low), abs(high)) > _NOISY_OPEN


def _directed(observed: Effect) -> bool:
    return observed.low > 0 or observed.high < 0


def is_meaningless_ratio(observed: Effect) -> bool:
    """Whether a ratio is so large that only the added amount means something."""
    return abs(observed.log_ratio) >= math.log(_AMOUNT_FROM)


def _is_ratio(observed: Effect) -> bool:
    """Whether an effect is printed as a ratio; its point decides for both ends."""
    return abs(observed.log_ratio) >= math.log(_RATIO_FROM)


def _bounds(observed: Effect, limit: float | None) -> tuple[str, str]:
    """Near and far end of an effect of known direction, on the scale of its point."""
    near, far = sorted((abs(observed.low), abs(observed.high)))
    size = None if limit is None or limit * observed.log_ratio < 0 else abs(limit)
    if _is_ratio(observed):
        return units.outward(math.exp(near), math.exp(far), nothing=1.0, limit=None if size is None else 1 + size)
    return units.outward(math.expm1(near) * 100, math.expm1(far) * 100, limit=None if size is None else size * 100)


def _nearest(observed: Effect) -> str:
    """The end nearest to no difference, rounded towards it."""
    near = min(abs(observed.low), abs(observed.high))
    if math.exp(near) >= _RATIO_FROM:
        return f"{units.downward(math.exp(near))} times"
    return f"{units.downward(math.expm1(near) * 100)} %"


def _end(log_ratio: float, observed: Effect, metric: Metric | None, limit: float | None) -> str:
    """One end of an interval that contains 0, rounded away from 0."""
    size = abs(log_ratio)
    if size == 0:
        return "no difference"
    word = direction(log_ratio, metric)
    if size >= math.log(_RATIO_FROM):
        return f"{units.outward(1.0, math.exp(size))[1]} times {word}"
    beyond = None if limit is None else limit * 100
    low, high = units.outward(_mirrored(observed.low) * 100, _mirrored(observed.high) * 100, limit=beyond)
    text = (high if log_ratio > 0 else low).lstrip("−")
    return f"{text} % {word}" if text.strip("0.") else "no difference"


def direction(log_ratio: float, metric: Metric | None) -> str:
    """'slower' or 'faster' for times, 'larger' for bytes, 'costlier' for other units."""
    if metric is None or metric.unit in {"s"} or metric.unit.endswith("/s"):
        return "slower" if log_ratio > 0 else "faster"
    if metric.unit == "B":
        return "larger" if log_ratio > 0 else "smaller"
    return "costlier" if log_ratio > 0 else "cheaper"


def still_needed(finding: Finding) -> str:
    """'about 40 to 100 s more', or empty where that is not known."""
    if finding.effect is None or finding.effect.blocks_needed is None:
        return ""
    if finding.seconds_needed is not None:
        return f"about {units.seconds_range(*finding.seconds_needed)} more"
    low, high = finding.effect.blocks_needed
    return f"{low if low == high else f'{low} to {high}'} block{'' if high == 1 else 's'} more"


def _judged_after(finding: Finding) -> str:
    blocks = None if finding.effect is None else finding.effect.blocks_needed
    return "not judged yet" if blocks is None else f"judged after {units.count(blocks[1], 'more block')}"


def _undecided(finding: Finding) -> str:
    observed, needed = finding.effect, still_needed(finding)
    if observed is None:
        return "undecided"
    if is_known(observed) and is_noisy(observed):
        return f"too noisy: run longer ({needed})" if needed else "too noisy: run longer"
    if not needed and observed.blocks == 1:
        needed = "from one block alone"
    if not needed and observed.blocks < FIRST_LOOK:
        needed = f"at least {units.count(FIRST_LOOK - observed.blocks, 'block')} more"
    return f"undecided: {needed}" if needed else "undecided"


def _mirrored(log_ratio: float) -> float:
    return math.copysign(math.expm1(abs(log_ratio)), log_ratio)
