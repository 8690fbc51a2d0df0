"""Times close to the step of their clock or of their printed digits."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, by_severity, things, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, share
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity

FEWEST_STEPS, ENOUGH_STEPS = 100, 1000
# With fewer batches, duplicates may be chance.
MOST_DUPLICATES, FEWEST_BATCHES = 0.1, 20
# From this share of zeros among single values on, the time is unknown.
MOST_ZEROS = 0.1
# With fewer printed steps, rounding may change a mean or median by a quarter.
FEWEST_PRINTED = 3
_CENTRES = ("mean", "median", "one", "total", None)
LONGER = "time many operations together, or print more digits"
Fault = tuple[Severity, Series, float, str]


def _timed(evidence: Evidence) -> list[Series]:
    return [series for series in evidence.trials if series.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)]


@check(
    "F: times of 0, a batch under 100 clock steps, or repeated batch times of a sectax run on a fine clock; W: a batch "
    "under 1000 clock steps, summaries printed as 0 or in one or two steps",
    sees=_timed,
    runs=True,
)
def timer(evidence: Evidence) -> Iterator[Remark]:
    timed = _timed(evidence)
    singly = [group[0] for group in things(timed) if len(group[0].values)]
    yield from by_severity(_zeros(singly), "the clock or the printed digits are too coarse for these times", LONGER)
    meaning = "the clock is coarser than reported, or values were copied"
    yield from by_severity(_repeats(timed), meaning, "use longer batches, or a finer clock")
    yield from by_severity(_clock(timed), "rounding alone may change the times", "use longer batches")
    if evidence.imported:
        yield from _printed(timed)
    yield from unknown([series for series in timed if not series.figures], "batch times are not reported")
    bare = [series for series in timed if series.figures and series.setting.granularity_s is None]
    yield from unknown(bare, "the clock resolution is not reported")


def _zeros(singly: list[Series]) -> Iterator[Fault]:
    import numpy as np

    for series in singly:
        zeros = 1 - int(np.count_nonzero(np.asarray(series.values, dtype=np.float64))) / len(series.values)
        if zeros:
            severity = Severity.FATAL if zeros >= MOST_ZEROS else Severity.WARNING
            yield severity, series, zeros, f"{share(zeros)} of {len(series.values)} times are 0"


def _repeats(timed: list[Series]) -> Iterator[Fault]:
    """Find repeated values that betray a coarse clock.

    Many batches of a quiet subject repeat a value even on a fine clock. Where the data show the step between
    neighbouring values, and a batch is long compared with it, there is no fault.
    """
    for series in timed:
        batches = series.batches
        if batches is None or batches.duplicate_share <= MOST_DUPLICATES or batches.batches < FEWEST_BATCHES:
            continue
        if batches.step_s is None or batches.shortest_s < ENOUGH_STEPS * batches.step_s:
            saw = f"{share(batches.duplicate_share)} of {batches.batches} batch times are exact repeats"
            yield Severity.FATAL, series, batches.duplicate_share, saw


def _clock(timed: list[Series]) -> Iterator[Fault]:
    """Compare the shortest batch, or else the summary, with the clock step."""
    for series in timed:
        step = series.setting.granularity_s
        if step is None or series.typical is None:
            continue
        together = (series.work.batch or 1.0) if series.quantity is Quantity.TIME else 1.0
        shortest_s = (min(series.values) if len(series.values) else series.typical) * together
        if (steps := shortest_s / step) < ENOUGH_STEPS:
            severity = Severity.FATAL if steps < FEWEST_STEPS else Severity.WARNING
            yield severity, series, -steps, f"the shortest batch lasts {steps:.0f} clock steps of {duration(step)}"


def _printed(timed: list[Series]) -> Iterator[Remark]:
    """Find summaries printed as 0, or in one or two steps."""
    printed = [(series, claim) for series in timed if not len(series.values) for claim in series.claims]
    centres = [(series, claim) for series, claim in printed if claim.statistic in _CENTRES]
    least = [*centres, *((series, claim) for series, claim in printed if claim.statistic == "min")]
    nothing: Worst = {
        series: (0.0, "a time is printed as 0")
        for series, claim in least
        if claim.value == 0 and series.work.operations != 0
    }
    meaning = "the clock or the printed digits are too coarse for it, or nothing was done"
    yield from worst(Severity.WARNING, nothing, meaning, LONGER)
    few: Worst = {
        series: (
            claim.step,
            f"times are printed in steps of {duration(claim.step)}, and one is {duration(claim.value)}",
        )
        for series, claim in centres
        if 0 < claim.value < FEWEST_PRINTED * claim.step
    }
    meaning = f"rounding alone may change a time by {100 * 0.5 / (FEWEST_PRINTED - 1):.0f} % or more"
    yield from worst(Severity.WARNING, few, meaning, "use the rate, or a tool that prints more digits")
