"""Single values that resemble their neighbours, as where they go somewhere: the figure is of no one state."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.form import Evidence
from sectax.model.finding import Severity

# The chance that a source of independent single values is warned of.
CHANCE = 0.005
# With this correlation of neighbours an interval is a fifth too narrow.
LEAST_ALIKE = 0.2
ADVICE = "alternate what is compared, in random order and over several processes, and compare neighbours"


@check(
    "W: neighbours among the single values resemble each other, as where they rise or fall",
    sees=lambda evidence: evidence.speeds,
)
def drift(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.single_values import rank_autocorrelation, significant_series

    singly, bare = with_values(evidence.speeds)
    alike = [rank_autocorrelation(slowness(series)) for series in singly]
    by_chance = [chance if correlation >= LEAST_ALIKE else 1.0 for correlation, chance in alike]
    correlations: Worst = {}
    for at in significant_series(by_chance, CHANCE):
        series, correlation = singly[at], alike[at][0]
        saw = f"neighbours among {len(series.values)} values resemble each other (correlation {correlation:.2f})"
        correlations[series] = correlation, saw
    meaning = "what was measured, or the machine, changed meanwhile, so an interval that counts each is too narrow"
    yield from worst(Severity.WARNING, correlations, meaning, ADVICE)
    yield from unknown(bare, NO_SINGLE_VALUES)
