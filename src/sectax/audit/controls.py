"""The run's controls of itself: a difference where there is none, and a known cost that was not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.model.finding import FASTER, SLOWER, WITHIN_MARGIN, Finding, Severity, VerdictId, Warning
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import Standing

# A control says so little by itself that its absence is worth a note only where verdicts could rest on it.
_FIRED = SLOWER | FASTER | {VerdictId.INVALID}


def _negative(evidence: Evidence) -> Iterator[Warning]:
    check = NEGATIVE_CONTROL.id
    controls = _of(evidence, Standing.NEGATIVE)
    covered = {evidence.families[finding.comparison.cell] for finding in controls}
    for family in dict.fromkeys(evidence.families.values()):
        if family not in covered:
            yield cannot_be_checked(check, family, "no negative control was planned for this family")
    for finding in controls:
        effect = finding.effect
        if effect is None or effect.blocks < FIRST_LOOK:
            blocks = 0 if effect is None else effect.blocks
            yield cannot_be_checked(
                check,
                evidence.families[finding.comparison.cell],
                f"{blocks} blocks of the negative control are too few",
            )
        elif finding.verdict in _FIRED:
            yield Warning(
                check,
                Severity.FATAL,
                "run",
                f"{finding.comparison.treatment} differs from its own copy by {_percent(effect.low)} to "
                f"{_percent(effect.high)} in {finding.comparison.metric}, over {effect.blocks} blocks",
                "the run sees differences where there are none, so none of its verdicts stands",
                "look for what treats the two differently (order, other load, throttling) and run again",
            )


def _positive(evidence: Evidence) -> Iterator[Warning]:
    check = POSITIVE_CONTROL.id
    for finding in _of(evidence, Standing.POSITIVE):
        if finding.verdict in SLOWER:
            continue
        comparison, effect = finding.comparison, finding.effect
        leaning = [
            other
            for other in evidence.findings
            if other.verdict in WITHIN_MARGIN
            and other.comparison.standing in (Standing.PRIMARY, Standing.SECONDARY)
            and evidence.families[other.comparison.cell] == evidence.families[comparison.cell]
            and evidence.observed[other.comparison.metric] == evidence.observed[comparison.metric]
        ]
        if effect is None:
            if leaning:
                yield cannot_be_checked(
                    check,
                    comparison.id,
                    "the positive control was not measured",
                    f"{len(leaning)} verdicts of no cost, or a small one, rest on the interval alone",
                )
            continue
        yield Warning(
            check,
            Severity.FATAL if leaning else Severity.NOTE,
            comparison.id,
            f"the known extra cost of {comparison.treatment} was measured as {_percent(effect.low)} to "
            f"{_percent(effect.high)} over {effect.blocks} blocks, which leaves room for none",
            "the run could not see so little: 'equivalent' and 'within the margin' fall, larger effects stand"
            if leaning
            else "no verdict of this run rests on it",
            "more blocks, or a quieter machine" if leaning else "",
        )


def _of(evidence: Evidence, standing: Standing) -> list[Finding]:
    return [finding for finding in evidence.findings if finding.comparison.standing == standing]


def _percent(log_ratio: float) -> str:
    if not math.isfinite(log_ratio) or log_ratio > 100:
        return "an unknown share"
    return f"{100 * math.expm1(log_ratio):+.2f} %"


def _claims_something(evidence: Evidence) -> bool:
    """Controls are to be expected in runs of ours that measured anything."""
    return evidence.own and any(True for _ in evidence.measured_findings())


NEGATIVE_CONTROL = Check(
    id="negative-control",
    rule="F: the baseline differs from a second copy of itself, so no verdict of the run stands",
    applies=_claims_something,
    examine=_negative,
)

POSITIVE_CONTROL = Check(
    id="positive-control",
    rule="F: a known extra cost was not found: 'equivalent' and 'within the margin' fall, larger effects stand",
    applies=_claims_something,
    examine=_positive,
)
