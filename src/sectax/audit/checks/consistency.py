"""Contradictions within one output: a mean below the minimum, a wrong rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sectax.audit.checks.groups import Worst, about, ids, worst
from sectax.audit.checks.interface import Remark, check, remark
from sectax.audit.checks.words import duration, number
from sectax.audit.form import EndsBy, Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity
from sectax.text import units

# Tools take quantiles from histograms with steps of some per cent, and some cut digits off.
TOLERANCE = 0.05
# A summary of values that are printed in the same output is exact but for rounding.
OF_ITS_VALUES = 0.005
# Start and stop take a large part of shorter trials.
LONG_ENOUGH_S = 0.5
# A run with this share of its configured seconds was interrupted, or its clock is wrong; a little less is a warning.
FAR_FROM_CONFIGURED, OFF_CONFIGURED = 2.0, 1.2
# Rate and mean latency are rounded, and some tools leave the start or single answers out of one of them.
MOST_IN_FLIGHT = 1.25
WRONG = "one of the two numbers is wrong, so neither can be used"
ASK = "check where each number comes from"


@check(
    "F: a summary contradicts its values, quantiles fall, a mean is out of range, a rate is not its count over its "
    "time, a total is not the sum of its parts, a trial took twice or half of its configured seconds, or more requests "
    "were in flight than connections; W: a negative time or rate, a trial 20 % off its configured seconds",
    sees=lambda evidence: evidence.speeds if evidence.imported else (),
)
def contradiction(evidence: Evidence) -> Iterator[Remark]:
    for broken in evidence.broken:
        saw = f"{broken.promise}: {number(broken.left)} against {number(broken.right)} ({broken.run})"
        severity = Severity.FATAL if broken.fatal else Severity.WARNING
        yield remark(severity, broken.run, saw, WRONG, ASK, broken.figures)
    # The figure may be an unlabelled difference, so this is a W.
    below = {
        series: (-least, f"{series.id} is {_with_unit(series, least)}")
        for series in evidence.speeds
        if (least := _least(series)) < 0
    }
    yield from worst(Severity.WARNING, below, "times and rates cannot be negative", ASK)
    yield from _configured_seconds(evidence)
    for series in evidence.speeds:
        yield from _in_flight(series)
        yield from _order(series)
        yield from _of_values(series)
        yield from _by_count(series)


def _least(series: Series) -> float:
    values = [claim.value for claim in series.claims if claim.statistic != "error"]
    if len(series.values):
        import numpy as np

        values.append(float(np.min(series.values)))
    return min(values, default=0.0)


def _order(series: Series) -> Iterator[Remark]:
    """Quantiles must not fall, and the mean must be between minimum and maximum."""
    shares = {claim.id: share for claim in series.claims if (share := quantile_share(claim.statistic)) is not None}
    placed = sorted((claim for claim in series.claims if claim.id in shares), key=lambda claim: shares[claim.id])
    pairs = [*combinations(placed, 2)]
    mean, least, most = series.claim("mean"), series.claim("min"), series.claim("max")
    if mean is not None:
        pairs += [(low, high) for low, high in ((least, mean), (mean, most)) if low is not None and high is not None]
    for low, high in sorted(pairs, key=lambda pair: pair[1].value - pair[0].value):
        if low.value > high.value * (1 + OF_ITS_VALUES) + low.step + high.step:
            severity = Severity.FATAL if low.value > high.value * (1 + TOLERANCE) else Severity.WARNING
            saw = f"{low.id} is {_with_unit(series, low.value)}, and {high.id} is {_with_unit(series, high.value)}"
            figures = ids([series]) if len(series.values) else (low.id, high.id)
            rule = "a mean must be between minimum and maximum" if mean in (low, high) else "quantiles must not fall"
            yield remark(severity, series.table, saw, f"{rule}: {WRONG}", ASK, figures)
            return


def _of_values(series: Series) -> Iterator[Remark]:
    """Compare printed summaries with the single values that they summarize."""
    if len(series.values) < 2 or not series.claims:
        return
    import numpy as np

    data = np.asarray(series.values, dtype=np.float64)
    of_values = {"mean": data.mean(), "median": np.median(data), "min": data.min(), "max": data.max()}
    of_values["stddev"] = data.std(ddof=1)
    for claim in series.claims:
        if claim.statistic not in of_values:
            continue
        real = float(of_values[claim.statistic])
        room = OF_ITS_VALUES * max(abs(real), abs(claim.value)) + claim.step + series.step
        if claim.statistic == "stddev" and data.size < 30:
            room += abs(float(data.std()) - real)
        if abs(claim.value - real) > room:
            saw = (
                f"the {claim.statistic} of {series.id} is printed as {_with_unit(series, claim.value)}; its "
                f"{data.size} values give {_with_unit(series, real)}"
            )
            yield about(Severity.FATAL, [series], saw, WRONG, ASK)
            return


def _by_count(series: Series) -> Iterator[Remark]:
    """Compare a rate with operations over time, a bandwidth with bytes over time."""
    amounts = {Quantity.RATE: series.work.operations, Quantity.BANDWIDTH: series.work.bytes}
    claim, seconds, amount = series.claim("rate"), series.work.duration_s, amounts.get(series.quantity)
    if claim is None or not seconds or seconds < LONG_ENOUGH_S or amount is None:
        return
    real = amount / seconds
    if abs(claim.value - real) > TOLERANCE * max(claim.value, real) + claim.step:
        what = "operations" if series.quantity is Quantity.RATE else "bytes"
        saw = f"{claim.id} is {number(claim.value)}/s; {number(amount)} {what} in {seconds:g} s are {number(real)}/s"
        yield about(Severity.FATAL, [series], saw, WRONG, ASK)


def _configured_seconds(evidence: Evidence) -> Iterator[Remark]:
    """Compare the configured seconds of trials that the clock ends with the measured ones."""
    off: dict[Severity, Worst] = {Severity.FATAL: {}, Severity.WARNING: {}}
    for series in evidence.speeds:
        asked, took = series.work.configured_s, series.work.duration_s
        if not asked or not took or series.work.ends_by is not EndsBy.TIME:
            continue
        ratio = max(asked / took, took / asked)
        if ratio > OFF_CONFIGURED and abs(asked - took) > LONG_ENOUGH_S:
            severity = Severity.FATAL if ratio > FAR_FROM_CONFIGURED else Severity.WARNING
            off[severity][series] = (ratio, f"{duration(asked)} were configured, and {duration(took)} measured")
    for severity, trials in off.items():
        yield from worst(severity, trials, "the run was interrupted, or its clock is wrong", "measure again")


def _in_flight(series: Series) -> Iterator[Remark]:
    """A client that waits for answers has at most one request in flight on each of its connections."""
    work, mean, in_flight = series.work, series.claim("mean"), series.in_flight
    if in_flight is None or mean is None or work.on_schedule or not work.connections:
        return
    if (work.duration_s or 0.0) < LONG_ENOUGH_S:
        return
    if in_flight > MOST_IN_FLIGHT * work.connections:
        rate = number(work.answered_rate or 0.0)
        saw = f"{rate}/s of {duration(mean.value)} are {units.digits(in_flight, 3)} requests in flight"
        yield about(Severity.FATAL, [series], f"{saw} on {work.connections:g} connections", WRONG, ASK)


def _with_unit(series: Series, value: float) -> str:
    unit_words = {Quantity.RATE: " operations/s", Quantity.BANDWIDTH: " bytes/s", Quantity.MEMORY: " bytes"}
    is_time = series.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)
    return duration(value) if is_time else f"{number(value)}{unit_words.get(series.quantity, '')}"
