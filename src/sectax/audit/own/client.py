"""A load client of a run of ours that could not send faster measures itself."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.checks.saturated_client import ADVICE, MEANING, looks, reasons
from sectax.audit.own.blocks import typical_speeds
from sectax.audit.own.evidence import BlockSeries, RunEvidence


def _loaded(evidence: RunEvidence) -> list[BlockSeries]:
    """The treatments whose client was given a load that it may not have carried."""
    return [one for one in typical_speeds(evidence) if looks(one.work)]


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    for one in _loaded(evidence):
        # sectax sends at even intervals: nothing is achieved less by chance.
        found = reasons(one.work, by_chance=False)
        if found:
            yield fatal(one.treatment, " and ".join(found), MEANING, ADVICE)


SATURATED_CLIENT: Check[RunEvidence] = Check(
    id="saturated-client",
    rule="F: client CPU above 85 % of its quota, achieved rate below 99 % of the target, "
    "overlap below 80 % of it, dropped above 0.1 %",
    examine=_examine,
    applies=lambda evidence: bool(_loaded(evidence)),
)
