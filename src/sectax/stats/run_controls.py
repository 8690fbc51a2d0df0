"""Rules for negative controls (a copy) and positive controls (a known cost)."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.model.finding import FASTER, SLOWER, WITHIN_MARGIN, Effect, Finding, VerdictId
from sectax.model.treatment import CONTROLS, Comparison

# Assumed ratio of another arm's bias to the one that a control has shown for sure.
SURE_BIAS_TIMES = 3


def is_sure(control: Effect) -> bool:
    """Whether a negative control also fired at a tenth of its error level."""
    low, high = control.sure_low, control.sure_high
    return low is not None and high is not None and (low > 0 or high < 0)


def withdraws_verdicts(control: Effect, verdict: VerdictId) -> bool:
    """Whether a negative control withdraws verdicts: sure, and above the margin."""
    return is_sure(control) and verdict not in WITHIN_MARGIN


def bias_shown(control: Effect, verdict: VerdictId) -> float:
    """The bias (log ratio) that widens a family's intervals, or 0.

    The control's mean if it may be chance. If sure and within the margin, a multiple of its farther limit, since
    other arms may be biased more than a copy of the baseline (`benchmarks.simulations.negative`).
    """
    farther = max(abs(control.low), abs(control.high))
    if verdict not in SLOWER | FASTER:
        return 0.0
    sure = is_sure(control) and verdict in WITHIN_MARGIN
    return SURE_BIAS_TIMES * farther if sure else abs(control.log_ratio)


def finds_known_cost(control: Effect) -> bool:
    """Whether a positive control is significant and contains the known cost."""
    return control.low > 0 and control.added is not None and not excludes_known_cost(control)


def excludes_known_cost(control: Effect) -> bool:
    """Whether a positive control's interval excludes the known cost."""
    return control.added is not None and not control.low <= control.added <= control.high


def scale_error(control: Effect) -> float:
    """The bias that widens intervals which exclude the known cost, else 0.

    A multiple of the distance to the farther limit, since other arms may be wrong by more
    (`benchmarks.simulations.positive`).
    """
    if control.added is None or not excludes_known_cost(control):
        return 0.0
    return SURE_BIAS_TIMES * max(abs(control.low - control.added), abs(control.high - control.added))


def depends_on_control(
    finding: Finding, positive: Comparison, families: Mapping[str, str], observed: Mapping[str, str]
) -> bool:
    """Whether a verdict depends on this positive control.

    Verdicts within the margin do, for the same observation in the same family: they need proof of sensitivity.

    Args:
        families: family of every cell.
        observed: observation behind every metric.
    """
    compared = finding.comparison
    return (
        finding.verdict in WITHIN_MARGIN
        and compared.standing not in CONTROLS
        and families[compared.cell] == families[positive.cell]
        and observed[compared.metric] == observed[positive.metric]
    )
