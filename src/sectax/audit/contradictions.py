"""What one file says twice, and not alike: a mean below the minimum, a rate that is not the count over the time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sectax.audit.check import Check, Remark, warning
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import SPEEDS, about, gather, measured_at_once, sides
from sectax.audit.unit_slips import slips
from sectax.audit.words import EVERYTHING, duration, ids, number
from sectax.model.finding import Severity

# Tools take quantiles from histograms with steps of 2 %, and print two digits after the point.
TOLERANCE = 0.05
# A summary of the values that stand beside it has no such excuse.
OF_ITS_VALUES = 0.005
# Nor have two numbers with all their digits. The beginning of the values shows how they are printed.
EXACTLY, ALL_DIGITS, MOST_PRINTED = 1e-4, 10, 100
# Shorter trials spend a part of their time on beginning and end.
LONG_ENOUGH_S = 0.5
# Quantiles of fewer values lie between two of them, so they say little of the mean.
ENOUGH_FOR_QUANTILES = 100
# Tools print rates with two digits behind the point at the least.
RATE_STEP = 0.006
# Around a thousand: seconds beside milliseconds.
THOUSAND = (900.0, 1100.0)
# Where nobody names a baseline: sides differ besides, and others are near each other.
AROUND_A_THOUSAND, NEAR_EACH_OTHER = (400.0, 2500.0), 3.0
_HOSTS = re.compile(r"host|machine|node|server|instance|runner|cpu|processor|\bvm\b", re.IGNORECASE)
# Sides on more hosts each are a design of its own.
MOST_HOSTS = 4

_WRONG = "one of the two is wrong, so neither can be used"
_DOUBTFUL = "likely one of the two is wrong, or what stands beside the output is not of it"
_ASK = "find out where each number comes from"


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from _told_twice(evidence)
    for figure in _imported(evidence):
        yield from _own_values(figure)
    for group in gather((one for one in _imported(evidence) if one.measurement), measured_at_once):
        yield from _order(group)
        yield from _rate(group)
    yield from _machines(evidence)
    yield from _hosts(evidence)
    yield from _units(evidence)
    yield from _slips(evidence)


def _imported(evidence: Evidence) -> list[Figure]:
    return [figure for figure in evidence.printed if figure.quantity in SPEEDS] if evidence.imported else []


def _own_values(figure: Figure) -> Iterator[Remark]:
    """Summaries beside the single values that they are of."""
    if len(figure.values) < 2 or not figure.stated:
        return
    import numpy as np

    data = np.asarray(figure.values, dtype=np.float64)
    of_values = {
        "mean": data.mean(),
        "median": np.median(data),
        "min": data.min(),
        "max": data.max(),
        "standard deviation": data.std(ddof=1),
    }
    exact = np.mean([_is_exact(each) for each in data[:MOST_PRINTED].tolist()]) > 0.5
    for name, told in figure.stated.items():
        real = float(of_values[name])
        share = EXACTLY if exact and _is_exact(told) else OF_ITS_VALUES
        if abs(told - real) > share * max(abs(real), abs(told)):
            yield about(
                Severity.FATAL,
                [figure],
                f"the {name} of {figure.id} is said to be {_in_words(figure, told)}, and that of its {data.size} "
                f"values is {_in_words(figure, real)}",
                _WRONG,
                _ASK,
            )


def _is_exact(value: float) -> bool:
    """Whether it was printed with all its digits, in whichever unit."""
    return len(f"{value:.12e}".split("e")[0].replace(".", "").rstrip("0")) >= ALL_DIGITS


def _in_words(figure: Figure, value: float) -> str:
    return duration(value) if figure.quantity is Quantity.TIME else f"{number(value)} {figure.unit}"


def _order(group: list[Figure]) -> Iterator[Remark]:
    """Quantiles rise, and the mean lies between the least and the most."""
    told = [figure for figure in group if figure.quantity is Quantity.TIME and figure.value is not None]
    shares = {figure.id: share for figure in told if (share := _share(figure.statistic)) is not None}
    placed = sorted((figure for figure in told if figure.id in shares), key=lambda figure: shares[figure.id])
    means = [figure for figure in told if figure.statistic == "mean"]
    pairs = [*pairwise(placed)]
    pairs += [(low, mean) for low in placed if shares[low.id] == 0 for mean in means]
    pairs += [(mean, high) for high in placed if shares[high.id] == 1 for mean in means]
    for low, high in pairs:
        one, other = low.value or 0.0, high.value or 0.0
        if _above(one, other):
            saw = f"{low.id} is {duration(one)}, and {high.id} is {duration(other)}"
            meaning = "the first cannot be more than the second: one of the two is wrong"
            yield Remark(Severity.FATAL, low.table, saw, meaning, _ASK, ids([low, high]))
    if any(_above(low.value or 0.0, high.value or 0.0) for low, high in pairs):
        return
    if means and len(placed) > 1 and (means[0].trials or 0) >= ENOUGH_FOR_QUANTILES:
        yield from _mean_of_quantiles(means[0], placed, [shares[one.id] for one in placed])


def _mean_of_quantiles(mean: Figure, placed: list[Figure], shares: list[float]) -> Iterator[Remark]:
    """Between two quantiles lies their part of all values, so they fix where the mean can be.

    A maximum is needed for the upper end: nothing else tells how far the last part reaches.
    """
    values = [one.value or 0.0 for one in placed]
    least = sum(value * (end - begin) for value, begin, end in zip(values, shares, [*shares[1:], 1.0], strict=True))
    most = sum(value * (end - begin) for value, begin, end in zip(values, [0.0, *shares[:-1]], shares, strict=True))
    told = mean.value or 0.0
    # Each may have been printed with one digit alone, and 0 with any.
    finest = min(filter(None, map(_last_digit, (*values, told))), default=0.0)
    parts = [after - before for before, after in zip([0.0, *shares], [*shares, 1.0], strict=True)]
    slack = sum(part * (_last_digit(value) or finest) for part, value in zip(parts, [*values, values[-1]], strict=True))
    slack += _last_digit(told) or finest
    if least > told * (1 + TOLERANCE) + slack:
        saw = f"{mean.id} is {duration(told)}, and by the quantiles it is {duration(least)} at the least"
    elif shares[-1] == 1 and told > most * (1 + TOLERANCE) + slack:
        saw = f"{mean.id} is {duration(told)}, and by the quantiles it is {duration(most)} at the most"
    else:
        return
    yield Remark(Severity.FATAL, mean.table, saw, _WRONG, _ASK, ids([mean, *placed]))


def _share(statistic: str | None) -> float | None:
    named: Mapping[str | None, float] = {"min": 0.0, "median": 0.5, "max": 1.0}
    if statistic in named:
        return named[statistic]
    found = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,9})?)", statistic or "")
    return float(found[1]) / 100 if found else None


def _above(low: float, high: float) -> bool:
    """Whether *low* is more than *high*, beyond what the steps of a histogram and printed digits make."""
    return low > high * (1 + TOLERANCE) + _last_digit(low) + _last_digit(high)


def _last_digit(value: float) -> float:
    """The place of the last digit that is not 0. The value may have been printed with more, never with less."""
    if value <= 0:
        return 0.0
    digits = f"{value:.6e}".split("e")[0].replace(".", "").rstrip("0")
    return float(10.0 ** (math.floor(math.log10(value)) - len(digits) + 1))


def _rate(group: list[Figure]) -> Iterator[Remark]:
    """Of a rate of all events: their number over the time. Tools print rates of parts, such as reads, too."""
    for figure in group:
        told, rate = figure.circumstances, figure.value
        if figure.metric not in ("events per second", "requests/s") or rate is None:
            continue
        if told.events is None or told.wall_s is None or told.wall_s < LONG_ENOUGH_S:
            continue
        real = told.events / told.wall_s
        if abs(rate - real) > TOLERANCE * max(rate, real) + RATE_STEP:
            saw = f"{figure.id} is {number(rate)}, and {told.events:.0f} in {told.wall_s:g} s are {number(real)} /s"
            yield about(Severity.FATAL, [figure], saw, _WRONG, _ASK)


def _told_twice(evidence: Evidence) -> Iterator[Remark]:
    """A sum that is not that of its parts, and the like."""
    for each in evidence.twice:
        tolerance = TOLERANCE if each.tolerance is None else each.tolerance
        if abs(each.told - each.follows) > tolerance * max(abs(each.told), abs(each.follows)) + each.slack:
            saw = f"{each.what} is said to be {number(each.told)}; {each.from_} {number(each.follows)}"
            meaning = _WRONG if each.severity is Severity.FATAL else _DOUBTFUL
            yield Remark(each.severity, each.what, saw, meaning, _ASK, each.figures)


def _machines(evidence: Evidence) -> Iterator[Remark]:
    """Whole files that hold the figures of two machines or two builds, where nobody compares these."""
    if not evidence.imported:
        return
    for attribute, name in (("processor", "processors"), ("library", "builds of the library")):
        told = {getattr(figure.circumstances, attribute) for figure in evidence.figures} - {None}
        # Where sides differ in it, apples-and-oranges says so.
        if len(told) > 1 and not any(_differs(group, attribute) for group in sides(evidence)):
            yield warning(
                EVERYTHING,
                f"the figures are of {len(told)} {name}: {'; '.join(sorted(told))}",
                "set beside each other they show the difference of these as well",
                "compare figures of the same one only",
            )


def _differs(group: list[Figure], attribute: str) -> bool:
    return len({getattr(figure.circumstances, attribute) for figure in group}) > 1


def _hosts(evidence: Evidence) -> Iterator[Remark]:
    """Every side on hosts of its own: what is compared is the hosts as much."""
    contrast = evidence.contrast
    for group in sides(evidence) if evidence.imported else ():
        names = [figure.circumstances.replicate_names for figure in group]
        kind = group[0].circumstances.replicate or ""
        if contrast is None or not _HOSTS.search(kind) or any(not each or len(each) > MOST_HOSTS for each in names):
            continue
        known = [each for each in names if each]
        if len(frozenset().union(*known)) == sum(map(len, known)):
            of = "; ".join(
                f"{figure.levels[contrast.factor]}: {', '.join(sorted(each))}"
                for figure, each in zip(group, known, strict=True)
            )
            meaning = "the difference of the sides cannot be told from that of where they ran"
            saw = f"each side was measured on its own {kind} ({of})"
            yield Remark(Severity.FATAL, group[0].table, saw, meaning, "measure both sides in each place", ids(group))


def _units(evidence: Evidence) -> Iterator[Remark]:
    """Sides a thousand times apart, to a tenth: most often seconds beside milliseconds.

    Where nobody says which is the baseline, one that is so far from all others, which are near each other.
    """
    contrast = evidence.contrast
    if contrast is None or not evidence.imported:
        return
    for group in sides(evidence):
        known = [figure for figure in group if figure.typical and figure.quantity in SPEEDS]
        if contrast.baseline is None:
            pairs = _odd_one(known) if not contrast.guessed else []
        else:
            first = [one for one in known if one.levels[contrast.factor] == contrast.baseline][:1]
            pairs = [(figure, one, THOUSAND) for one in first for figure in known if figure is not one]
        for figure, base, (least, most) in pairs:
            ratio = (base.typical or 0.0) / (figure.typical or 1.0)
            ratio = max(ratio, 1 / ratio)
            if least <= ratio <= most:
                yield Remark(
                    Severity.WARNING,
                    figure.table,
                    f"{figure.id} and {base.id} are {ratio:.0f} times apart",
                    "that is what one side in another unit would look like, such as seconds beside milliseconds",
                    "check the units of both",
                    ids([figure, base]),
                )


def _slips(evidence: Evidence) -> Iterator[Remark]:
    """One figure of a row over sizes or numbers that is a thousand times off the others."""
    for figure, times in slips(_imported(evidence)):
        many = f"{times:.0f} times" if times > 1 else f"1/{1 / times:.0f} of"
        yield about(
            Severity.FATAL,
            [figure],
            f"{figure.id} is {many} what the figures beside it, which lie on a line, make of it",
            "that is what a unit or a point that slipped looks like",
            "check the unit of this one, or measure it again",
        )


def _odd_one(group: list[Figure]) -> list[tuple[Figure, Figure, tuple[float, float]]]:
    """The one figure that is far from all others, beside the middle one of these."""
    ordered = sorted(group, key=lambda figure: figure.typical or 0.0)
    if len(ordered) < 2:
        return []
    if len(ordered) == 2:
        return [(ordered[1], ordered[0], THOUSAND)]
    for odd, rest in ((ordered[-1], ordered[:-1]), (ordered[0], ordered[1:])):
        if (rest[-1].typical or 0.0) <= NEAR_EACH_OTHER * (rest[0].typical or 0.0):
            return [(odd, rest[len(rest) // 2], AROUND_A_THOUSAND)]
    return []


CONTRADICTION = Check(
    id="contradiction",
    rule="F: a summary that its own values contradict, quantiles that fall, a mean outside of least and most, a rate "
    "that is not its count over its time, a sum that is not that of its parts, each side on its own hosts, "
    "one figure a thousand times off a row; W: figures of two processors or builds in one file, sides a thousand times "
    "apart",
    examine=_examine,
    sees=_imported,
)

SAID_BY_THE_TOOL = Check(
    id="said-by-the-tool",
    rule="F: the file itself says that something failed; W: it warns of its figures",
    # Importers say it.
    examine=lambda _: (),
)
