"""Why a number is missing: a report for programs never leaves a gap unexplained, and never fills one with zero."""

from __future__ import annotations

import math

from sectax.model.analysed import Analysed
from sectax.model.finding import Effect, Estimate, Finding, TreatmentResult

NO_INTERVAL = "too few blocks for an interval of this level"


def no_effect(analysed: Analysed, finding: Finding) -> str:
    """Why a finding has no effect, or its effect no interval; empty where it has both."""
    if finding.effect is not None:
        return no_bounds(finding.effect)
    pair = {finding.comparison.treatment, finding.comparison.baseline}
    reasons = [
        f"{each.treatment}: {each.reason}" for each in analysed.treatments if each.treatment in pair and each.reason
    ]
    return "; ".join(reasons) or "fewer than two blocks have both treatments"


def no_bounds(effect: Effect) -> str:
    return "" if math.isfinite(effect.low) and math.isfinite(effect.high) else NO_INTERVAL


def no_interval(estimate: Estimate) -> str:
    return "" if estimate.low is not None and estimate.high is not None else f"{NO_INTERVAL} (n = {estimate.count})"


def no_estimate(result: TreatmentResult) -> str:
    """Why a treatment has no figure of its own."""
    return result.reason or (f"not one finished block ({result.state})" if result.blocks == 0 else "not observed")
