"""What a run's controls of itself show: the baseline against its own copy, and a cost that was added on purpose."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.model.finding import FASTER, SLOWER, WITHIN_MARGIN, Effect, Finding, VerdictId
from sectax.model.treatment import CONTROLS, Comparison

# How far a bias that a control has surely shown may differ from one arm to another.
SURE_BIAS_TIMES = 3


def fired_for_sure(control: Effect) -> bool:
    """Whether a negative control fired at a tenth of its error level too."""
    low, high = control.sure_low, control.sure_high
    return low is not None and high is not None and (low > 0 or high < 0)


def takes_verdicts(control: Effect, verdict: VerdictId) -> bool:
    """Whether no verdict of its run stands after a negative control: a sure difference that may exceed the margin."""
    return fired_for_sure(control) and verdict not in WITHIN_MARGIN


def bias_shown(control: Effect, verdict: VerdictId) -> float:
    """By how much the intervals of a negative control's family are moved outward, a log ratio; 0 where it saw nothing.

    Its mean where it may be chance: the bias is as likely larger as smaller. Where it is sure, and within the margin,
    so many times its farther limit, since an arm of another kind may be off by more than a copy of the baseline
    (`benchmarks.simulations.negative`).
    """
    farther = max(abs(control.low), abs(control.high))
    if verdict not in SLOWER | FASTER:
        return 0.0
    sure = fired_for_sure(control) and verdict in WITHIN_MARGIN
    return SURE_BIAS_TIMES * farther if sure else abs(control.log_ratio)


def finds_known_cost(control: Effect) -> bool:
    """Whether a positive control was found: its direction is seen, and its interval holds the cost that was added."""
    return control.low > 0 and control.added is not None and not excludes_known_cost(control)


def excludes_known_cost(control: Effect) -> bool:
    """Whether a positive control's interval excludes the cost that was added: the run's scale is wrong."""
    return control.added is not None and not control.low <= control.added <= control.high


def scale_error(control: Effect) -> float:
    """By how much the intervals of a positive control's family are moved outward; 0 where it holds its known cost.

    As after a negative control that is sure, so many times the distance of its farther limit: what makes one arm wrong
    may make another as wrong, or more so (`benchmarks.simulations.positive`).
    """
    if control.added is None or not excludes_known_cost(control):
        return 0.0
    return SURE_BIAS_TIMES * max(abs(control.low - control.added), abs(control.high - control.added))


def depends_on_control(
    finding: Finding, positive: Comparison, families: Mapping[str, str], observed: Mapping[str, str]
) -> bool:
    """Whether a verdict falls with this positive control.

    It does where it says 'no more than the margin' of observations of the same kind in the same family: those claims
    need the proof that the run could see so little. Larger effects need none, and a control of times says nothing of
    memory.

    Args:
        families: family of every cell.
        observed: what every metric is made of.
    """
    compared = finding.comparison
    return (
        finding.verdict in WITHIN_MARGIN
        and compared.standing not in CONTROLS
        and families[compared.cell] == families[positive.cell]
        and observed[compared.metric] == observed[positive.metric]
    )
