"""When bursts run, and on which processor: every worker works it out for itself from the same seed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The pilot of sectax reads a batch in 5 to 300 ms. A load that changes as fast meets one reading and not the next.
SHORTEST_S, LONGEST_S = 0.005, 0.3


class Epoch(NamedTuple):
    """A time in which nothing changes.

    Attributes:
        seconds: how long it lasts.
        places: worker -> the processor that it keeps busy; a worker that is not here rests.
    """

    seconds: float
    places: dict[int, int]


def epochs(seed: int, workers: int, processors: Sequence[int]) -> Iterator[Epoch]:
    """Bursts without end: of any length between the two, of any number of workers, mostly on one processor.

    Lengths are uniform in their logarithm. Rest is as frequent as each number of busy workers, so a reading may find
    the machine quiet and the next one find all workers on its processor.
    """
    draw = random.Random(seed)
    while True:
        seconds = math.exp(draw.uniform(math.log(SHORTEST_S), math.log(LONGEST_S)))
        crowded = draw.choice(processors)
        busy = draw.sample(range(workers), draw.randint(0, workers))
        yield Epoch(seconds, {worker: crowded if draw.random() < 0.8 else draw.choice(processors) for worker in busy})
