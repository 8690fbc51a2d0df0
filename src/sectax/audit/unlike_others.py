"""Single values that are far from all others, cut off at a limit, or of a process that is unlike the others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from sectax.audit.check import Remark
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import slowness, speeds, told_singly, worst_of_tables
from sectax.audit.rounding import MOST_LOOKED_AT, printed_step
from sectax.audit.words import number, percent
from sectax.model.finding import Severity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sectax.stats.far_values import Far

# A few values far from all others: of so many values they show, by this chance for a source, from so far on, and where
# they move the mean by so much; or by this chance, where they are so far off.
FEWEST_FOR_FAR = 5
CHANCE_OF_FAR = 0.005
LEAST_FAR, LEAST_MOVED = 1.3, 0.015
CHANCE_OF_FAR_OFF, FAR_OFF = 0.1, 3.0
# In logs: closer values show no spread of their own.
LEAST_STEP = 1e-3
# Values at the largest one: so many, this share of all, and so much oftener than any other value, of which there are
# several.
FEWEST_AT_A_LIMIT, LEAST_AT_A_LIMIT, TIMES_AS_OFTEN, FEWEST_BELOW = 3, 0.05, 3, 5
# One process beside the others: the values of each, the difference that matters, and the chance for a source.
FEWEST_OF_A_PROCESS, LEAST_BETWEEN_PROCESSES, CHANCE_OF_PROCESSES, CHANCE_OF_TWO = 3, 0.05, 0.005, 0.02


def far_from_others(evidence: Evidence, known: Collection[str]) -> Iterator[Remark]:
    """Values that are far from all others, so that they decide the mean, or show that something else ran."""
    import numpy as np

    from sectax.stats.far_values import beyond_chance, far_values

    singly, _ = told_singly(speeds(evidence), FEWEST_FOR_FAR)
    # Of so many values a few do not decide the mean; where a tail does, it is said of that.
    singly = [figure for figure in singly if figure.id not in known and len(figure.values) <= MOST_LOOKED_AT]
    for high in (True, False):
        found = []
        for figure in singly:
            logs = np.log(slowness(figure))
            # What repeats on a coarse clock shows no spread of its own.
            step = max(LEAST_STEP, printed_step(figure.values) / float(np.median(np.asarray(figure.values))))
            far = far_values(logs if high else -logs, step)
            found.append(far if far is not None and _matters(logs, far, high=high) else None)
        chances = [1.0 if far is None else far.chance for far in found]
        certain = beyond_chance(chances, CHANCE_OF_FAR)
        # Healthy times seldom reach so far, whatever their tail.
        certain |= {
            at
            for at, far in enumerate(found)
            if far is not None
            and far.chance <= CHANCE_OF_FAR_OFF / len(found)
            and _ratio(singly[at], far, high=high) >= FAR_OFF
        }
        far_off = {singly[at].id: far for at in certain if (far := found[at]) is not None}
        how, do = ("slow", "see what happened then") if high else ("fast", "see whether the work was done then")
        yield from worst_of_tables(
            Severity.WARNING,
            [figure for figure in singly if figure.id in far_off],
            lambda figure: far_off[figure.id].gap,  # noqa: B023
            lambda figure: _said_of_far(figure, far_off[figure.id], high=high),  # noqa: B023
            f"{how} values by themselves decide the mean, and the median does not show them",
            f"{do}; report the median, and how often it happens",
        )


def _matters(logs: NDArray, far: Far, *, high: bool) -> bool:  # type: ignore[type-arg]
    """Whether the far values are far by what matters, and move the mean by what matters."""
    import numpy as np

    times = np.sort(np.exp(logs - np.median(logs)))
    apart, rest = (times[-far.number :], times[: -far.number]) if high else (times[: far.number], times[far.number :])
    middle = float(np.median(rest))
    nearest = float(apart.min() / middle if high else middle / apart.max())
    moved = abs(float(times.mean()) / float(rest.mean()) - 1)
    return nearest >= LEAST_FAR and moved >= LEAST_MOVED


def _ratio(figure: Figure, far: Far, *, high: bool) -> float:
    """Of the far values to the middle of all, or the other way round for fast ones; the middle one of them."""
    import numpy as np

    times = np.sort(slowness(figure))
    apart = times[-far.number :] if high else times[: far.number]
    ratio = float(np.median(apart) / np.median(times))
    return ratio if high else 1 / ratio


def _said_of_far(figure: Figure, far: Far, *, high: bool) -> str:
    ratio = _ratio(figure, far, high=high)
    times = f"{number(ratio)} times as {'slow' if high else 'fast'} as the middle one"
    return (
        f"{far.number} of {len(figure.values)} values {'is' if far.number == 1 else 'are'} {times}, far from all others"
    )


def cut_off(evidence: Evidence) -> Iterator[Remark]:
    """Many values at the very largest one: a limit, such as a timeout, took the rest of their time away."""
    import numpy as np

    singly, _ = told_singly(speeds(evidence))
    cut = {}
    for figure in singly:
        _, counts = np.unique(slowness(figure)[:MOST_LOOKED_AT], return_counts=True)
        below = counts[:-1]
        enough = max(FEWEST_AT_A_LIMIT, LEAST_AT_A_LIMIT * float(counts.sum()))
        if below.size >= FEWEST_BELOW and counts[-1] >= enough and counts[-1] >= TIMES_AS_OFTEN * below.max():
            cut[figure.id] = int(counts[-1])
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in cut],
        lambda figure: cut[figure.id],
        lambda figure: f"{cut[figure.id]} of {len(figure.values)} values are exactly the largest one",
        "they were cut off at a limit, such as a timeout: how long they would have taken is not known",
        "raise the limit, or report how many reached it beside the median",
    )


def processes(evidence: Evidence) -> Iterator[Remark]:
    """A process that is slower or faster than all others, in all its values."""

    from sectax.stats.far_values import beyond_chance

    singly, _ = told_singly(speeds(evidence), FEWEST_FOR_FAR)
    parted = [(figure, parts) for figure in singly if (parts := _parts(figure)) is not None]
    found = [_apart_from_others(parts) for _, parts in parted]
    certain = beyond_chance([chance for _, chance in found], CHANCE_OF_PROCESSES)
    # Of two that lie wholly apart, either may be the one: that is one chance, and no others show more.
    certain |= {
        at
        for at, (_, parts) in enumerate(parted)
        if len(parts) == 2 and found[at][1] * len(parted) / 2 <= CHANCE_OF_TWO
    }
    apart = {parted[at][0].id: found[at][0] for at in certain}
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure, _ in parted if figure.id in apart],
        lambda figure: abs(apart[figure.id]),
        lambda figure: (
            f"one of {len(figure.circumstances.per_replicate or ())} processes differs from the others by "
            f"{percent(apart[figure.id])} in all its values"
        ),
        "values of one process are no independent ones, and the mean is one of unlike processes",
        "more processes, and the middle of each as one value",
    )


def _parts(figure: Figure) -> list[NDArray] | None:  # type: ignore[type-arg]
    """The logs of the values of each process; None where that is not told, or there are too few."""
    import numpy as np

    sizes = figure.circumstances.per_replicate
    if sizes is None or sum(sizes) != len(figure.values) or len(sizes) < 2 or min(sizes) < FEWEST_OF_A_PROCESS:
        return None
    return np.split(np.log(slowness(figure)), np.cumsum(sizes)[:-1])


def _apart_from_others(parts: list[NDArray]) -> tuple[float, float]:  # type: ignore[type-arg]
    """By how much, in logs, the process farthest from the others differs from them, and the chance of it.

    Where the process makes no difference, all values of one lie above those of all others by one in as many ways as
    there are to choose them; of five processes or more their middles show how far one may be.
    """
    import numpy as np

    from sectax.stats.far_values import far_values

    middles = np.array([float(np.median(part)) for part in parts])
    best = 0.0, 1.0
    for sign, at in ((1, int(np.argmax(middles))), (-1, int(np.argmin(middles)))):
        rest = np.concatenate([part for number, part in enumerate(parts) if number != at])
        difference = float(middles[at] - np.median(rest))
        if abs(difference) < math.log1p(LEAST_BETWEEN_PROCESSES) or (sign * parts[at]).min() <= (sign * rest).max():
            continue
        total, own = rest.size + parts[at].size, parts[at].size
        ways = math.lgamma(total + 1) - math.lgamma(own + 1) - math.lgamma(total - own + 1)
        chance = min(1.0, 2 * len(parts) * math.exp(-ways))
        if len(parts) >= FEWEST_FOR_FAR:
            far = far_values(sign * middles, LEAST_STEP)
            chance = min(1.0, 2 * max(chance, far.chance if far is not None and far.number == 1 else 1.0))
        best = min(best, (difference, chance), key=lambda each: each[1])
    return best
