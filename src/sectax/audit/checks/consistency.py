"""What one output says twice, and differently: a mean below the minimum, a rate that is not its count over its time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sectax.audit.checks.groups import about, ids, worst
from sectax.audit.checks.interface import Remark, check, fatal, remark
from sectax.audit.checks.words import duration, number, share
from sectax.audit.form import Claim, Evidence, Quantity, Series, share_of
from sectax.model.finding import Severity

# Tools take quantiles from histograms with steps of some per cent, and some cut digits off.
TOLERANCE = 0.05
# A summary of the values that are printed beside it has no such excuse.
OF_ITS_VALUES = 0.005
# Shorter trials spend a part of their time on beginning and end.
LONG_ENOUGH_S = 0.5
# More requests under way than connections: a few by chance, so many times as many by no honest way.
UNDER_WAY, FAR_TOO_MANY = 1.5, 100.0
# Less of the time of its connections than this was spent on what was counted.
LEAST_AT_WORK = 0.5
WRONG = "one of two numbers is wrong, so neither can be used"
ASK = "find out where each number comes from"


@check(
    "F: a summary that its own values contradict, quantiles that fall, a mean outside the range, a rate that is not "
    "its count over its time, a sum that is not that of its parts; W: more waiting than the connections had time for, "
    "a negative time or rate",
    sees=lambda evidence: evidence.speeds if evidence.imported else (),
)
def contradiction(evidence: Evidence) -> Iterator[Remark]:
    for broken in evidence.broken:
        saw = f"{broken.promise}: {number(broken.left)} against {number(broken.right)} ({broken.run})"
        severity = Severity.FATAL if broken.fatal else Severity.WARNING
        yield remark(severity, broken.run, saw, WRONG, ASK, broken.figures)
    # It may be a difference that is not called one, so it is no F.
    below = {
        one: (-least, f"{one.id} is {_shown(one, least)}") for one in evidence.speeds if (least := _least(one)) < 0
    }
    yield from worst(Severity.WARNING, below, "no time and no rate is negative", ASK)
    for one in evidence.speeds:
        yield from _order(one)
        yield from _of_values(one)
        yield from _by_count(one)
        yield from _in_flight(one)


def _least(one: Series) -> float:
    told = [claim.value for claim in one.claims if claim.statistic != "error"]
    if len(one.values):
        import numpy as np

        told.append(float(np.min(one.values)))
    return min(told, default=0.0)


def _order(one: Series) -> Iterator[Remark]:
    """Quantiles rise, and the mean lies between the smallest and the largest value."""
    shares = {claim.id: share for claim in one.claims if (share := share_of(claim.statistic)) is not None}
    placed = sorted((claim for claim in one.claims if claim.id in shares), key=lambda claim: shares[claim.id])
    pairs = [*combinations(placed, 2)]
    mean, least, most = one.claim("mean"), one.claim("min"), one.claim("max")
    if mean is not None:
        pairs += [(low, high) for low, high in ((least, mean), (mean, most)) if low is not None and high is not None]
    for low, high in sorted(pairs, key=lambda pair: pair[1].value - pair[0].value):
        if low.value > high.value * (1 + OF_ITS_VALUES) + low.step + high.step:
            severity = Severity.FATAL if low.value > high.value * (1 + TOLERANCE) else Severity.WARNING
            saw = f"{low.id} is {_shown(one, low.value)}, and {high.id} is {_shown(one, high.value)}"
            figures = ids([one]) if len(one.values) else (low.id, high.id)
            rule = "a mean lies between the least and the most" if mean in (low, high) else "quantiles rise"
            yield remark(severity, one.table, saw, f"{rule}: {WRONG}", ASK, figures)
            return
    if mean is not None and len(placed) > 1 and (one.trials or 0) >= 100:
        yield from _mean_between(one, mean, placed, [shares[claim.id] for claim in placed])


def _mean_between(one: Series, mean: Claim, placed: list[Claim], shares: list[float]) -> Iterator[Remark]:
    """Between two quantiles lies their part of all values, so they limit the mean; a maximum limits it from above."""
    ends = [*shares[1:], 1.0]
    least = sum(
        (claim.value - claim.step) * (end - begin) for claim, begin, end in zip(placed, shares, ends, strict=True)
    )
    begins = [0.0, *shares[:-1]]
    most = sum(
        (claim.value + claim.step) * (end - begin) for claim, begin, end in zip(placed, begins, shares, strict=True)
    )
    low, high = mean.value * (1 - TOLERANCE) - mean.step, mean.value * (1 + TOLERANCE) + mean.step
    if least > high:
        bound = f"at least {_shown(one, least)}"
    elif shares[-1] == 1 and most < low:
        bound = f"at most {_shown(one, most)}"
    else:
        return
    saw = f"{mean.id} is {_shown(one, mean.value)}, and by its quantiles it is {bound}"
    yield fatal(one.table, saw, WRONG, ASK, ids([one]))


def _of_values(one: Series) -> Iterator[Remark]:
    """Summaries beside the single values that they are of."""
    if len(one.values) < 2 or not one.claims:
        return
    import numpy as np

    data = np.asarray(one.values, dtype=np.float64)
    of_values = {"mean": data.mean(), "median": np.median(data), "min": data.min(), "max": data.max()}
    of_values["stddev"] = data.std(ddof=1)
    for claim in one.claims:
        if claim.statistic not in of_values:
            continue
        real = float(of_values[claim.statistic])
        room = OF_ITS_VALUES * max(abs(real), abs(claim.value)) + claim.step + one.step
        if claim.statistic == "stddev" and data.size < 30:
            room += abs(float(data.std()) - real)
        if abs(claim.value - real) > room:
            saw = (
                f"the {claim.statistic} of {one.id} is printed as {_shown(one, claim.value)}; its {data.size} "
                f"values give {_shown(one, real)}"
            )
            yield about(Severity.FATAL, [one], saw, WRONG, ASK)
            return


def _by_count(one: Series) -> Iterator[Remark]:
    """A rate is the operations over the time, a bandwidth the bytes."""
    amounts = {Quantity.RATE: one.work.operations, Quantity.BANDWIDTH: one.work.bytes}
    claim, seconds, amount = one.claim("rate"), one.work.duration_s, amounts.get(one.quantity)
    if claim is None or not seconds or seconds < LONG_ENOUGH_S or amount is None:
        return
    real = amount / seconds
    if abs(claim.value - real) > TOLERANCE * max(claim.value, real) + claim.step:
        what = "operations" if one.quantity is Quantity.RATE else "bytes"
        saw = f"{claim.id} is {number(claim.value)}/s; {number(amount)} {what} in {seconds:g} s are {number(real)}/s"
        yield about(Severity.FATAL, [one], saw, WRONG, ASK)


def _in_flight(one: Series) -> Iterator[Remark]:
    """Little's law: connections that ask again when they have their answer cannot wait longer than they have."""
    mean, work = one.claim("mean"), one.work
    busy = (work.connections, work.duration_s, work.operations)
    if one.quantity is not Quantity.TIME or mean is None or None in busy or work.target_rate or work.by_schedule:
        return
    connections, seconds, operations = (value or 0.0 for value in busy)
    if not seconds or operations < 10 * connections or seconds < LONG_ENOUGH_S:
        return
    under_way = (mean.value - mean.step) * operations / seconds
    if under_way > UNDER_WAY * connections:
        saw = (
            f"{mean.id} is {duration(mean.value)}; {number(operations)} operations in {seconds:g} s on "
            f"{connections:.0f} connections leave {duration(connections * seconds / operations)} for each"
        )
        severity = Severity.FATAL if under_way > FAR_TOO_MANY * connections else Severity.WARNING
        yield remark(severity, one.table, saw, "the mean is not of the same operations as the rate", ASK, ids([one]))
    elif (mean.value + mean.step) * operations / seconds < LEAST_AT_WORK * connections:
        at_work = mean.value * operations / seconds / connections
        saw = f"at {mean.id} of {duration(mean.value)}, {connections:.0f} connections were at work for {share(at_work)}"
        saw += f" of the time ({number(operations)} operations in {seconds:g} s)"
        meaning = (
            "connections waited for something that is in no latency: a limit, a client, or answers that never came"
        )
        yield remark(Severity.WARNING, one.table, saw, meaning, ASK, ids([one]))


def _shown(one: Series, value: float) -> str:
    units = {Quantity.RATE: " operations/s", Quantity.BANDWIDTH: " bytes/s", Quantity.MEMORY: " bytes"}
    is_time = one.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)
    return duration(value) if is_time else f"{number(value)}{units.get(one.quantity, '')}"
