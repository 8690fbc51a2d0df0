"""Advice over several pairs of hosts; each pair is one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.experiments.advice import column, mean_ratio
from sectax.model.advice import AdviceRow
from sectax.model.analysed import Analysed
from sectax.model.finding import NO_CLAIM
from sectax.model.treatment import CONTROLS

# Minimum number of pairs for a general claim.
GENERAL = 5


def pair_rows(analysed: Analysed, metric: str, pair: str, left_out: Mapping[str, str]) -> Iterator[AdviceRow]:
    """Geometric mean over pairs of the ratio to the baseline.

    No rows for fewer than two pairs, or if one has no verdict.

    Args:
        metric: in seconds.
        pair: the factor of the pairs.
        left_out: excluded levels of other factors.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    pairs: dict[tuple[tuple[str, str], ...], list[float | None]] = {}
    for finding in analysed.findings:
        compared = finding.comparison
        treatment, baseline = plan.treatment(compared.treatment), plan.treatment(compared.baseline)
        others = tuple((factor, level) for factor, level in treatment.levels.items() if factor != pair)
        if compared.metric != metric or compared.standing in CONTROLS or pair not in treatment.levels:
            continue
        if any(treatment.levels.get(factor) == level for factor, level in left_out.items()):
            continue
        own, base = column(measured, metric, treatment), column(measured, metric, baseline)
        ratios = [own[block] / base[block] for block in measured.blocks if own.get(block) and base.get(block)]
        known = ratios and finding.verdict not in NO_CLAIM
        pairs.setdefault(others, []).append(mean_ratio(measured, ratios, "").point if known else None)
    for others, by_pair in pairs.items():
        values = [ratio for ratio in by_pair if ratio is not None]
        if len(values) == len(by_pair) > 1:
            few = "" if len(values) >= GENERAL else f"; {len(values)} pairs are few: a general claim needs {GENERAL}"
            yield AdviceRow(
                "All pairs, time over the baseline's",
                dict(others),
                "",
                mean_ratio(measured, values, "times"),
                f"every pair counts once, so this is about the kind of machine{few}",
            )
