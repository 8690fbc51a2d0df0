"""Leaves alone for a while what hangs again and again: a host that hangs must not cost the others their time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

# What hung twice is asked again after so many times as long as it was waited for: it can cost a tenth of a run at most.
RESTS_FOR = 10.0


@dataclass
class CircuitBreaker:
    """What has hung in this session, how often since it last answered, and until when it is left alone."""

    clock: Callable[[], float] = time.monotonic
    _times: Counter[Hashable] = field(default_factory=Counter)
    _until: dict[Hashable, float] = field(default_factory=dict)

    def hung(self, what: Hashable, cost_s: float) -> None:
        """It was waited for in vain for so many seconds. Once may be an accident, and it is asked again."""
        self._times[what] += 1
        if self._times[what] > 1:
            self._until[what] = self.clock() + RESTS_FOR * cost_s

    def answered(self, *whats: Hashable) -> None:
        """They are as good as if they had never hung."""
        for what in whats:
            self._times.pop(what, None)
            self._until.pop(what, None)

    def is_doubted(self, what: Hashable) -> bool:
        """Whether it has hung since it last answered."""
        return what in self._times

    def rests_s(self, *whats: Hashable) -> float:
        """For how many more seconds one of them is left alone; 0 where none is."""
        now = self.clock()
        return max(0.0, *(self._until.get(what, 0.0) - now for what in whats))


PATIENCE = CircuitBreaker()
