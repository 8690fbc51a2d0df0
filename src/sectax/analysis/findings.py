"""Every comparison judged: its effect, its verdict, and what it would still need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sectax.analysis.effect import effects, is_fixed
from sectax.analysis.needed import Open, blocks_needed
from sectax.analysis.verdict import verdict
from sectax.model.finding import UNSETTLED, Effect, Finding, VerdictId
from sectax.model.measured import Measured


def judge(measured: Measured) -> tuple[Finding, ...]:
    """The finding of every comparison, the run's own controls included, in the order of the plan.

    Made to be called after each block: a few milliseconds for sixty comparisons. Warnings are not applied here.
    """
    margin = measured.plan.stopping.margin
    findings = []
    for comparison, effect in zip(measured.plan.comparisons, effects(measured), strict=True):
        answer = VerdictId.NOT_MEASURED if effect is None else verdict(effect.low, effect.high, margin)
        findings.append(Finding(comparison, answer, effect, margin))
    if is_fixed(measured):
        return tuple(findings)
    return tuple(_with_needs(findings, measured.block_s))


def _with_needs(findings: list[Finding], block_s: float | None) -> list[Finding]:
    """The findings, the open ones with the blocks and seconds that a verdict may still take."""
    still = [
        (row, finding.effect, finding.comparison.alpha)
        for row, finding in enumerate(findings)
        if finding.verdict in UNSETTLED and finding.effect is not None
    ]
    effects_open: list[Effect] = [effect for _, effect, _ in still]
    needs = blocks_needed(
        Open(
            count=np.array([effect.blocks for effect in effects_open], dtype=np.int64),
            mean=np.array([effect.log_ratio for effect in effects_open]),
            spread=np.array([effect.spread for effect in effects_open]),
            low=np.array([effect.low for effect in effects_open]),
            high=np.array([effect.high for effect in effects_open]),
            alpha=np.array([alpha for _, _, alpha in still]),
        ),
        findings[0].margin if findings else 1.0,
    )
    for (row, effect, _), need in zip(still, needs, strict=True):
        if need is None:
            continue
        seconds = None if block_s is None else (need[0] * block_s, need[1] * block_s)
        findings[row] = replace(findings[row], effect=replace(effect, blocks_needed=need), seconds_needed=seconds)
    return findings
