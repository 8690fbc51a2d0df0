"""Why a number is missing: reports explain every gap and never fill it with zero."""

from __future__ import annotations

import math

from sectax.model.analysed import Analysed
from sectax.model.finding import OBSERVED_MAXIMUM, OBSERVED_MINIMUM, Estimate, Finding, TreatmentResult
from sectax.reports.document import Block, Footnotes
from sectax.text.printable import printable

NO_INTERVAL = "too few blocks for an interval of this level"
NO_PAIR = "fewer than two blocks have both treatments"


class Gaps:
    """Numbered reasons: a table has 'missing [1]', and its footnotes say why."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def missing(self, reason: str) -> str:
        return f"missing [{self._numbers.setdefault(reason, len(self._numbers) + 1)}]"

    def footnotes(self) -> tuple[Block, ...]:
        texts = tuple(f"[{number}] {printable(reason)}" for reason, number in self._numbers.items())
        return (Footnotes(texts),) if texts else ()


def no_effect(analysed: Analysed, finding: Finding) -> str:
    """Why a finding has no effect, or its effect no interval; empty if it has both."""
    if finding.effect is not None:
        return "" if math.isfinite(finding.effect.low) and math.isfinite(finding.effect.high) else NO_INTERVAL
    pair = {finding.comparison.treatment, finding.comparison.baseline}
    reasons = [
        f"{treatment.treatment}: {treatment.reason}"
        for treatment in analysed.treatments
        if treatment.treatment in pair and treatment.reason
    ]
    return "; ".join(reasons) or NO_PAIR


def no_interval(estimate: Estimate) -> str:
    if estimate.low is not None and estimate.high is not None:
        return ""
    if estimate.method in (OBSERVED_MAXIMUM, OBSERVED_MINIMUM):
        # All of n independent values are within the lowest share p of a population with probability p^n (Wilks 1941).
        reached = (1 - estimate.level) ** (1 / estimate.count)
        end, side = ("highest", "below") if estimate.method == OBSERVED_MAXIMUM else ("lowest", "above")
        return (
            f"the {end} of {estimate.count}: at least {math.floor(1e4 * reached) / 1e2:g} % of all are {side} it "
            f"({100 * estimate.level:g} % confidence, if they are independent)"
        )
    if estimate.support is None:
        return f"{NO_INTERVAL} (n = {estimate.count})"
    support = estimate.support
    effective = math.floor(support.independent)
    few_blocks = support.blocks < support.blocks_needed
    if effective >= support.needed and few_blocks:
        return f"an interval needs at least {support.blocks_needed} blocks; there are {support.blocks}"
    within = f" in at least {support.blocks_needed} blocks" if few_blocks else ""
    return (
        f"an interval needs at least {support.needed} independent observations{within}; "
        f"these {estimate.count} count as {effective}"
    )


def no_estimate(result: TreatmentResult) -> str:
    """Why a treatment has no estimate."""
    return result.reason or (f"no finished block ({result.state})" if result.blocks == 0 else "not observed")
