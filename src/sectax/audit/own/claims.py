"""The basis of claims: width of intervals, lost blocks, warm-up."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.first_trial import ADVICE, MEANING
from sectax.audit.checks.interface import Remark, check, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import FASTER, SLOWER
from sectax.model.treatment import Role

# The limit nearer to zero as a share of the estimate. Of claims about a true 0.5 %, over nine in ten are below this and
# show twice the true effect; of those about a true 3 %, one in a hundred (`benchmarks.simulations.exaggeration`).
NEAR = 0.25
MOST_LOST = 0.1


@check(
    "W: the limit of a claim's interval nearer to zero is less than a quarter of its estimate", applies=lambda _: True
)
def barely_found(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.compared:
        effect, claimed = finding.effect, finding.verdict in SLOWER | FASTER
        if effect and claimed and min(abs(effect.low), abs(effect.high)) < NEAR * abs(effect.log_ratio):
            yield warning(
                finding.comparison.id,
                "the interval only just excludes zero",
                "the direction is reliable, but the effect is probably smaller than its estimate: "
                "small effects are detected where they happen to look large",
                "rely only on the limit nearer to zero, or run it again with --precise",
            )


@check("W: more than a tenth of a comparison's blocks have no pair", applies=lambda _: True)
def lost_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.measured_findings():
        effect = finding.effect
        if effect is not None and effect.blocks_lost > MOST_LOST * (effect.blocks + effect.blocks_lost):
            saw = f"{effect.blocks_lost} of {effect.blocks + effect.blocks_lost} blocks have no pair"
            meaning = "the failed blocks may have been slow, or fast"
            yield warning(
                finding.comparison.id, saw, meaning, "find out why it failed: the reasons are in the run file"
            )


# Controls repeat the baseline and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)


@check(
    "W: the pilot did not see the end of the warm-up",
    applies=lambda evidence: any(arm.calibration is not None for arm in evidence.arms.values()),
)
def warm_up(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.calibration is not None and not arm.calibration.settled and arm.treatment.role not in _COPIES:
            saw = "the speed was still changing when the pilot ended"
            yield warning(arm.id, saw, MEANING, ADVICE)
