"""Neighbouring single values that resemble each other, as in a trend."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.form import Evidence
from sectax.model.finding import Severity

# The chance of a false warning for a source of independent values.
CHANCE = 0.005
# At this correlation of neighbours an interval is a fifth too narrow.
LEAST_CORRELATION = 0.2
ADVICE = "alternate the sides in random order over several processes, and compare neighbours"


@check(
    "W: neighbouring single values are correlated, for example because they rise or fall",
    sees=lambda evidence: evidence.speeds,
)
def drift(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.single_values import rank_autocorrelation, significant_series

    singly, bare = with_values(evidence.speeds)
    correlated = [rank_autocorrelation(slowness(series)) for series in singly]
    by_chance = [chance if correlation >= LEAST_CORRELATION else 1.0 for correlation, chance in correlated]
    correlations: Worst = {}
    for at in significant_series(by_chance, CHANCE):
        series, correlation = singly[at], correlated[at][0]
        saw = f"neighbouring values are correlated ({correlation:.2f} over {len(series.values)} values)"
        correlations[series] = correlation, saw
    meaning = "the subject or the machine changed during the run, so an interval of independent values is too narrow"
    yield from worst(Severity.WARNING, correlations, meaning, ADVICE)
    yield from unknown(bare, NO_SINGLE_VALUES)
